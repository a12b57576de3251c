const MINUTE_MS = 60_000;

/** Holds calls to so many in any minute. */
export class CallRate {
  readonly #perMinute: number;
  readonly #nowMs: () => number;
  /** When the latest calls were made, oldest first. */
  readonly #calledAtMs: number[] = [];

  /** `nowMs` is monotonic, default `performance.now`. */
  constructor(perMinute: number, nowMs: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#nowMs = nowMs;
  }

  /** Milliseconds until one more may be made; 0: now. */
  get waitMs(): number {
    const [oldest = 0] = this.#calledAtMs;
    if (this.#calledAtMs.length < this.#perMinute) return 0;
    return Math.max(0, Math.ceil(oldest + MINUTE_MS - this.#nowMs()));
  }

  called(): void {
    this.#calledAtMs.push(this.#nowMs());
    if (this.#calledAtMs.length > this.#perMinute) this.#calledAtMs.shift();
  }
}
