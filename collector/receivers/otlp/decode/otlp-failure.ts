import { isAtLeastLevel } from '../../../../core/normalize/level.js';
import { hopsIn } from '../../../otlp/faultline-record.js';
import type { OtlpAttributes, OtlpLogRecord, OtlpSpan, OtlpSpanEvent } from '../../../otlp/otlp-records.js';
import { hasException, type Level, levelOfSeverity } from '../../../otlp/severity.js';

/** A log record or span event that becomes an event. */
export type OtlpFailure =
  | { readonly signal: 'log'; readonly record: OtlpLogRecord }
  | { readonly signal: 'span_event'; readonly span: OtlpSpan; readonly event: OtlpSpanEvent };

/** The signal of a request. */
export type OtlpSignal = 'logs' | 'traces';

/** Whether a log record has an exception or a high enough severity, or comes from another Faultline. */
export function isFailedRecord(record: OtlpLogRecord, minSeverity: Level): boolean {
  const level = levelOfSeverity(record.severityNumber, record.severityText);
  if (level !== undefined && isAtLeastLevel(level, minSeverity)) return true;
  return record.eventName.endsWith('exception') || hasException(record.attributes) || hopsIn(record.attributes) > 0;
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
