import { levelSeverity } from '../../core/event/level.js';
import { levelOnScale } from '../../core/event/validate/level-in-record.js';
import type { OtlpAttributes, OtlpLogRecord } from './otlp-records.js';

/** OpenTelemetry's names, lowest first. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** A level of a raw payload. */
export type Level = (typeof LEVELS)[number];

/** Returns the level of a severity number, else of the text; undefined if both are unknown. */
export function levelOfSeverity(severityNumber: number, severityText: string): Level | undefined {
  return LEVELS[levelSeverity(levelOnScale('opentelemetry', severityNumber) ?? severityText) - 1];
}

/** Whether attributes describe an exception, by the semantic conventions. */
export function hasException(attributes: OtlpAttributes): boolean {
  for (const key of attributes.keys()) if (key.startsWith('exception.')) return true;
  return false;
}

/** Returns the level of a record; default `error` with an exception, else `info`. */
export function recordLevel(record: Pick<OtlpLogRecord, 'severityNumber' | 'severityText' | 'attributes'>): string {
  const level = levelOfSeverity(record.severityNumber, record.severityText);
  return level ?? (hasException(record.attributes) ? 'error' : 'info');
}
