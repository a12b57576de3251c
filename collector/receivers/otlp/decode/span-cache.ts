import { LRUCache } from 'lru-cache';
import type { OtlpAttributes, OtlpSpan } from '../../../otlp/otlp-records.js';

/** What is kept of a span so that exceptions find their request in it. */
export interface KnownSpan {
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  /** Those that fields of a payload are looked up in. */
  readonly attributes: OtlpAttributes;
}

/** The spans around an exception, as far as they are known. */
export interface JoinedSpans {
  /** The span that it happened in. */
  readonly own: KnownSpan | undefined;
  /** The nearest span, its own included, that answers a request or takes a message. */
  readonly server: KnownSpan | undefined;
}

/** Finds a span by its trace and its own id. */
export type FindSpan = (traceId: string, spanId: string) => KnownSpan | undefined;

const SERVER = 2;
const CONSUMER = 5;
/** Deeper ones are hostile, or run in a circle. */
const MAX_ANCESTORS = 100;
/** Longer values are no route, method or id, and would fill the memory. */
const LONGEST_VALUE = 4_096;

/** What is kept of a span. */
export function toKnownSpan(span: OtlpSpan, keys: ReadonlySet<string>): KnownSpan {
  const { spanId, parentSpanId, kind } = span;
  const attributes = new Map(
    [...span.attributes].filter(([key, value]) => keys.has(key) && JSON.stringify(value).length <= LONGEST_VALUE),
  );
  return { spanId, parentSpanId, name: span.name.slice(0, LONGEST_VALUE), kind, attributes };
}

/** The spans around something that happened in a span. */
export function joinSpans(traceId: string, spanId: string, find: FindSpan): JoinedSpans {
  if (traceId === '' || spanId === '') return { own: undefined, server: undefined };
  const own = find(traceId, spanId);
  let span = own;
  for (let step = 0; span !== undefined && step < MAX_ANCESTORS; step++) {
    if (span.kind === SERVER || span.kind === CONSUMER) return { own, server: span };
    span = span.parentSpanId === '' ? undefined : find(traceId, span.parentSpanId);
  }
  return { own, server: undefined };
}

/** How long spans are remembered. */
export interface SpanCacheOptions {
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
export class SpanCache {
  readonly #isOff: boolean;
  readonly #spans: LRUCache<string, KnownSpan>;

  constructor({ windowMs, nowMs = () => performance.now() }: SpanCacheOptions) {
    this.#isOff = windowMs === 0;
    this.#spans = new LRUCache({
      maxSize: MAX_SIZE,
      sizeCalculation: sizeOf,
      ttl: windowMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(windowMs),
      ttlResolution: 0,
      perf: { now: nowMs },
    });
  }

  add(traceId: string, span: KnownSpan): void {
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
