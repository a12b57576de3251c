import { hash } from 'node:crypto';
import type { OtlpFailure } from '../decode/otlp-failure.js';
import { type Claim, NewOccurrence, SETTLED } from './exception-dedup.js';

/** How much is remembered; handed in so that tests can let time pass. */
export interface RecordIdDedupOptions {
  /** Milliseconds for which an id is remembered at least; default 10 minutes. Twice as long at most. */
  readonly windowMs?: number;
  /** How many ids are remembered at least, the last ones; default 100,000. Twice as many at most. */
  readonly lastIds?: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Longer than a sender with the defaults of `otlp_http` waits for a lost answer and then before it tries again: less than a minute. */
const WINDOW_MS = 600_000;
/** 200,000 ids take 12 MiB (2026-11-22). One sender repeats at most its last batch: 512 records by default, never more than 10,000. */
const LAST_IDS = 100_000;
/** Of the hash of an id: nobody finds two ids of which these are equal. */
const KEY_BYTES = 16;

/**
 * The log records with an id of their own (`log.record.uid`) that came lately. By the semantic conventions records of one id are one, whatever else
 * they say, as when a Faultline that had no answer sends again what was taken. Bounded in time and number: ids are kept in two generations, and the older
 * one is forgotten as a whole, because taking the oldest out of a large set one by one is slow.
 */
export class RecordIdDedup {
  readonly #windowMs: number;
  readonly #lastIds: number;
  readonly #nowMs: () => number;
  #young = new Set<string>();
  #old = new Set<string>();
  #youngSinceMs: number;
  /** Those that are not stored yet. */
  readonly #pending = new Map<string, NewOccurrence>();

  constructor({ windowMs, lastIds, nowMs }: RecordIdDedupOptions = {}) {
    this.#windowMs = windowMs ?? WINDOW_MS;
    this.#lastIds = lastIds ?? LAST_IDS;
    this.#nowMs = nowMs ?? (() => performance.now());
    this.#youngSinceMs = this.#nowMs();
  }

  /** Undefined for a failure without an id. */
  claim(failure: OtlpFailure): Claim | undefined {
    const uid = failure.signal === 'log' ? failure.record.attributes.get('log.record.uid') : undefined;
    if (typeof uid !== 'string' || uid === '') return undefined;
    const key = hash('sha256', uid, 'buffer').toString('latin1', 0, KEY_BYTES);
    this.#age();
    const isKnown = this.#young.has(key) || this.#old.has(key);
    this.#young.add(key);
    return isKnown ? (this.#pending.get(key)?.repeat() ?? SETTLED) : this.#begin(key);
  }

  #age(): void {
    const ageMs = this.#nowMs() - this.#youngSinceMs;
    if (ageMs < this.#windowMs && this.#young.size < this.#lastIds) return;
    this.#old = ageMs < 2 * this.#windowMs ? this.#young : new Set();
    this.#young = new Set();
    this.#youngSinceMs = this.#nowMs();
  }

  #begin(key: string): Claim {
    const occurrence = new NewOccurrence((isRefused) => {
      if (this.#pending.get(key) !== occurrence) return;
      this.#pending.delete(key);
      if (!isRefused) return;
      this.#young.delete(key);
      this.#old.delete(key);
    });
    this.#pending.set(key, occurrence);
    return occurrence;
  }
}
