import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const MAX_REQUESTS = 256;
const WINDOW_MS = 5 * 60_000;

/**
 * Requests whose senders will send them again although part of them, or all, is stored: those that were refused half-way, and those whose answer
 * went to a connection that was gone. The body is what a repeated request is known by, and it is looked at only while something is remembered:
 * two equal bodies whose senders both had their answer are two requests.
 */
export class UnfinishedRequests<Progress extends NonNullable<unknown>> {
  readonly #byBody: LRUCache<string, Progress>;

  /** Monotonic milliseconds, default `performance.now`. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#byBody = new LRUCache({ max: MAX_REQUESTS, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: nowMs } });
  }

  /** What was done of this body before, once: the caller takes it over. Undefined for a new one. */
  take(body: Uint8Array): Progress | undefined {
    // Otherwise one that is over its time would have each later body hashed.
    this.#byBody.purgeStale();
    if (this.#byBody.size === 0) return undefined;
    const key = keyOf(body);
    const known = this.#byBody.get(key);
    this.#byBody.delete(key);
    return known;
  }

  /** Remembers what was done of a body; for five minutes, and the last 256 of them. */
  keep(body: Uint8Array, progress: Progress): void {
    this.#byBody.set(keyOf(body), progress);
  }
}

function keyOf(body: Uint8Array): string {
  return hash('sha256', body, 'base64');
}
