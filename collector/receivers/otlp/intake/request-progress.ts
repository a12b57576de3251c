import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PartialSuccess } from '../../../otlp/responses.js';

const MAX_REQUESTS = 256;
const WINDOW_MS = 5 * 60_000;
const MAX_REASONS = 3;
const LONGEST_REASON = 300;

/**
 * What was done of one request, by the place of its items: so a request that was refused half-way, or whose answer was not delivered, is taken up
 * where it ended when it comes again.
 */
export class RequestProgress {
  /** Every item before this place is done. */
  #doneBefore = 0;
  /** Those behind it that are done too. */
  readonly #doneBeyond = new Set<number>();
  #others = 0;
  #rejected = 0;
  readonly #reasons: string[] = [];

  /** Whether nothing would be lost if this was forgotten. */
  get isEmpty(): boolean {
    return this.#doneBefore === 0 && this.#doneBeyond.size === 0 && this.#others === 0;
  }

  /** What the sender learns of records that are not stored through its own fault, with the first reasons; undefined when there are none. */
  get partial(): PartialSuccess | undefined {
    if (this.#rejected === 0) return undefined;
    const more = this.#rejected - this.#reasons.length;
    const ending = more > 0 ? `; and ${more} more` : '';
    return { rejected: this.#rejected, message: this.#reasons.join('; ') + ending };
  }

  isDone(place: number): boolean {
    return place < this.#doneBefore || this.#doneBeyond.has(place);
  }

  /** The item is stored, or counted as what needs no storing. */
  finish(place: number): void {
    if (place === this.#doneBefore) this.#doneBefore++;
    else if (place > this.#doneBefore) this.#doneBeyond.add(place);
    while (this.#doneBeyond.delete(this.#doneBefore)) this.#doneBefore++;
  }

  /** The item is counted as rejected. */
  reject(place: number, reason: string): void {
    this.finish(place);
    this.#rejected++;
    if (this.#reasons.length < MAX_REASONS) this.#reasons.push(reason.slice(0, LONGEST_REASON));
  }

  /** Takes how many records that are no failures the request had so far; answers how many of them are not in the account yet. */
  countOthers(soFar: number): number {
    const uncounted = Math.max(0, soFar - this.#others);
    this.#others += uncounted;
    return uncounted;
  }
}

/**
 * Requests whose senders will send them again although part of them, or all, is stored: those that were refused half-way, and those whose answer
 * went to a connection that was gone. The body is what a repeated request is known by, and it is looked at only while something is remembered:
 * two equal bodies whose senders both had their answer are two requests.
 */
export class UnfinishedRequests {
  readonly #byBody: LRUCache<string, RequestProgress>;

  /** Monotonic milliseconds, default `performance.now`. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#byBody = new LRUCache({ max: MAX_REQUESTS, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: nowMs } });
  }

  /** What was done of this body before, once: the caller takes it over. Undefined for a new one. */
  resume(body: Uint8Array): RequestProgress | undefined {
    // Otherwise one that is over its time would have each later body hashed.
    this.#byBody.purgeStale();
    if (this.#byBody.size === 0) return undefined;
    const key = keyOf(body);
    const known = this.#byBody.get(key);
    this.#byBody.delete(key);
    return known;
  }

  /** Remembers what was done of a body; for five minutes, and the last 256 of them. */
  remember(body: Uint8Array, progress: RequestProgress): void {
    this.#byBody.set(keyOf(body), progress);
  }
}

function keyOf(body: Uint8Array): string {
  return hash('sha256', body, 'base64');
}
