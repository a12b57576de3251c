import { LRUCache } from 'lru-cache';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';
import { unqualifiedName } from '../mapping/exception-attributes.js';
import { digestOf, type NewOccurrence } from './new-occurrence.js';

/** A report that counts its occurrence. */
export interface CountedReport {
  readonly key: string;
  readonly signal: OtlpFailure['signal'];
  readonly time: bigint;
  /** Digest, empty if missing; as is `rootFrame`. */
  readonly message: string;
  readonly rootFrame: string;
  readonly occurrence: NewOccurrence;
  /** Whether the other signal has reported the occurrence as well. */
  isPaired: boolean;
}

/** What two reports of one occurrence have in common. */
type ReportMark = Pick<CountedReport, 'key' | 'signal' | 'time' | 'message' | 'rootFrame'>;

const MAX_KEYS = 10_000;
const MAX_REPORTS = 100;
/** UTF-16 units of a stack that are searched for a frame. */
const MAX_SEARCHED = 8_192;
const FRAME = /^[ \t]*(?:at |#0|File ")[^\n]*/m;

/**
 * Recent exceptions of spans, to recognise one that is reported as a log record and as a span event with another stack: OpenTelemetry for
 * Python ends the one where it is logged and the other where the span ends. Each report pairs with at most one of the other signal, the
 * nearest in time, so an exception that happens twice within a span counts twice. Bounded in time and number.
 */
export class OccurrencePairs {
  readonly #entries: LRUCache<string, CountedReport[]>;

  constructor(windowMs: number, nowMs: () => number) {
    this.#entries = new LRUCache({
      // As in `ExceptionDedup`.
      maxSize: MAX_KEYS,
      sizeCalculation: () => 1,
      ttl: Math.ceil(windowMs),
      ttlResolution: 0,
      perf: { now: nowMs },
    });
  }

  /** Finds the report of the other signal that counts the same occurrence, and pairs it. */
  pair(mark: ReportMark): CountedReport | undefined {
    let nearest: CountedReport | undefined;
    for (const report of this.#entries.peek(mark.key) ?? []) {
      if (report.isPaired || report.signal === mark.signal || !isSame(report, mark)) continue;
      if (nearest === undefined || distance(report, mark) < distance(nearest, mark)) nearest = report;
    }
    if (nearest !== undefined) nearest.isPaired = true;
    return nearest;
  }

  add(report: CountedReport): void {
    const reports = this.#entries.peek(report.key) ?? [];
    if (reports.push(report) > MAX_REPORTS) reports.shift();
    if (reports.length === 1) this.#entries.set(report.key, reports);
  }

  remove(report: CountedReport): void {
    const reports = this.#entries.peek(report.key) ?? [];
    const index = reports.indexOf(report);
    if (index >= 0) reports.splice(index, 1);
    if (reports.length === 0) this.#entries.delete(report.key);
  }
}

/** Returns what identifies the occurrence of an exception with a trace id; undefined without a span id or a type. */
export function markOf(failure: OtlpFailure): ReportMark | undefined {
  const { traceId, spanId } = traceOf(failure);
  const attributes = failureAttributes(failure);
  const text = (name: string): string => {
    const value = attributes.get(name);
    return typeof value === 'string' ? value : '';
  };
  const type = unqualifiedName(text('exception.type'));
  if (spanId === '' || type === '') return undefined;
  const message = text('exception.message');
  const rootFrame = rootFrameOf(text('exception.stacktrace'));
  return {
    key: `${traceId} ${spanId}${digestOf(type)}`,
    signal: failure.signal,
    time: timeOf(failure),
    message: message === '' ? '' : digestOf(message),
    rootFrame: rootFrame === '' ? '' : digestOf(rootFrame),
  };
}

/** The line of the frame that raised the exception, in Python the last one; empty if the stack has another form. */
function rootFrameOf(stack: string): string {
  const start = stack.lastIndexOf('\n  File "') + 1;
  return FRAME.exec(stack.slice(start, start + MAX_SEARCHED))?.[0].trim() ?? '';
}

function isSame(one: ReportMark, other: ReportMark): boolean {
  if (one.message !== '' && one.message === other.message) return true;
  return one.rootFrame !== '' && one.rootFrame === other.rootFrame;
}

function distance({ time: one }: ReportMark, { time: other }: ReportMark): bigint {
  return one > other ? one - other : other - one;
}
