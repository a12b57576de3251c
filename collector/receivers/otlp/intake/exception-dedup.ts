import { crc32 } from '@node-rs/crc32';
import { LRUCache } from 'lru-cache';
import { unqualifiedName } from '../../../../core/event/class-name.js';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { hasException } from '../../../otlp/severity.js';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';
import { type Claim, NewOccurrence } from './new-occurrence.js';

interface ExceptionDedupOptions {
  /** How long the reports of a trace are remembered after its latest; `Infinity`: until newer ones evict them. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Reports of all traces, and of one. */
const MAX_REPORTS = 10_000;
const MAX_REPORTS_OF_TRACE = 1_000;
const MAX_TYPE = 256;
/** UTF-16 units of a stack that are searched for a frame. */
const MAX_SEARCHED = 8_192;
const FRAME = /^[ \t]*(?:at |#0|File ")[^\n]*/m;
const PYTHON_FRAME = '  File "';

/**
 * Recently reported exceptions by trace. An exception may be recorded on every span that it passes, and again as a log record (`logs/dup`).
 * The same exception of a trace is a new occurrence only if the same span and signal report it with another time. A log record and a span
 * event with another stack are one occurrence as well, but both are stored (decision 0033). Reports under two services are two occurrences.
 * Bounded in time and number; beyond the number, the trace that was reported longest ago is forgotten.
 */
export class ExceptionDedup {
  readonly #reports: LRUCache<string, readonly ExceptionReport[]>;

  constructor({ windowMs, nowMs = () => performance.now() }: ExceptionDedupOptions) {
    this.#reports = new LRUCache({
      maxSize: MAX_REPORTS,
      sizeCalculation: (reports) => reports.length,
      ttl: windowMs === Number.POSITIVE_INFINITY ? 0 : Math.ceil(windowMs),
      ttlResolution: 0,
      perf: { now: nowMs },
    });
  }

  /** `payload`: what the failure is mapped to. */
  claim(failure: OtlpFailure, payload: JsonObject): Claim {
    const exception = readException(failure, payload);
    if (exception === undefined) return new NewOccurrence();
    const { traceId } = traceOf(failure);
    const reports = this.#reports.get(traceId) ?? [];
    const repeated = repeatedReport(reports, exception);
    if (repeated !== undefined) {
      if (repeated.exception.signal !== exception.signal) repeated.isPaired = true;
      return repeated.repeat();
    }
    const report = new ExceptionReport(exception, nearestOtherHalf(reports, exception));
    this.#reports.set(traceId, [...reports.slice(1 - MAX_REPORTS_OF_TRACE), report]);
    return report;
  }
}

/** What a report says; of texts only digests, so that remembered reports hold no text. A digest is undefined where the report says nothing. */
interface ReportedException {
  readonly signal: OtlpFailure['signal'];
  readonly spanId: string;
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  /** The names of app and service. */
  readonly service: number | undefined;
  readonly type: number | undefined;
  readonly message: number | undefined;
  readonly stack: number | undefined;
  /** The name of its class; without it the report cannot be paired. */
  readonly className: number | undefined;
  /** The frame that raised it. */
  readonly rootFrame: number | undefined;
}

/** The first report of an exception by its signal; stays remembered until its trace is forgotten. */
class ExceptionReport extends NewOccurrence {
  readonly exception: ReportedException;
  /** The report of the other signal that counts the occurrence; undefined: this one counts it. */
  readonly #otherHalf: ExceptionReport | undefined;
  /** Whether the other signal has reported the occurrence as well. */
  isPaired: boolean;
  /** A refused report equals no other one any more, but still keeps its trace remembered. */
  isRefused = false;

  constructor(exception: ReportedException, otherHalf: ExceptionReport | undefined) {
    super(otherHalf?.repeat());
    this.exception = exception;
    this.#otherHalf = otherHalf;
    this.isPaired = otherHalf !== undefined;
    if (otherHalf !== undefined) otherHalf.isPaired = true;
  }

