import type { EventNote } from '../event/note.js';

/** A point in time, exact to the nanosecond. */
export interface Instant {
  /** Milliseconds since the epoch, an integer, rounded down. */
  readonly ms: number;
  /** Nanoseconds after `ms`, 0 to 999,999. */
  readonly nanos: number;
}

/** A parsed time and the guesses it needed. */
interface ParsedTimestamp extends Instant {
  readonly guesses: readonly TimestampGuess[];
}

/** Stable: codes of notes. */
type TimestampGuess = keyof typeof REASONS;

const REASONS = {
  TIMESTAMP_DIGITS_CUT: 'has more than nine digits of a second; the rest was left out',
  TIMESTAMP_EPOCH_NUMBER: 'is a number, read as time since 1970 with the unit that its size suggests',
  TIMESTAMP_LEAP_SECOND: 'lies in a leap second, which became the last nanosecond before it',
  TIMESTAMP_OFFSET_MISSING: 'no time zone; read as UTC',
};

/** The note that describes a guess. */
export function noteOfGuess(guess: TimestampGuess): EventNote {
  return { code: guess, field: '/timestamp', reason: REASONS[guess] };
}

const NANO_DIGITS = 9;

/** Nanoseconds of the digits of a fraction; digits after the ninth are ignored. */
function nanosOf(fraction: string): number {
  return Number(fraction.slice(0, NANO_DIGITS).padEnd(NANO_DIGITS, '0'));
}

/** True if a fraction digit after the ninth is not 0. */
function exceedsNanos(fraction: string): boolean {
  return /[^0]/.test(fraction.slice(NANO_DIGITS));
}

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** True for a date of the proleptic Gregorian calendar. */
function isDate(year: number, month: number, day: number): boolean {
  const days = month === 2 && isLeapYear(year) ? 29 : (DAYS_OF_MONTH[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

/** Days since 1970-01-01. `Date.UTC` maps the years 0 to 99 to 1900 to 1999. Years start in March, so the leap day comes last and 5 months have 153 days. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

const LAST_MINUTE_OF_DAY = 23 * 60 + 59;
const MINUTES_OF_DAY = 24 * 60;

const DATE_TIME =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[Tt ](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:[.,](?<fraction>\d+))?(?: ?(?<offset>[Zz]|[+-]\d\d(?::?\d\d)?))?$/;

/** Minutes east of UTC of `Z`, `+05`, `+0530` or `+05:30`; NaN if there is no such offset. */
function offsetMinutes(offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return Number.NaN;
  return offset.startsWith('+') ? hours * 60 + minutes : -(hours * 60 + minutes);
}

/**
 * Parses RFC 3339 and similar ISO 8601: `T`, `t` or a space after the date, point or comma before the fraction, offset `Z`, `+05:30`, `+0530`, `+05` or missing.
 * Undefined for other text, dates that do not exist, and second 60 outside 23:59 UTC.
 */
export function parseDateTime(text: string): ParsedTimestamp | undefined {
  const parts = DATE_TIME.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { fraction = '', offset } = parts;
  const [year, month, day] = [Number(parts['year']), Number(parts['month']), Number(parts['day'])];
  const [hour, minute, second] = [Number(parts['hour']), Number(parts['minute']), Number(parts['second'])];
  if (!isDate(year, month, day) || hour > 23 || minute > 59 || second > 60) return undefined;

  const minuteOfDay = hour * 60 + minute - (offset === undefined ? 0 : offsetMinutes(offset));
  const minutes = daysSinceEpoch(year, month, day) * MINUTES_OF_DAY + minuteOfDay;
  if (Number.isNaN(minutes)) return undefined;
  const guesses: TimestampGuess[] = offset === undefined ? ['TIMESTAMP_OFFSET_MISSING'] : [];

  if (second === 60) {
    const minuteInUtc = (minuteOfDay + MINUTES_OF_DAY) % MINUTES_OF_DAY;
    if (minuteInUtc !== LAST_MINUTE_OF_DAY) return undefined;
    // The last nanosecond before the leap second.
    return { ms: minutes * 60_000 + 59_999, nanos: 999_999, guesses: [...guesses, 'TIMESTAMP_LEAP_SECOND'] };
  }
  if (exceedsNanos(fraction)) guesses.push('TIMESTAMP_DIGITS_CUT');
  const nanosOfSecond = nanosOf(fraction);
  return {
    ms: minutes * 60_000 + second * 1000 + Math.floor(nanosOfSecond / 1_000_000),
    nanos: nanosOfSecond % 1_000_000,
    guesses,
  };
}

/**
 * The unit of an integer by its number of digits: 11 digits of seconds reach the year 5138, 12 digits of milliseconds begin in 1973.
 * Fewer than nine digits (seconds before 1973, 0 for "not set", a compact date) are not a time.
 */
const UNITS = [
  { minDigits: 18, maxDigits: 20, digitsOfFraction: 9 },
  { minDigits: 15, maxDigits: 17, digitsOfFraction: 6 },
  { minDigits: 12, maxDigits: 14, digitsOfFraction: 3 },
  { minDigits: 9, maxDigits: 11, digitsOfFraction: 0 },
] as const;

const EPOCH_NUMBER = /^(?<whole>\d{9,20})(?:\.(?<decimals>\d+))?$/;

/** Parses a decimal number as time since 1970 in the unit that its size suggests. Moves the decimal point in the text, because a double would lose digits. */
function parseEpochNumber(text: string): ParsedTimestamp | undefined {
  const { whole = '', decimals = '' } = EPOCH_NUMBER.exec(text)?.groups ?? {};
  const unit = UNITS.find(({ minDigits, maxDigits }) => whole.length >= minDigits && whole.length <= maxDigits);
  if (unit === undefined) return undefined;

  const pointAt = whole.length - unit.digitsOfFraction;
  const fraction = whole.slice(pointAt) + decimals;
  const nanosOfSecond = nanosOf(fraction);
  return {
    ms: Number(whole.slice(0, pointAt)) * 1000 + Math.floor(nanosOfSecond / 1_000_000),
    nanos: nanosOfSecond % 1_000_000,
    guesses: exceedsNanos(fraction) ? ['TIMESTAMP_EPOCH_NUMBER', 'TIMESTAMP_DIGITS_CUT'] : ['TIMESTAMP_EPOCH_NUMBER'],
  };
}

const FIRST_MS = -62_135_596_800_000; // 0001-01-01T00:00:00Z
const LAST_MS = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
/** Longer than every supported form. */
const MAX_LENGTH = 64;

/** Parses the time of an event; undefined if it is not a time, or outside the years 0001 to 9999 in UTC. */
export function parseTimestamp(text: string): ParsedTimestamp | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parsed = parseDateTime(text) ?? parseEpochNumber(text);
  return parsed !== undefined && parsed.ms >= FIRST_MS && parsed.ms <= LAST_MS ? parsed : undefined;
}

/** `YYYY-MM-DDTHH:MM:SS.nnnnnnnnn+00:00`, for the years 0001 to 9999. */
export function formatTimestamp(instant: Instant): string {
  const nanos = String(instant.nanos).padStart(6, '0');
  return `${new Date(instant.ms).toISOString().slice(0, 23)}${nanos}+00:00`;
}

/** `micros`: since the epoch, a safe integer. */
export function instantFromMicros(micros: number): Instant {
  const ms = Math.floor(micros / 1000);
  return { ms, nanos: (micros - ms * 1000) * 1000 };
}
