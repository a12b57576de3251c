import { LRUCache } from 'lru-cache';
import { hasException } from '../../../otlp/severity.js';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';
import { type Claim, digestOf, NewOccurrence } from './new-occurrence.js';
import { type CountedReport, markOf, OccurrencePairs } from './occurrence-pairs.js';

interface ExceptionDedupOptions {
  /** How long an occurrence is remembered; `Infinity`: until newer ones evict it. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

interface KnownOccurrence {
  readonly time: bigint;
  readonly occurrence: NewOccurrence;
  /** Set if it counts and may be paired. */
  readonly report: CountedReport | undefined;
}

interface Entry {
  /** Signal and span of the first report. */
  readonly origin: string;
  /** Occurrences of that origin, oldest first; each has its own time. */
  readonly occurrences: KnownOccurrence[];
}

const MAX_EXCEPTIONS = 10_000;
const MAX_TIMES = 100;
const ALWAYS_NEW = new NewOccurrence();

/**
 * Recently reported exceptions. An exception may be recorded on every span that it passes, and again as a log record (`logs/dup`). The same
 * exception of a trace is a new occurrence only if the same span and signal report it with another time; with another stack see
 * `OccurrencePairs`. Bounded in time and number.
 */
export class ExceptionDedup {
  readonly #entries: LRUCache<string, Entry>;
  /** Undefined within one request, which has one signal. */
  readonly #pairs: OccurrencePairs | undefined;

  constructor({ windowMs, nowMs = () => performance.now() }: ExceptionDedupOptions) {
    this.#entries = new LRUCache({
      // `max` would allocate everything at once, and without a window each request has its own instance.
      maxSize: MAX_EXCEPTIONS,
      sizeCalculation: () => 1,
      ttl: windowMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(windowMs),
      ttlResolution: 0,
      perf: { now: nowMs },
    });
    if (windowMs !== Number.POSITIVE_INFINITY) this.#pairs = new OccurrencePairs(windowMs, nowMs);
  }

  claim(failure: OtlpFailure): Claim {
    const key = keyOf(failure);
    if (key === undefined) return ALWAYS_NEW;
    const origin = `${failure.signal} ${traceOf(failure).spanId}`;
    const time = timeOf(failure);
    const known = this.#entries.peek(key);
    if (known === undefined) {
      const entry: Entry = { origin, occurrences: [] };
      this.#entries.set(key, entry);
      return this.#add(key, entry, failure);
    }
    const { occurrences } = known;
    const isSameOrigin = known.origin === origin;
    const repeated = isSameOrigin ? occurrences.find((one) => one.time === time) : occurrences[0];
    if (repeated === undefined) return this.#add(key, known, failure);
    const { report } = repeated;
    if (report !== undefined && report.signal !== failure.signal) report.isPaired = true;
    return repeated.occurrence.repeat();
  }

  #add(key: string, entry: Entry, failure: OtlpFailure): NewOccurrence {
    const { occurrences } = entry;
    const mark = this.#pairs && markOf(failure);
    const counted = mark && this.#pairs?.pair(mark);
    const occurrence = new NewOccurrence((isRefused) => {
      if (!isRefused) return;
      if (counted !== undefined) counted.isPaired = false;
      if (report !== undefined) this.#pairs?.remove(report);
      const index = occurrences.findIndex((one) => one.occurrence === occurrence);
      if (index >= 0) occurrences.splice(index, 1);
      if (occurrences.length === 0 && this.#entries.peek(key) === entry) this.#entries.delete(key);
    }, counted?.occurrence.repeat());
    const report = mark && counted === undefined ? { ...mark, occurrence, isPaired: false } : undefined;
    if (report !== undefined) this.#pairs?.add(report);
    occurrences.push({ time: timeOf(failure), occurrence, report });
    if (occurrences.length > MAX_TIMES) occurrences.shift();
    return occurrence;
  }
}

/** Key of an exception in its trace; undefined without a trace, because equal exceptions are then separate occurrences. */
function keyOf(failure: OtlpFailure): string | undefined {
  const { traceId } = traceOf(failure);
  const attributes = failureAttributes(failure);
  if (traceId === '' || !hasException(attributes)) return undefined;
  const parts = ['exception.type', 'exception.message', 'exception.stacktrace'].map((key) => attributes.get(key) ?? '');
  if (parts.every((part) => part === '')) return undefined;
  return traceId + parts.map(digestOf).join('');
}
