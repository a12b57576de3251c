/** The current interval of one issue. */
export interface SamplingWindow {
  /** Start of the interval, milliseconds. */
  beganMs: number;
  /** Events in the interval. */
  seen: number;
}

/** The most recent issues with the count of their interval; beyond the bound evicts the least recent one. */
export class IssueWindows {
  readonly #intervalMs: number;
  readonly #maxIssues: number;
  readonly #onEvicted: (key: string) => void;
  /** Least recently seen first. */
  readonly #byKey = new Map<string, SamplingWindow>();
  /** Its next key is always the oldest: keys it returns are deleted at once. */
  #oldest = this.#byKey.keys();
  #latest: string | undefined;

  /** `maxIssues` is at least 1; `onEvicted` is called with each evicted issue. */
  constructor(intervalMs: number, maxIssues: number, onEvicted: (key: string) => void) {
    this.#intervalMs = intervalMs;
    this.#maxIssues = maxIssues;
    this.#onEvicted = onEvicted;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** The window of an issue with an event at `nowMs`. */
  at(key: string, nowMs: number): SamplingWindow {
    const known = this.#byKey.get(key);
    if (known === undefined) return this.#begin(key, nowMs);
    if (key !== this.#latest) {
      this.#byKey.delete(key);
      this.#byKey.set(key, known);
      this.#latest = key;
    }
    if (nowMs - known.beganMs >= this.#intervalMs) {
      known.beganMs = nowMs;
      known.seen = 0;
    }
    return known;
  }

  #begin(key: string, nowMs: number): SamplingWindow {
    if (this.#byKey.size >= this.#maxIssues) this.#evictOldest();
    const window: SamplingWindow = { beganMs: nowMs, seen: 0 };
    this.#byKey.set(key, window);
    this.#latest = key;
    return window;
  }

  #evictOldest(): void {
    let next = this.#oldest.next();
    if (next.done === true) {
      // An iterator that ended cannot continue.
      this.#oldest = this.#byKey.keys();
      next = this.#oldest.next();
    }
    if (next.done === true) return;
    this.#byKey.delete(next.value);
    this.#onEvicted(next.value);
  }
}
