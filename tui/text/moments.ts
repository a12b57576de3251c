import { clockTime, type Zone } from './time-words.js';
import { literal, type Visible } from './visible.js';

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
