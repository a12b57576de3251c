/** One issue while it is watched. */
export interface SamplingWindow {
  /** When its running interval began, milliseconds. */
  beganMs: number;
  /** Events of it in the running interval. */
  seen: number;
}

/** The issues that came last, each with the count of its running interval. Beyond the bound the one that was quiet longest is forgotten. */
export class IssueWindows {
  readonly #intervalMs: number;
  readonly #maxIssues: number;
  readonly #onForgotten: (key: string) => void;
  /** In the order in which they were last seen. */
  readonly #byKey = new Map<string, SamplingWindow>();
  /** Goes on where it was: what it names is deleted at once, so its next one is always the oldest, and it never walks over what was deleted before. */
  #oldest = this.#byKey.keys();
  #latest: string | undefined;

  /** `maxIssues` is at least 1; `onForgotten` is called with an issue that is watched no more. */
  constructor(intervalMs: number, maxIssues: number, onForgotten: (key: string) => void) {
    this.#intervalMs = intervalMs;
    this.#maxIssues = maxIssues;
    this.#onForgotten = onForgotten;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** The window of an issue of which an event came now. */
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
    if (this.#byKey.size >= this.#maxIssues) this.#forgetOldest();
    const window: SamplingWindow = { beganMs: nowMs, seen: 0 };
    this.#byKey.set(key, window);
    this.#latest = key;
    return window;
  }

  #forgetOldest(): void {
    let next = this.#oldest.next();
    if (next.done === true) {
      // One that came to its end does not go on.
      this.#oldest = this.#byKey.keys();
      next = this.#oldest.next();
    }
    if (next.done === true) return;
    this.#byKey.delete(next.value);
    this.#onForgotten(next.value);
  }
}
