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

/** The number written by at most 15 decimal digits from `start` to `end`; NaN if one is not a digit. */
function parseDigits(text: string, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** The index after the decimal digits that begin at `start`. */
function endOfDigits(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
  }
  return at;
}

/** Nanoseconds of the fraction digits from `start` to `end`; digits after the ninth are ignored. */
function nanosOf(text: string, start: number, end: number): number {
  const kept = Math.min(end, start + NANO_DIGITS);
  return parseDigits(text, start, kept) * 10 ** (NANO_DIGITS - (kept - start));
}

/** True if a fraction digit after the ninth is not 0. */
function exceedsNanos(text: string, start: number, end: number): boolean {
  for (let at = start + NANO_DIGITS; at < end; at++) {
    if (text.charCodeAt(at) !== 48) return true;
  }
  return false;
}

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** True for a date of the proleptic Gregorian calendar; false for NaN. */
function isDate(year: number, month: number, day: number): boolean {
  const days = month === 2 && isLeapYear(year) ? 29 : (DAYS_OF_MONTH[month - 1] ?? 0);
  return year >= 0 && day >= 1 && day <= days;
}

/** Days since 1970-01-01. `Date.UTC` maps the years 0 to 99 to 1900 to 1999. Years start in March, so the leap day comes last and 5 months have 153 days. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

const NO_GUESS: readonly TimestampGuess[] = [];
const LAST_MINUTE_OF_DAY = 23 * 60 + 59;
const [DOT, COMMA, SPACE, PLUS, MINUS, COLON] = [46, 44, 32, 43, 45, 58];

/** Minutes east of UTC; undefined if the text ends without an offset; NaN if the rest is not an offset. */
function parseOffsetMinutes(text: string, start: number): number | undefined {
  if (start === text.length) return undefined;
  const at = text.charCodeAt(start) === SPACE ? start + 1 : start;
  const sign = text.charCodeAt(at);
  if (sign !== PLUS && sign !== MINUS) {
    return at === text.length - 1 && (text[at] === 'Z' || text[at] === 'z') ? 0 : Number.NaN;
  }
  const minutesAt = text.charCodeAt(at + 3) === COLON ? at + 4 : at + 3;
  const hours = parseDigits(text, at + 1, at + 3);
  const hasMinutes = text.length === minutesAt + 2;
  const minutes = hasMinutes ? parseDigits(text, minutesAt, minutesAt + 2) : 0;
  const isWhole = hasMinutes || text.length === at + 3;
  if (!isWhole || !(hours <= 23) || !(minutes <= 59)) return Number.NaN;
  return sign === PLUS ? hours * 60 + minutes : -(hours * 60 + minutes);
}

function hasShape(text: string): boolean {
  const separator = text[10];
  return (
    (separator === 'T' || separator === 't' || separator === ' ') &&
    text[4] === '-' &&
    text[7] === '-' &&
    text[13] === ':' &&
    text[16] === ':'
  );
}

/**
 * Parses RFC 3339 and similar ISO 8601: `T`, `t` or a space after the date, point or comma before the fraction, offset `Z`, `+05:30`, `+0530`, `+05` or missing.
 * Undefined for other text, dates that do not exist, and second 60 outside 23:59 UTC. Does not use a regular expression because it runs once per stored event.
 */
export function parseDateTime(text: string): ParsedTimestamp | undefined {
  if (!hasShape(text)) return undefined;
  const year = parseDigits(text, 0, 4);
  const month = parseDigits(text, 5, 7);
  const day = parseDigits(text, 8, 10);
  const hour = parseDigits(text, 11, 13);
  const minute = parseDigits(text, 14, 16);
  const second = parseDigits(text, 17, 19);
  if (!isDate(year, month, day) || !(hour <= 23) || !(minute <= 59) || !(second <= 60)) return undefined;

  const separator = text.charCodeAt(19);
  const hasFraction = separator === DOT || separator === COMMA;
  const fractionAt = hasFraction ? 20 : 19;
  const fractionEnd = hasFraction ? endOfDigits(text, fractionAt) : fractionAt;
  if (hasFraction && fractionEnd === fractionAt) return undefined;

  const offset = parseOffsetMinutes(text, fractionEnd);
  const minutes = daysSinceEpoch(year, month, day) * 1440 + hour * 60 + minute - (offset ?? 0);
  if (Number.isNaN(minutes)) return undefined;
  const isLeapSecond = second === 60;
  if (isLeapSecond && ((minutes % 1440) + 1440) % 1440 !== LAST_MINUTE_OF_DAY) return undefined;

  const nanosOfSecond = isLeapSecond ? 999_999_999 : nanosOf(text, fractionAt, fractionEnd);
  const isCut = !isLeapSecond && exceedsNanos(text, fractionAt, fractionEnd);
  return {
    ms: minutes * 60_000 + (isLeapSecond ? 59 : second) * 1000 + Math.floor(nanosOfSecond / 1_000_000),
    nanos: nanosOfSecond % 1_000_000,
    guesses: guessesOf(offset === undefined, isLeapSecond, isCut),
  };
}

function guessesOf(isOffsetMissing: boolean, isLeapSecond: boolean, isCut: boolean): readonly TimestampGuess[] {
  if (!isOffsetMissing && !isLeapSecond && !isCut) return NO_GUESS;
  const guesses: TimestampGuess[] = [];
  if (isOffsetMissing) guesses.push('TIMESTAMP_OFFSET_MISSING');
  if (isLeapSecond) guesses.push('TIMESTAMP_LEAP_SECOND');
  if (isCut) guesses.push('TIMESTAMP_DIGITS_CUT');
  return guesses;
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

/** Parses a decimal number as time since 1970 in the unit that its size suggests. Moves the decimal point in the text, because a double would lose digits. */
function parseEpochNumber(text: string): ParsedTimestamp | undefined {
  const end = endOfDigits(text, 0);
  const hasFraction = text[end] === '.' && endOfDigits(text, end + 1) === text.length && end + 1 < text.length;
  if (!hasFraction && end !== text.length) return undefined;

  const unit = UNITS.find(({ minDigits, maxDigits }) => end >= minDigits && end <= maxDigits);
  if (unit === undefined) return undefined;

  const pointAt = end - unit.digitsOfFraction;
  const fraction = text.slice(pointAt, end) + text.slice(end + 1);
  const nanosOfSecond = nanosOf(fraction, 0, fraction.length);
  return {
    ms: parseDigits(text, 0, pointAt) * 1000 + Math.floor(nanosOfSecond / 1_000_000),
    nanos: nanosOfSecond % 1_000_000,
    guesses: exceedsNanos(fraction, 0, fraction.length)
      ? ['TIMESTAMP_EPOCH_NUMBER', 'TIMESTAMP_DIGITS_CUT']
      : ['TIMESTAMP_EPOCH_NUMBER'],
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
