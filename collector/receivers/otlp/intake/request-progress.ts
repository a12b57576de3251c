import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { cutText } from '../../../../core/event/text.js';
import type { PartialSuccess } from '../../../otlp/responses.js';

const MAX_REQUESTS = 256;
const WINDOW_MS = 5 * 60_000;
const MAX_REASONS = 3;
const LONGEST_REASON = 300;

/** Finished items of one request by position, so that a retry of a partly refused request, or of one without a response, resumes there. */
export class RequestProgress {
  /** Every item before this position is done. */
  #doneBefore = 0;
  readonly #doneBeyond = new Set<number>();
  #others = 0;
  #rejected = 0;
  readonly #reasons: string[] = [];

  get isEmpty(): boolean {
    return this.#doneBefore === 0 && this.#doneBeyond.size === 0 && this.#others === 0;
  }

  /** The number of rejected records with the first reasons; undefined if nothing was rejected. */
  get partial(): PartialSuccess | undefined {
    if (this.#rejected === 0) return undefined;
    const more = this.#rejected - this.#reasons.length;
    const ending = more > 0 ? `; and ${more} more` : '';
    return { rejected: this.#rejected, message: this.#reasons.join('; ') + ending };
  }

  isDone(position: number): boolean {
    return position < this.#doneBefore || this.#doneBeyond.has(position);
  }

  /** The item is stored or filtered. */
  finish(position: number): void {
    if (position === this.#doneBefore) this.#doneBefore++;
    else if (position > this.#doneBefore) this.#doneBeyond.add(position);
    while (this.#doneBeyond.delete(this.#doneBefore)) this.#doneBefore++;
  }

  reject(position: number, reason: string): void {
    this.finish(position);
    this.#rejected++;
    if (this.#reasons.length < MAX_REASONS) this.#reasons.push(cutText(reason, LONGEST_REASON));
  }

  /** Returns how many of the `soFar` records that are not failures the ledger does not count yet. */
  countOthers(soFar: number): number {
    const uncounted = Math.max(0, soFar - this.#others);
    this.#others += uncounted;
    return uncounted;
  }
}

/**
 * Partly or fully stored requests whose senders will retry: those refused half-way, and those whose response was not delivered. A retry is
 * recognised by its body; equal bodies that both got a response are separate requests.
 */
export class UnfinishedRequests {
  readonly #byBody: LRUCache<string, RequestProgress>;

  /** Monotonic milliseconds, default `performance.now`. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#byBody = new LRUCache({ max: MAX_REQUESTS, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: nowMs } });
  }

  /** Removes and returns the progress of this body; undefined for a new one. */
  resume(body: Uint8Array): RequestProgress | undefined {
    // An expired entry would cause every later body to be hashed.
    this.#byBody.purgeStale();
    if (this.#byBody.size === 0) return undefined;
    const key = keyOf(body);
    const known = this.#byBody.get(key);
    this.#byBody.delete(key);
    return known;
  }

  /** Remembers the progress of a body for five minutes; at most 256 bodies. */
  remember(body: Uint8Array, progress: RequestProgress): void {
    this.#byBody.set(keyOf(body), progress);
  }
}

function keyOf(body: Uint8Array): string {
  return hash('sha256', body, 'base64');
}
