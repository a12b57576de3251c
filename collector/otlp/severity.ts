import type { OtlpAttributes, OtlpLogRecord } from './otlp-records.js';

/** Lowest first; each level has four OpenTelemetry severity numbers, starting at 1. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** A level of a raw payload. */
export type Level = (typeof LEVELS)[number];

const NUMBERS_PER_LEVEL = 4;
const LONGEST_TEXT = 32;

/** Level names of loggers, in lower case and without the digit of OpenTelemetry's short names (`ERROR2`). */
const LEVEL_OF_TEXT: ReadonlyMap<string, Level> = new Map<string, Level>([
  ['trace', 'trace'],
  ['finest', 'trace'],
  ['verbose', 'trace'],
  ['debug', 'debug'],
  ['fine', 'debug'],
  ['info', 'info'],
  ['information', 'info'],
  ['informational', 'info'],
  ['notice', 'info'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['err', 'error'],
  ['error', 'error'],
  ['severe', 'error'],
  ['alert', 'fatal'],
  ['crit', 'fatal'],
  ['critical', 'fatal'],
  ['emerg', 'fatal'],
  ['emergency', 'fatal'],
  ['fatal', 'fatal'],
  ['panic', 'fatal'],
]);

/** Returns the level of a severity number, else of the text; undefined if both are unknown. Numbers above 24 are `fatal`. */
export function levelOfSeverity(severityNumber: number, severityText: string): Level | undefined {
  if (severityNumber >= 1) return LEVELS[Math.floor((severityNumber - 1) / NUMBERS_PER_LEVEL)] ?? 'fatal';
  if (severityText === '' || severityText.length > LONGEST_TEXT) return undefined;
  const text = severityText.trim().toLowerCase();
  return LEVEL_OF_TEXT.get(text) ?? LEVEL_OF_TEXT.get(text.replace(/[2-4]$/, ''));
}

/** Whether a level is `lowest` or higher. */
export function isAtLeastLevel(level: Level, lowest: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(lowest);
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
