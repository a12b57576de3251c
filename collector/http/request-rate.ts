import { LRUCache } from 'lru-cache';
import { RequestFault } from './request-fault.js';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Clients that are remembered; of more the one that asked least recently is forgotten, and begins with a full bucket. */
const MAX_CLIENTS = 10_000;

/** A bucket of tokens for each client: a request takes one, and they come back at the rate. */
export class RequestRate {
  readonly #requestsPerSecond: number;
  readonly #burst: number;
  readonly #nowMs: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ maxSize: MAX_CLIENTS, sizeCalculation: () => 1 });

  /** `requestsPerSecond` on average (0: no bound), `burst` at once; `nowMs` is monotonic. */
  constructor(requestsPerSecond: number, burst: number, nowMs: () => number = () => performance.now()) {
    this.#requestsPerSecond = requestsPerSecond;
    this.#burst = burst;
    this.#nowMs = nowMs;
  }

  /** Takes a token of a client: undefined, or `RATE_LIMITED` with the seconds after which there is one. */
  refusalOf(client: string): RequestFault | undefined {
    const requestsPerSecond = this.#requestsPerSecond;
    const burst = this.#burst;
    if (requestsPerSecond === 0) return undefined;
    const now = this.#nowMs();
    const bucket = this.#buckets.get(client) ?? { tokens: burst, filledAtMs: now };
    this.#buckets.set(client, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAtMs) / 1_000) * requestsPerSecond);
    bucket.filledAtMs = now;
    if (bucket.tokens < 1) return rateLimited(Math.ceil((1 - bucket.tokens) / requestsPerSecond));
    bucket.tokens -= 1;
    return undefined;
  }
}

function rateLimited(seconds: number): RequestFault {
  const sentence = `this address sends more requests than it may; send again in ${seconds} s, and more events in each request`;
  return new RequestFault('RATE_LIMITED', sentence, { retryable: true, headers: { 'retry-after': String(seconds) } });
}
