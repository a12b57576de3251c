import type { JsonValue } from '../../core/event/json.js';
import { levelSeverity } from '../../core/normalize/level.js';

/** Indexed by the numbers of pino and bunyan, divided by ten. */
const TENS = ['', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** Indexed by syslog severity (RFC 5424, 6.2.1). */
const SYSLOG = ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'] as const;

/** Parses a level, a word or a number; undefined for other values. The offset of slog's `ERROR+2` is left out. */
export function parseLogLevel(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return SYSLOG[value] ?? (TENS[Math.min(6, Math.floor(value / 10))] || undefined);
  if (typeof value !== 'string' || levelSeverity(value) === 0) return undefined;
  return value
    .trim()
    .toLowerCase()
    .replace(/[+-]\d{1,3}$/, '');
}
