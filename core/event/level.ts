import type { RawPayload } from './raw-payload.js';

/** Levels of the normalized event, lowest first, with other names for them in loggers and protocols. */
const LEVELS: readonly (readonly [level: string, ...names: string[]])[] = [
  ['trace', 'verbose', 'silly', 'finest', 'finer', 'trce', 'vrb'],
  ['debug', 'fine', 'config', 'dbug', 'dbg'],
  ['info', 'information', 'informational', 'notice', 'log', 'http', 'default', 'success', 'inf'],
  ['warning', 'warn', 'wrn'],
  ['error', 'err', 'severe', 'fail', 'eror'],
  ['critical', 'fatal', 'crit', 'alert', 'emerg', 'emergency', 'panic', 'dpanic', 'ftl'],
];
const SEVERITIES: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap((names, index) => names.map((name): [string, number] => [name, index + 1])),
);
const LONGEST_NAME = 32;
/** The digit of OpenTelemetry's short names (`ERROR2`) and the offset of slog (`ERROR+2`). */
const STEP = /(?:[2-4]|[+-]\d{1,3})$/;
const DEFAULT_LEVEL = 'error';

/** The severity of a level by any of its names: 1 for `trace` to 6 for `critical`; 0 for unknown levels. */
export function levelSeverity(level: string): number {
  const severity = SEVERITIES.get(level);
  if (severity !== undefined) return severity;
  if (level.length > LONGEST_NAME) return 0;
  const name = level.trim().toLowerCase();
  return SEVERITIES.get(name) ?? SEVERITIES.get(name.replace(STEP, '')) ?? 0;
}

/** The level of a severity from 1 to 6. */
export function levelName(severity: number): string {
  return LEVELS[severity - 1]?.[0] ?? '';
}

/** The level that a name stands for, such as `warning` for `WARN`; unknown levels stay as they are. */
export function normalizeLevel(level: string): string {
  return levelName(levelSeverity(level)) || level;
}

/** The level of a normalized event; `error` for a payload without one. */
export function levelOf({ level }: Pick<RawPayload, 'level'>): string {
  return level === null ? DEFAULT_LEVEL : normalizeLevel(level);
}

/** Whether a level is `lowest` or higher; false for unknown levels. */
export function isAtLeastLevel(level: string, lowest: string): boolean {
  return levelSeverity(level) >= levelSeverity(lowest);
}
