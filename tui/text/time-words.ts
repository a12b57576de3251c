import { literal, type Visible } from './visible.js';

const UNKNOWN = literal('?');
const SECOND_MS = 1_000;
const UNITS = [
  { suffix: 'y', ms: 365 * 24 * 3_600 * SECOND_MS },
  { suffix: 'd', ms: 24 * 3_600 * SECOND_MS },
  { suffix: 'h', ms: 3_600 * SECOND_MS },
  { suffix: 'm', ms: 60 * SECOND_MS },
  { suffix: 's', ms: SECOND_MS },
] as const;

/** The age of a time in at most four cells: `now` (under a minute, or in the future), `12m`, `3h`, `365d`, `2y`; `?` for an invalid time. */
export function relativeTime(time: string, nowMs: number): Visible {
  const ageMs = nowMs - Date.parse(time);
  if (Number.isNaN(ageMs)) return UNKNOWN;
  const unit = UNITS.find(({ ms, suffix }) => suffix !== 's' && ageMs >= ms);
  return literal(unit === undefined ? 'now' : `${Math.floor(ageMs / unit.ms)}${unit.suffix}`);
}

/** The age of a time for sentences: `now`, `3m ago`. */
export function ago(time: string, nowMs: number): Visible {
  const relative = relativeTime(time, nowMs);
  return relative === 'now' || relative === UNKNOWN ? relative : literal(`${relative} ago`);
}

/** A rest of time in minutes below two hours, in hours below two days, else in days: `90m`, `16h`, `6d`. */
export function spanWords(ms: number): Visible {
  const unit = DURATION_UNITS.find(
    ({ ms: unitMs, suffix }) => suffix !== 's' && ms >= (suffix === 'm' ? 1 : 2) * unitMs,
  );
  return literal(unit === undefined ? '1m' : `${Math.round(ms / unit.ms)}${unit.suffix}`);
}

export type Zone = 'utc' | 'local';

/** Date and time of day: `2026-11-20 10:11:12`, or with `short` `11-20 10:11:12`; `?` for an invalid time. */
export function clockTime(time: string, form: 'full' | 'short', zone: Zone = 'utc'): Visible {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return UNKNOWN;
  // Shifted by the offset, so that `toISOString` prints local time.
  const shownMs = zone === 'utc' ? ms : ms - new Date(ms).getTimezoneOffset() * 60 * SECOND_MS;
  const text = new Date(shownMs).toISOString().slice(0, 19).replace('T', ' ');
  return literal(form === 'full' ? text : text.slice(5));
}

/** Durations have no years. */
const DURATION_UNITS = UNITS.slice(1);

/** A duration in its two greatest units: `1d 6h`, `15m`, `2m 30s`, `800ms`. */
export function durationWords(ms: number): Visible {
  const index = DURATION_UNITS.findIndex((unit) => ms >= unit.ms);
  const [unit, next] = [DURATION_UNITS[index], DURATION_UNITS[index + 1]];
  if (unit === undefined) return literal(`${Math.max(0, Math.round(ms))}ms`);
  const rest = next === undefined ? 0 : Math.floor((ms % unit.ms) / next.ms);
  const more = rest === 0 || next === undefined ? '' : ` ${rest}${next.suffix}`;
  return literal(`${Math.floor(ms / unit.ms)}${unit.suffix}${more}`);
}

export function zoneWord(zone: Zone): 'UTC' | 'local' {
  return zone === 'utc' ? 'UTC' : 'local';
}
