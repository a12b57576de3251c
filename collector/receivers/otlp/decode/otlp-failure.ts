import { isAtLeastLevel } from '../../../../core/event/level.js';
import { hopsIn } from '../../../otlp/faultline-record.js';
import type { OtlpAttributes, OtlpLogRecord, OtlpSpan, OtlpSpanEvent } from '../../../otlp/otlp-records.js';
import { hasException, type Level, levelOfSeverity } from '../../../otlp/severity.js';
import { printedLevelOf } from './log-entry.js';

/** A log record or span event that becomes an event. */
export type OtlpFailure =
  | {
      readonly signal: 'log';
      readonly record: OtlpLogRecord;
      /** The level in what a record without severity says. */
      readonly printedLevel?: string;
    }
  | { readonly signal: 'span_event'; readonly span: OtlpSpan; readonly event: OtlpSpanEvent };

/** The signal of a request. */
export type OtlpSignal = 'logs' | 'traces';

/**
 * Returns a log record as a failure if it has an exception or a high enough severity, or comes from another Faultline. One without severity
 * is a failure as the same line in a log file is.
 */
export function failureOfRecord(record: OtlpLogRecord, minSeverity: Level): OtlpFailure | undefined {
  const { severityNumber, severityText, eventName, attributes } = record;
  const level = levelOfSeverity(severityNumber, severityText);
  if (level !== undefined && isAtLeastLevel(level, minSeverity)) return { signal: 'log', record };
  if (eventName.endsWith('exception') || hasException(attributes) || hopsIn(attributes) > 0) {
    return { signal: 'log', record };
  }
  const printedLevel = level === undefined ? printedLevelOf(record) : undefined;
  if (printedLevel === undefined || !isAtLeastLevel(printedLevel, minSeverity)) return undefined;
  return { signal: 'log', record, printedLevel };
}

/** Whether a span event is an exception. */
export function isFailedSpanEvent(event: OtlpSpanEvent): boolean {
  return event.name === 'exception' || hasException(event.attributes);
}

/** Returns the attributes of the failure itself. */
export function failureAttributes(failure: OtlpFailure): OtlpAttributes {
  return failure.signal === 'log' ? failure.record.attributes : failure.event.attributes;
}

/** Returns the trace and span of a failure; each id may be empty. */
export function traceOf(failure: OtlpFailure): { readonly traceId: string; readonly spanId: string } {
  return failure.signal === 'log' ? failure.record : failure.span;
}

/** Returns the number of Faultlines that it passed; 0 from another sender. */
export function hopsOfFailure(failure: OtlpFailure): number {
  return failure.signal === 'log' ? hopsIn(failure.record.attributes) : 0;
}

/** Returns the time of a failure, nanoseconds since the epoch; 0 if unknown. */
export function timeOf(failure: OtlpFailure): bigint {
  if (failure.signal === 'span_event') return failure.event.timeUnixNano;
  const { timeUnixNano, observedTimeUnixNano } = failure.record;
  return timeUnixNano === 0n ? observedTimeUnixNano : timeUnixNano;
}
