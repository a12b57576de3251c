import { hash } from 'node:crypto';

/** What was done of a request, as far as its receiver has to know it to go on. */
interface Unfinished<Progress> {
  readonly progress: Progress;
  readonly untilMs: number;
}

const MAX_REQUESTS = 256;
const WINDOW_MS = 5 * 60_000;

/**
 * Requests whose senders will send them again although part of them, or all, is stored: those that were refused half-way, and those whose answer
 * went to a connection that was gone. The body is what a repeated request is known by, and it is looked at only while something is remembered:
 * two equal bodies whose senders both had their answer are two requests.
 */
export class UnfinishedRequests<Progress> {
  readonly #byBody = new Map<string, Unfinished<Progress>>();
  readonly #nowMs: () => number;

  /** Monotonic milliseconds, default `performance.now`. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** What was done of this body before, once: whoever asks takes it over. Undefined for a new one. */
  take(body: Uint8Array): Progress | undefined {
    if (this.#byBody.size === 0) return undefined;
    const key = keyOf(body);
    const known = this.#byBody.get(key);
    this.#byBody.delete(key);
    return known !== undefined && this.#nowMs() < known.untilMs ? known.progress : undefined;
  }

  /** Remembers what was done of a body; for five minutes, and the last 256 of them. */
  keep(body: Uint8Array, progress: Progress): void {
    const key = keyOf(body);
    this.#byBody.delete(key);
    this.#byBody.set(key, { progress, untilMs: this.#nowMs() + WINDOW_MS });
    const [oldest] = this.#byBody.keys();
    if (this.#byBody.size > MAX_REQUESTS && oldest !== undefined) this.#byBody.delete(oldest);
  }
}

function keyOf(body: Uint8Array): string {
  return hash('sha256', body, 'base64');
}
