import { clockTime, type Zone } from './relative-time.js';
import { ownWords, type Visible } from './visible.js';

const UNITS = [
  { suffix: 'd', ms: 86_400_000 },
  { suffix: 'h', ms: 3_600_000 },
  { suffix: 'm', ms: 60_000 },
  { suffix: 's', ms: 1_000 },
] as const;
const DATE_LENGTH = '2026-11-20 '.length;

/** A length of time in its two greatest units: `1d 6h`, `15m`, `2m 30s`, `800ms`. */
export function durationWords(ms: number): Visible {
  const place = UNITS.findIndex((unit) => ms >= unit.ms);
  const [unit, next] = [UNITS[place], UNITS[place + 1]];
  if (unit === undefined) return ownWords(`${Math.max(0, Math.round(ms))}ms`);
  const rest = next === undefined ? 0 : Math.floor((ms % unit.ms) / next.ms);
  const more = rest === 0 || next === undefined ? '' : ` ${rest}${next.suffix}`;
  return ownWords(`${Math.floor(ms / unit.ms)}${unit.suffix}${more}`);
}

/** From one time to another; the date of the second only where it is another: `2026-11-20 10:00:00 to 10:15:00`. */
export function betweenWords(from: string, to: string, zone: Zone): Visible {
  const [start, end] = [clockTime(from, 'full', zone), clockTime(to, 'full', zone)];
  const isSameDay = start.slice(0, DATE_LENGTH) === end.slice(0, DATE_LENGTH);
  return ownWords(`${start} to ${isSameDay ? end.slice(DATE_LENGTH) : end}`);
}

/** What to call a zone beside a time: `UTC`, `local`. */
export function zoneWord(zone: Zone): 'UTC' | 'local' {
  return zone === 'utc' ? 'UTC' : 'local';
}
