import { crc32 } from '@node-rs/crc32';
import { LRUCache } from 'lru-cache';
import type { JsonValue } from '../../../../core/event/json.js';
import { hasException } from '../../../otlp/severity.js';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';
import { unqualifiedName } from '../mapping/exception-attributes.js';
import { type Claim, NewOccurrence } from './new-occurrence.js';

interface ExceptionDedupOptions {
  /** How long the reports of a trace are remembered after its latest; `Infinity`: until newer ones evict them. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** What one report says of an exception; digests are 0 where it says nothing. */
interface ReportedException {
  readonly signal: OtlpFailure['signal'];
  readonly spanId: string;
  readonly time: bigint;
  readonly type: number;
  readonly message: number;
  readonly stack: number;
  /** 0 if the report cannot be paired. */
  readonly className: number;
  readonly rootFrame: number;
}

/** Reports of all traces, and of one. */
const MAX_REPORTS = 10_000;
const MAX_REPORTS_OF_TRACE = 1_000;
const MAX_TYPE = 256;
/** UTF-16 units of a stack that are searched for a frame. */
const MAX_SEARCHED = 8_192;
const FRAME = /^[ \t]*(?:at |#0|File ")[^\n]*/m;
const PYTHON_FRAME = '\n  File "';
const ALWAYS_NEW = new NewOccurrence();
/** Spreads lengths over 32 bits. */
const HASH_FACTOR = 0x9e3779b1;
/** Shorter texts are hashed here: calling `crc32` takes longer. */
const SHORT_TEXT = 160;

/**
 * Recently reported exceptions. An exception may be recorded on every span that it passes, and again as a log record (`logs/dup`). The same
 * exception of a trace is a new occurrence only if the same span and signal report it with another time. A log record and a span event
 * with another stack are one occurrence as well, but both are stored (decision 0033). Bounded in time and number.
 */
export class ExceptionDedup {
  readonly #traces: Traces;

  constructor({ windowMs, nowMs = () => performance.now() }: ExceptionDedupOptions) {
    this.#traces = new LRUCache({
      // `max` would allocate everything at once, and without a window each request has its own instance.
      maxSize: MAX_REPORTS,
      sizeCalculation: (reports) => reports.length,
      ttl: windowMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(windowMs),
      ttlResolution: 0,
      perf: { now: nowMs },
    });
  }

  claim(failure: OtlpFailure): Claim {
    const reported = readException(failure);
    if (reported === undefined) return ALWAYS_NEW;
    const { traceId } = traceOf(failure);
    const reports = this.#traces.peek(traceId) ?? [];
    const { signal, spanId, time } = reported;
    const first = reports.find(({ exception }) => isSameException(exception, reported));
    if (first === undefined) return this.#add(traceId, reports, reported);
    const isSameOrigin = first.exception.signal === signal && first.exception.spanId === spanId;
    const repeated = isSameOrigin
      ? reports.find(({ exception }) => exception.time === time && isSameException(exception, reported))
      : first;
    if (repeated === undefined) return this.#add(traceId, reports, reported);
    if (repeated.exception.signal !== signal) repeated.isPaired = true;
    return repeated.repeat();
  }

  #add(traceId: string, reports: Report[], reported: ReportedException): Report {
    const report = new Report(this.#traces, traceId, reported, nearestUnpaired(reports, reported));
    if (reports.push(report) > MAX_REPORTS_OF_TRACE) reports.shift();
    // Without this, a list that is set again keeps the size that it had first.
    if (reports.length > 1) this.#traces.delete(traceId);
    this.#traces.set(traceId, reports);
    return report;
  }
}

/** By trace id, oldest report first. */
type Traces = LRUCache<string, Report[]>;

/** The first report of an exception, or one of the other signal. */
class Report extends NewOccurrence {
  readonly exception: ReportedException;
  /** Whether the other signal has reported the occurrence as well. */
  isPaired: boolean;
  readonly #traces: Traces;
  readonly #traceId: string;
  #counted: Report | undefined;

