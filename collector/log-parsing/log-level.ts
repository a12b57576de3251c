import type { JsonValue } from '../../core/event/json.js';

/** Lowest first, named as in the settings. */
const ORDER = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** Severity of a log line. */
export type LogSeverity = (typeof ORDER)[number];

const WORDS: Readonly<Record<LogSeverity, readonly string[]>> = {
  trace: ['trace', 'verbose', 'silly', 'finest', 'finer', 'trce', 'vrb'],
  debug: ['debug', 'fine', 'config', 'dbug', 'dbg'],
  info: ['info', 'information', 'informational', 'notice', 'log', 'http', 'default', 'success', 'inf'],
  warn: ['warn', 'warning', 'wrn'],
  error: ['error', 'err', 'severe', 'fail', 'eror'],
  fatal: ['fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency', 'panic', 'dpanic', 'ftl'],
};

const SEVERITY_OF_WORD = new Map(ORDER.flatMap((severity) => WORDS[severity].map((word) => [word, severity] as const)));

/** Numbers of pino and bunyan, lowest first. */
const NUMBERS = [
  { from: 60, severity: 'fatal' },
  { from: 50, severity: 'error' },
  { from: 40, severity: 'warn' },
  { from: 30, severity: 'info' },
  { from: 20, severity: 'debug' },
  { from: 10, severity: 'trace' },
] as const;

/** Indexed by syslog severity (RFC 5424, 6.2.1). */
const SYSLOG: readonly LogSeverity[] = ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'];

/** Parses a level, a word or a number; undefined for other values. The offset of slog's `ERROR+2` is ignored. */
export function parseSeverity(value: JsonValue | undefined): { severity: LogSeverity; word: string } | undefined {
  if (typeof value === 'number') {
    const severity = SYSLOG[value] ?? NUMBERS.find(({ from }) => value >= from)?.severity;
    return severity === undefined ? undefined : { severity, word: severity };
  }
  if (typeof value !== 'string' || value.length > 32) return undefined;
  const word = value
    .trim()
    .toLowerCase()
    .replace(/[+-]\d{1,3}$/, '');
  const severity = SEVERITY_OF_WORD.get(word);
  return severity === undefined ? undefined : { severity, word };
}

/** Whether a severity is `least` or higher. */
export function isAtLeastSeverity(severity: LogSeverity, least: LogSeverity): boolean {
  return ORDER.indexOf(severity) >= ORDER.indexOf(least);
}
