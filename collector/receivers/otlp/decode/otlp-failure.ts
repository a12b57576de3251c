import { hopsIn } from '../../../otlp/faultline-record.js';
import type { OtlpAttributes, OtlpLogRecord, OtlpSpan, OtlpSpanEvent } from '../../../otlp/otlp-records.js';
import { hasException, isAtLeast, type Level, levelOfSeverity } from '../../../otlp/severity.js';

/** What becomes an event: a log record, or an exception that was recorded on a span. */
export type OtlpFailure =
  | { readonly signal: 'log'; readonly record: OtlpLogRecord }
  | { readonly signal: 'span_event'; readonly span: OtlpSpan; readonly event: OtlpSpanEvent };

/** Signals by the path that they are sent to. */
export type OtlpSignal = 'logs' | 'traces';

/** Whether a log record becomes an event: it carries an exception, its severity is high enough, or it was an event of another Faultline. */
export function isFailedRecord(record: OtlpLogRecord, minSeverity: Level): boolean {
  const level = levelOfSeverity(record.severityNumber, record.severityText);
  if (level !== undefined && isAtLeast(level, minSeverity)) return true;
  return record.eventName.endsWith('exception') || hasException(record.attributes) || hopsIn(record.attributes) > 0;
}

/** Whether something that happened during a span becomes an event. */
export function isFailedSpanEvent(event: OtlpSpanEvent): boolean {
  return event.name === 'exception' || hasException(event.attributes);
}

/** The attributes that describe the failure itself. */
export function failureAttributes(failure: OtlpFailure): OtlpAttributes {
  return failure.signal === 'log' ? failure.record.attributes : failure.event.attributes;
}

/** What a failure belongs to; each may be empty. */
export function traceOf(failure: OtlpFailure): { readonly traceId: string; readonly spanId: string } {
  return failure.signal === 'log' ? failure.record : failure.span;
}

/** Over how many Faultlines it came; 0 where it comes from any other sender. */
export function hopsOfFailure(failure: OtlpFailure): number {
  return failure.signal === 'log' ? hopsIn(failure.record.attributes) : 0;
}

/** When it happened, nanoseconds since the epoch; 0 when nobody says. */
export function timeOf(failure: OtlpFailure): bigint {
  if (failure.signal === 'span_event') return failure.event.timeUnixNano;
  const { timeUnixNano, observedTimeUnixNano } = failure.record;
  return timeUnixNano === 0n ? observedTimeUnixNano : timeUnixNano;
}
