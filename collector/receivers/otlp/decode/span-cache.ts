import { LRUCache } from 'lru-cache';
import { cutText } from '../../../../core/event/text.js';
import type { OtlpAttributes, OtlpSpan } from '../../../otlp/otlp-records.js';

/** The fields of a span that locate an exception's request. */
export interface KnownSpan {
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  /** Attributes that payload fields use. */
  readonly attributes: OtlpAttributes;
}

/** The known spans around an exception. */
export interface JoinedSpans {
  /** The exception's own span. */
  readonly own: KnownSpan | undefined;
  /** The nearest server or consumer span, possibly its own. */
  readonly server: KnownSpan | undefined;
}

/** Finds a span by its trace and its own id. */
export type FindSpan = (traceId: string, spanId: string) => KnownSpan | undefined;

const SERVER = 2;
const CONSUMER = 5;
/** Bounds hostile depths and cycles. */
const MAX_ANCESTORS = 100;
/** Routes, methods and ids are shorter. */
const LONGEST_VALUE = 4_096;

/** Selects the cached fields of a span. */
export function toKnownSpan(span: OtlpSpan, keys: ReadonlySet<string>): KnownSpan {
  const { spanId, parentSpanId, kind } = span;
  const attributes = new Map(
    [...span.attributes].filter(([key, value]) => keys.has(key) && JSON.stringify(value).length <= LONGEST_VALUE),
  );
  return { spanId, parentSpanId, name: cutText(span.name, LONGEST_VALUE), kind, attributes };
}

/** Finds the spans around an exception. */
export function joinSpans(traceId: string, spanId: string, find: FindSpan): JoinedSpans {
  if (traceId === '' || spanId === '') return { own: undefined, server: undefined };
  const spans = knownSpansFrom(traceId, spanId, find);
  return { own: spans[0], server: spans.find(isEntry) };
}

/** The spans that an exception passes. */
export interface SpanPath {
  /** Its own, and those above it up to the server or consumer span. */
  readonly ids: readonly string[];
  /** How it ends: with a server or consumer span, with the first span of the trace, or with one that is not known. */
  readonly end: 'request' | 'root' | 'unknown';
}

/** Returns the spans that an exception passes, as far as they are known. */
export function pathOf(traceId: string, spanId: string, find: FindSpan): SpanPath {
  const spans = knownSpansFrom(traceId, spanId, find);
  const last = spans.at(-1);
  const ids = [spanId, ...spans.map(({ parentSpanId }) => parentSpanId)];
  if (last === undefined || (!isEntry(last) && last.parentSpanId !== '')) return { ids, end: 'unknown' };
  return { ids: ids.slice(0, -1), end: isEntry(last) ? 'request' : 'root' };
}

/** Returns a span and those above it, up to the server or consumer span or the first unknown one. */
function knownSpansFrom(traceId: string, spanId: string, find: FindSpan): KnownSpan[] {
  const spans: KnownSpan[] = [];
  let span = find(traceId, spanId);
  while (span !== undefined && spans.length < MAX_ANCESTORS) {
    spans.push(span);
    span = isEntry(span) || span.parentSpanId === '' ? undefined : find(traceId, span.parentSpanId);
  }
  return spans;
}

function isEntry({ kind }: KnownSpan): boolean {
  return kind === SERVER || kind === CONSUMER;
}

interface SpanCacheOptions {
  /** How long spans are cached; `Infinity`: until newer ones evict them; 0: never. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Minimum size of a span in UTF-16 units, which bounds their number to 20,000; `max` would allocate memory for each request. */
const LEAST_SIZE = 419;
/** UTF-16 units of all cached texts. */
const MAX_SIZE = 20_000 * LEAST_SIZE;

/** The spans of recent requests, bounded in time, number and size; evicts the oldest first. */
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

  find(traceId: string, spanId: string): KnownSpan | undefined {
    return this.#spans.peek(traceId + spanId);
  }
}

function sizeOf({ name, attributes }: KnownSpan): number {
  let size = name.length;
  for (const [key, value] of attributes) size += key.length + JSON.stringify(value).length;
  return Math.max(LEAST_SIZE, size);
}
