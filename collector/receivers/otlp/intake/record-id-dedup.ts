import { hash } from 'node:crypto';
import type { OtlpFailure } from '../decode/otlp-failure.js';
import { type Claim, NewOccurrence, SETTLED } from './new-occurrence.js';

interface RecordIdDedupOptions {
  /** Minimum time that an id is remembered, milliseconds; default 10 minutes. At most twice as long. */
  readonly windowMs?: number;
  /** Minimum number of remembered ids; default 100,000. At most twice as many. */
  readonly lastIds?: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Exceeds the timeout and retry delay of `otlp_http`: less than a minute by default. */
const WINDOW_MS = 600_000;
/** A sender repeats at most its last batch: 512 records by default, at most 10,000. */
const LAST_IDS = 100_000;
/** Bytes of the hash of an id; enough to resist collisions. */
const KEY_BYTES = 16;

/**
 * Recent ids of log records (`log.record.uid`). By the semantic conventions, records with equal ids are one record, as after a retry of a
 * Faultline that got no response. Ids are stored in two generations, because removing the oldest ones singly from a large set is slow.
 */
export class RecordIdDedup {
  readonly #windowMs: number;
  readonly #lastIds: number;
  readonly #nowMs: () => number;
  #young = new Set<string>();
  #old = new Set<string>();
  #youngSinceMs: number;
  /** Occurrences that are not stored yet. */
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
