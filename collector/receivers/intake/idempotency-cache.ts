import { LRUCache } from 'lru-cache';

interface IdempotencyCacheOptions {
  /** Counted from the end of the work; 0 caches no outcome and only shares running work. */
  readonly windowMs: number;
  /** Beyond it the oldest entries are removed. */
  readonly maxEntries: number;
  /** Monotonic milliseconds; default `performance.now`. */
  readonly nowMs?: () => number;
}

/** A purge visits every entry. */
const PURGE_INTERVAL_MS = 60_000;

/** Outcomes by the sender's key (`Idempotency-Key`, Sentry event id), so that repeated work is done once. In memory; failed work is not cached. */
export class IdempotencyCache<Outcome> {
  readonly #running = new Map<string, Promise<Outcome>>();
  readonly #done: LRUCache<string, { readonly outcome: Outcome }> | undefined;
  readonly #nowMs: () => number;
  #purgeDueMs = Number.NEGATIVE_INFINITY;

  constructor({ windowMs, maxEntries, nowMs = () => performance.now() }: IdempotencyCacheOptions) {
    this.#nowMs = nowMs;
    if (windowMs === 0) return;
    // Not `max`, which allocates all of its memory at once.
    const bounds = { maxSize: maxEntries, sizeCalculation: () => 1 };
    this.#done = new LRUCache({ ...bounds, ttl: Math.ceil(windowMs), ttlResolution: 0, perf: { now: nowMs } });
  }

  /** Does the work, or returns the outcome of work with the same key that ended or still runs. Rejects if the work does. */
  async once(
    key: string,
    work: () => Promise<Outcome>,
  ): Promise<{ readonly outcome: Outcome; readonly isRepeated: boolean }> {
    for (;;) {
      const known = this.#done?.peek(key);
      if (known !== undefined) return { outcome: known.outcome, isRepeated: true };
      const running = this.#running.get(key);
      if (running === undefined) return { outcome: await this.#begin(key, work), isRepeated: false };
      try {
        return { outcome: await running, isRepeated: true };
      } catch {
        // The other request failed; this one does the work itself.
      }
    }
  }

  async #begin(key: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const running = work();
    this.#running.set(key, running);
    try {
      const outcome = await running;
      this.#done?.set(key, { outcome });
      this.#purge();
      return outcome;
    } finally {
      this.#running.delete(key);
    }
  }

  #purge(): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#purgeDueMs) return;
    this.#purgeDueMs = nowMs + PURGE_INTERVAL_MS;
    this.#done?.purgeStale();
  }
}
