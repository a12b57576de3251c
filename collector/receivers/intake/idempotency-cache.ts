import { LRUCache } from 'lru-cache';

/** How long and how many outcomes are remembered. */
export interface IdempotencyCacheOptions {
  /** From the end of the work; 0 remembers nothing, and only work that still runs is shared. */
  readonly windowMs: number;
  /** The oldest go first beyond it. */
  readonly maxEntries: number;
  /** Monotonic milliseconds, default `performance.now`; handed in so that tests can let time pass. */
  readonly nowMs?: () => number;
}

/** How often what is over its time is looked for, which goes through all that is remembered. */
const PURGE_INTERVAL_MS = 60_000;

/**
 * What became of what its sender gave a name to (`Idempotency-Key`, a Sentry event id), so that a repeated one is done once. Work that failed is
 * forgotten: a sender that repeats it has it done. Kept in memory: after a restart nothing is remembered.
 */
export class IdempotencyCache<Outcome> {
  readonly #running = new Map<string, Promise<Outcome>>();
  readonly #done: LRUCache<string, { readonly outcome: Outcome }> | undefined;
  readonly #nowMs: () => number;
  #purgeDueMs = Number.NEGATIVE_INFINITY;

  constructor({ windowMs, maxEntries, nowMs = () => performance.now() }: IdempotencyCacheOptions) {
    this.#nowMs = nowMs;
    if (windowMs === 0) return;
    // Not `max`, which would take all of its memory at once.
    const bounds = { maxSize: maxEntries, sizeCalculation: () => 1 };
    this.#done = new LRUCache({ ...bounds, ttl: Math.ceil(windowMs), ttlResolution: 0, perf: { now: nowMs } });
  }

  /** Does the work, unless work of this name was done or is being done: then waits for that. Rejects as the work does. */
  async once(
    name: string,
    work: () => Promise<Outcome>,
  ): Promise<{ readonly outcome: Outcome; readonly isRepeated: boolean }> {
    for (;;) {
      const known = this.#done?.peek(name);
      if (known !== undefined) return { outcome: known.outcome, isRepeated: true };
      const running = this.#running.get(name);
      if (running === undefined) return { outcome: await this.#begin(name, work), isRepeated: false };
      try {
        return { outcome: await running, isRepeated: true };
      } catch {
        // It failed for its own sender; this one has a try of its own.
      }
    }
  }

  async #begin(name: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const running = work();
    this.#running.set(name, running);
    try {
      const outcome = await running;
      this.#done?.set(name, { outcome });
      this.#purge();
      return outcome;
    } finally {
      this.#running.delete(name);
    }
  }

  #purge(): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#purgeDueMs) return;
    this.#purgeDueMs = nowMs + PURGE_INTERVAL_MS;
    this.#done?.purgeStale();
  }
}
