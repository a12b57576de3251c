import type { OtlpAttributes, OtlpLogRecord } from './otlp-records.js';

/** Levels from the lowest to the highest; each has four severity numbers of OpenTelemetry, from 1 on. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** A level as it stands in a raw payload. */
export type Level = (typeof LEVELS)[number];

const NUMBERS_PER_LEVEL = 4;
const LONGEST_TEXT = 32;

/** What loggers write for a level, in lower case and without the digit of OpenTelemetry's short names (`ERROR2`). */
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

/** Level of a log record by its number, else by its text; undefined when neither says one. Numbers beyond 24 are `fatal`. */
export function levelOfSeverity(severityNumber: number, severityText: string): Level | undefined {
  if (severityNumber >= 1) return LEVELS[Math.floor((severityNumber - 1) / NUMBERS_PER_LEVEL)] ?? 'fatal';
  if (severityText === '' || severityText.length > LONGEST_TEXT) return undefined;
  const text = severityText.trim().toLowerCase();
  return LEVEL_OF_TEXT.get(text) ?? LEVEL_OF_TEXT.get(text.replace(/[2-4]$/, ''));
}

/** Whether a level is another one or higher. */
export function isAtLeast(level: Level, lowest: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(lowest);
}

/** Whether attributes describe an exception, by the semantic conventions. */
export function hasException(attributes: OtlpAttributes): boolean {
  for (const key of attributes.keys()) if (key.startsWith('exception.')) return true;
  return false;
}

/** The level of a record that does not name another one. */
export function levelOf(record: Pick<OtlpLogRecord, 'severityNumber' | 'severityText' | 'attributes'>): string {
  const level = levelOfSeverity(record.severityNumber, record.severityText);
  return level ?? (hasException(record.attributes) ? 'error' : 'info');
}
