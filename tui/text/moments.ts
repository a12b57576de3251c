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

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const DAY_MS = 86_400_000;
const DATE_LENGTH = '2026-11-20'.length;

/** The reference and the zone of times in sentences. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly zone: Zone;
}

/** The day of a time: `today`, `yesterday`, `21 Nov`, or `21 Nov 2025` in another year; `?` for an invalid time. */
export function dayWords(time: string, { nowMs, zone }: Clock): Visible {
  const date = clockTime(time, 'full', zone).slice(0, DATE_LENGTH);
  if (date === dateAt(nowMs, zone)) return literal('today');
  return date === dateAt(nowMs - DAY_MS, zone) ? literal('yesterday') : dateWords(date, dateAt(nowMs, zone));
}

/** A time in a sentence: `20:14` today, else with its date: `21 Nov 20:28`. */
export function momentWords(time: string, clock: Clock): Visible {
  const shown = timeOfDay(time, clock).slice(0, 'hh:mm'.length);
  const date = clockTime(time, 'full', clock.zone).slice(0, DATE_LENGTH);
  const today = dateAt(clock.nowMs, clock.zone);
  return literal(date === today ? shown : `${dateWords(date, today)} ${shown}`);
}

/** A time in 12 cells for columns: today `20:34:08.798`, this year `21 Nov 22:03`, else `21 Nov 2025`; `?` for an invalid one. */
export function columnTime(time: string, clock: Clock): Visible {
  if (Number.isNaN(Date.parse(time))) return literal('?');
  const date = clockTime(time, 'full', clock.zone).slice(0, DATE_LENGTH);
  const today = dateAt(clock.nowMs, clock.zone);
  if (date === today) return literal(timeOfDay(time, clock) + new Date(time).toISOString().slice(19, 23));
  return date.slice(0, 4) === today.slice(0, 4) ? momentWords(time, clock) : dateWords(date, today);
}

/** The time of day with seconds. */
export function timeOfDay(time: string, { zone }: Clock): Visible {
  return literal(clockTime(time, 'full', zone).slice(DATE_LENGTH + 1));
}

function dateAt(ms: number, zone: Zone): string {
  return clockTime(new Date(ms).toISOString(), 'full', zone).slice(0, DATE_LENGTH);
}

function dateWords(date: string, today: string): Visible {
  const [year, month, day] = date.split('-');
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return literal('?');
  return literal(`${Number(day)} ${name}${year === today.slice(0, 4) ? '' : ` ${year}`}`);
}
