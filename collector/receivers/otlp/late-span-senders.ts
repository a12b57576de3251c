/** How waiting for spans went with a sender. */
interface Attempts {
  /** Times in a row that nothing came. */
  inVain: number;
  /** Until then nobody waits; monotonic milliseconds. */
  restsUntilMs: number;
}

const MAX_IN_VAIN = 3;
const REST_MS = 60_000;
/** Senders of whom something is remembered; the oldest are forgotten first. */
const MAX_SENDERS = 1_000;

/**
 * Which senders are worth waiting for. One that exports a batch after the other has the missing span still with it: it is given up for a minute
 * after three times in vain, then one request tries again. Only a span that came in time ends that.
 */
export class LateSpanSenders {
  readonly #nowMs: () => number;
  readonly #attempts = new Map<string, Attempts>();

  /** Monotonic milliseconds. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  mayTry(sender: string): boolean {
    const attempts = this.#attempts.get(sender);
    return attempts === undefined || attempts.inVain < MAX_IN_VAIN || this.#nowMs() >= attempts.restsUntilMs;
  }

  /** A request waits: of a sender that was given up nobody else does. */
  begin(sender: string): void {
    const attempts = this.#attempts.get(sender);
    if (attempts !== undefined && attempts.inVain >= MAX_IN_VAIN) attempts.restsUntilMs = this.#nowMs() + REST_MS;
  }

  gained(sender: string): void {
    this.#attempts.delete(sender);
  }

  inVain(sender: string): void {
    const attempts = this.#attempts.get(sender) ?? { inVain: 0, restsUntilMs: 0 };
    attempts.inVain++;
    attempts.restsUntilMs = this.#nowMs() + REST_MS;
    this.#attempts.set(sender, attempts);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > MAX_SENDERS && oldest !== undefined) this.#attempts.delete(oldest);
  }
}
