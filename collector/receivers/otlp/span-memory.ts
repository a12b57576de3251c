import { LRUCache } from 'lru-cache';
import type { KnownSpan } from './known-span.js';

/** How long spans are remembered. */
export interface SpanMemoryOptions {
  /** `Infinity`: until others push them out. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`; handed in so that tests can let time pass. */
  readonly nowMs?: () => number;
}

/** Each span counts as at least so many UTF-16 units, so that 20,000 are the most; a bound by number would take its memory for each request. */
const LEAST_SIZE = 419;
/** UTF-16 units of all remembered texts. */
const MAX_SIZE = 20_000 * LEAST_SIZE;

/** The spans of earlier requests, bounded in time, number and size; the oldest are forgotten first. */
export class SpanMemory {
  readonly #isOff: boolean;
  readonly #spans: LRUCache<string, KnownSpan>;

  constructor({ windowMs, nowMs = () => performance.now() }: SpanMemoryOptions) {
    this.#isOff = windowMs === 0;
    this.#spans = new LRUCache({
      maxSize: MAX_SIZE,
      sizeCalculation: sizeOf,
      ttl: windowMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(windowMs),
      ttlResolution: 0,
      perf: { now: nowMs },
    });
  }

  remember(traceId: string, span: KnownSpan): void {
    if (!this.#isOff) this.#spans.set(traceId + span.spanId, span);
  }

  /** Undefined for one that never came or is forgotten. */
  find(traceId: string, spanId: string): KnownSpan | undefined {
    return this.#spans.peek(traceId + spanId);
  }
}

function sizeOf({ name, attributes }: KnownSpan): number {
  let size = name.length;
  for (const [key, value] of attributes) size += key.length + JSON.stringify(value).length;
  return Math.max(LEAST_SIZE, size);
}
