import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Claim, NewReport, repeatOf } from '../../intake/new-report.js';
import type { OtlpFailure } from '../decode/otlp-failure.js';

interface RecordIdDedupOptions {
  /** How long an id is remembered, milliseconds; default 10 minutes. */
  readonly windowMs?: number;
  /** Number of remembered ids; default 100,000. */
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
 * Faultline that got no response.
 */
export class RecordIdDedup {
  readonly #ids: Ids;

  constructor({
    windowMs = WINDOW_MS,
    lastIds = LAST_IDS,
    nowMs = () => performance.now(),
  }: RecordIdDedupOptions = {}) {
    this.#ids = new LRUCache({
      // `max` would allocate everything at once.
      maxSize: lastIds,
      sizeCalculation: () => 1,
      ttl: windowMs,
      ttlResolution: 0,
      perf: { now: nowMs },
    });
  }

  /** Undefined for a failure without an id. */
  claim(failure: OtlpFailure): Claim | undefined {
    const uid = failure.signal === 'log' ? failure.record.attributes.get('log.record.uid') : undefined;
    if (typeof uid !== 'string' || uid === '') return undefined;
    const key = hash('sha256', uid, 'buffer').toString('latin1', 0, KEY_BYTES);
    const known = this.#ids.get(key);
    if (known !== undefined) return known === 'stored' ? repeatOf(undefined) : known.repeat();
    const occurrence = new IdOccurrence(this.#ids, key);
    this.#ids.set(key, occurrence);
    return occurrence;
  }
}

/** The occurrence of an id until it is stored. */
type Ids = LRUCache<string, NewReport | 'stored'>;

class IdOccurrence extends NewReport {
  readonly #ids: Ids;
  readonly #key: string;

  constructor(ids: Ids, key: string) {
    super();
    this.#ids = ids;
    this.#key = key;
  }

  protected override onEnd(isRefused: boolean): void {
    if (this.#ids.peek(this.#key) !== this) return;
    if (isRefused) this.#ids.delete(this.#key);
    else this.#ids.set(this.#key, 'stored');
  }
}
