import { hash } from 'node:crypto';
import { type Claim, withSettling } from './claim.js';
import type { OtlpFailure } from './otlp-failure.js';

/** How much is remembered; handed in so that tests can let time pass. */
export interface RecordIdMemoryOptions {
  /** Milliseconds since an id came last; default 10 minutes. */
  readonly windowMs?: number;
  /** The most ids, default 100,000. */
  readonly maxIds?: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Longer than any sender with the defaults of `otlp_http` waits for a lost answer and then before it tries again: about a minute. */
const WINDOW_MS = 600_000;
/** About 14 MiB, measured 2026-11-22. One sender repeats at most its last batch: 10,000 records, 512 by default. */
const MAX_IDS = 100_000;
const SETTLED: Promise<void> = Promise.resolve();
/** Of the hash of an id: nobody finds two ids of which these are equal. */
const KEY_LENGTH = 22;

/**
 * The log records with an id of their own (`log.record.uid`) that came lately. By the semantic conventions records of one id are one, whatever else
 * they say, as when a Faultline that had no answer sends again what was taken. Bounded in time and number; the oldest are forgotten first.
 */
export class RecordIdMemory {
  readonly #windowMs: number;
  readonly #maxIds: number;
  readonly #nowMs: () => number;
  /** Seconds until which each is remembered, the one that came longest ago first. */
  readonly #until = new Map<string, number>();
  /** Those that are not stored yet. */
  readonly #pending = new Map<string, Promise<void>>();

  constructor({ windowMs, maxIds, nowMs }: RecordIdMemoryOptions = {}) {
    this.#windowMs = windowMs ?? WINDOW_MS;
    this.#maxIds = maxIds ?? MAX_IDS;
    this.#nowMs = nowMs ?? (() => performance.now());
  }

  /** Undefined for a failure without an id. */
  claim(failure: OtlpFailure): Claim | undefined {
    const uid = failure.signal === 'log' ? failure.record.attributes.get('log.record.uid') : undefined;
    if (typeof uid !== 'string' || uid === '') return undefined;
    const key = hash('sha256', uid, 'base64url').slice(0, KEY_LENGTH);
    const nowS = Math.floor(this.#nowMs() / 1000);
    const isKnown = (this.#until.get(key) ?? 0) > nowS;
    this.#remember(key, nowS);
    return isKnown ? { kind: 'repeated', settled: this.#pending.get(key) ?? SETTLED } : this.#begin(key);
  }

  #remember(key: string, nowS: number): void {
    this.#until.delete(key);
    // A whole number is kept in place of an object.
    this.#until.set(key, nowS + Math.ceil(this.#windowMs / 1000));
    for (const [oldKey, untilS] of this.#until) {
      if (untilS > nowS && this.#until.size <= this.#maxIds) break;
      this.#until.delete(oldKey);
    }
  }

  #begin(key: string): Claim {
    const { promise, resolve, reject } = withSettling();
    // Mostly nobody waits for it.
    promise.catch(() => undefined);
    this.#pending.set(key, promise);
    const isMine = (): boolean => this.#pending.get(key) === promise;
    return {
      kind: 'new',
      settle: () => {
        if (isMine()) this.#pending.delete(key);
        resolve();
      },
      refuse: (fault) => {
        if (isMine()) {
          this.#pending.delete(key);
          this.#until.delete(key);
        }
        reject(fault);
      },
    };
  }
}