  protected override onEnd(isRefused: boolean): void {
    this.isRefused = isRefused;
    if (isRefused && this.#otherHalf !== undefined) this.#otherHalf.isPaired = false;
  }
}

/** Returns undefined without a trace or an exception, because equal failures are then separate occurrences. */
function readException(failure: OtlpFailure, payload: JsonObject): ReportedException | undefined {
  const { traceId, spanId } = traceOf(failure);
  const attributes = failureAttributes(failure);
  if (traceId === '' || !hasException(attributes)) return undefined;
  const typeName = attributes.get('exception.type');
  const stackText = attributes.get('exception.stacktrace');
  const type = digestOf(typeName);
  const message = digestOf(attributes.get('exception.message'));
  const stack = digestOf(stackText);
  if (type === undefined && message === undefined && stack === undefined) return undefined;
  const isPairable = spanId !== '' && typeof typeName === 'string' && typeName.length <= MAX_TYPE;
  return {
    signal: failure.signal,
    spanId,
    time: timeOf(failure),
    service: digestOf(`${payload['app']}\n${payload['service']}`),
    type,
    message,
    stack,
    className: isPairable ? digestOf(unqualifiedName(typeName)) : undefined,
    rootFrame: isPairable && typeof stackText === 'string' ? digestOf(rootFrameOf(stackText)) : undefined,
  };
}

/** Returns the first report of the same occurrence. */
function repeatedReport(
  reports: readonly ExceptionReport[],
  exception: ReportedException,
): ExceptionReport | undefined {
  const same = reports.filter((report) => !report.isRefused && isSameException(report.exception, exception));
  const [first] = same;
  const isSameOrigin = first?.exception.signal === exception.signal && first.exception.spanId === exception.spanId;
  return isSameOrigin ? same.find((report) => report.exception.time === exception.time) : first;
}

function isSameException(one: ReportedException, other: ReportedException): boolean {
  return (
    one.service === other.service &&
    one.message === other.message &&
    one.stack === other.stack &&
    one.type === other.type
  );
}

/** Returns the report of the other signal that counts the same occurrence; of several the nearest in time. */
function nearestOtherHalf(
  reports: readonly ExceptionReport[],
  exception: ReportedException,
): ExceptionReport | undefined {
  let nearest: ExceptionReport | undefined;
  for (const report of reports) {
    if (report.isRefused || report.isPaired || !isOtherHalf(report.exception, exception)) continue;
    if (nearest === undefined || distance(report, exception) < distance(nearest, exception)) nearest = report;
  }
  return nearest;
}

/**
 * Whether an earlier report is of the other signal and of the same occurrence: OpenTelemetry for Python ends the stack of the one where it
 * is logged and of the other where the span ends. Each report pairs with one other, so an exception that happens twice in a span counts twice.
 * An earlier report without a stack does not count one that has it, because the latter is an issue of its own.
 */
function isOtherHalf(earlier: ReportedException, later: ReportedException): boolean {
  if (earlier.signal === later.signal || earlier.service !== later.service || earlier.spanId !== later.spanId)
    return false;
  if (earlier.className === undefined || earlier.className !== later.className) return false;
  if (earlier.stack === undefined && later.stack !== undefined) return false;
  const hasSameMessage = earlier.message !== undefined && earlier.message === later.message;
  return hasSameMessage || (earlier.rootFrame !== undefined && earlier.rootFrame === later.rootFrame);
}

function distance({ exception }: ExceptionReport, { time }: ReportedException): bigint {
  return exception.time > time ? exception.time - time : time - exception.time;
}

/** Digests of type, message and stack together are enough to distinguish the exceptions of one trace. */
function digestOf(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  return crc32(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns the line of the frame that raised the exception, in Python the last one; empty if the stack has another form. */
function rootFrameOf(stack: string): string {
  const first = frameIn(stack);
  const isPython = first.startsWith(PYTHON_FRAME);
  return (isPython ? frameIn(stack.slice(stack.lastIndexOf(`\n${PYTHON_FRAME}`) + 1)) : first).trim();
}

function frameIn(text: string): string {
  return FRAME.exec(text.slice(0, MAX_SEARCHED))?.[0] ?? '';
}
