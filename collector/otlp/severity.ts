import { levelSeverity } from '../../core/normalize/level.js';
import type { OtlpAttributes, OtlpLogRecord } from './otlp-records.js';

/** OpenTelemetry's names, lowest first; each level has four severity numbers, starting at 1. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** A level of a raw payload. */
export type Level = (typeof LEVELS)[number];

const NUMBERS_PER_LEVEL = 4;
/** Returns the level of a severity number, else of the text; undefined if both are unknown. Numbers above 24 are `fatal`. */
export function levelOfSeverity(severityNumber: number, severityText: string): Level | undefined {
  if (severityNumber >= 1) return LEVELS[Math.floor((severityNumber - 1) / NUMBERS_PER_LEVEL)] ?? 'fatal';
  return LEVELS[levelSeverity(severityText) - 1];
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