  constructor(traces: Traces, traceId: string, exception: ReportedException, counted: Report | undefined) {
    super(counted?.repeat());
    this.exception = exception;
    this.isPaired = counted !== undefined;
    this.#traces = traces;
    this.#traceId = traceId;
    this.#counted = counted;
    if (counted !== undefined) counted.isPaired = true;
  }

  protected override onEnd(isRefused: boolean): void {
    const counted = this.#counted;
    this.#counted = undefined;
    if (!isRefused) return;
    if (counted !== undefined) counted.isPaired = false;
    const reports = this.#traces.peek(this.#traceId) ?? [];
    const index = reports.indexOf(this);
    if (index >= 0) reports.splice(index, 1);
    if (index >= 0 && reports.length === 0) this.#traces.delete(this.#traceId);
  }
}

/** Returns undefined without a trace or an exception, because equal failures are then separate occurrences. */
function readException(failure: OtlpFailure): ReportedException | undefined {
  const { traceId, spanId } = traceOf(failure);
  const attributes = failureAttributes(failure);
  if (traceId === '' || !hasException(attributes)) return undefined;
  const name = attributes.get('exception.type');
  const trace = attributes.get('exception.stacktrace');
  const [type, message, stack] = [digestOf(name), digestOf(attributes.get('exception.message')), digestOf(trace)];
  if (type === 0 && message === 0 && stack === 0) return undefined;
  const isPairable = spanId !== '' && typeof name === 'string' && name.length <= MAX_TYPE;
  const className = isPairable ? digestOf(unqualifiedName(name)) : 0;
  const rootFrame = className !== 0 && typeof trace === 'string' ? digestOf(rootFrameOf(trace)) : 0;
  return { signal: failure.signal, spanId, time: timeOf(failure), type, message, stack, className, rootFrame };
}

/**
 * Digests of type, message and stack together are enough to distinguish exceptions of one trace, and hold no text. V8 stores a number of 32 bits
 * without an object of its own.
 */
function digestOf(value: JsonValue | undefined): number {
  if (value === undefined || value === '') return 0;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  let hash = Math.imul(text.length, HASH_FACTOR);
  if (text.length > SHORT_TEXT) return (crc32(text) ^ hash) | 0 || 1;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_FACTOR);
  return hash | 0 || 1;
}

/** Returns the line of the frame that raised the exception, in Python the last one; empty if the stack has another form. */
function rootFrameOf(stack: string): string {
  // `includes` is many times as fast as `lastIndexOf`.
  const start = stack.includes(PYTHON_FRAME) ? stack.lastIndexOf(PYTHON_FRAME) + 1 : 0;
  return FRAME.exec(stack.slice(start, start + MAX_SEARCHED))?.[0].trim() ?? '';
}

function isSameException(one: ReportedException, other: ReportedException): boolean {
  return one.message === other.message && one.stack === other.stack && one.type === other.type;
}

/**
 * Returns the report of the other signal that counts the same occurrence: OpenTelemetry for Python ends the stack of the one where it is
 * logged and of the other where the span ends. Each report pairs with one other, so an exception that happens twice in a span counts twice.
 */
function nearestUnpaired(reports: readonly Report[], reported: ReportedException): Report | undefined {
  let nearest: Report | undefined;
  for (const report of reports) {
    const { exception, isPaired } = report;
    if (isPaired || exception.signal === reported.signal || !isSameOccurrence(exception, reported)) continue;
    if (nearest === undefined || distance(exception, reported) < distance(nearest.exception, reported))
      nearest = report;
  }
  return nearest;
}

function isSameOccurrence(one: ReportedException, other: ReportedException): boolean {
  if (one.className === 0 || one.className !== other.className || one.spanId !== other.spanId) return false;
  if (one.message !== 0 && one.message === other.message) return true;
  return one.rootFrame !== 0 && one.rootFrame === other.rootFrame;
}

function distance({ time: one }: ReportedException, { time: other }: ReportedException): bigint {
  return one > other ? one - other : other - one;
}
