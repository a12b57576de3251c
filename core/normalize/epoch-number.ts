import { endOfDigits, exceedsNanos, readDigits, readNanos } from './decimal-digits.js';
import type { TimestampReading } from './timestamp-reading.js';

/**
 * The unit of a whole number by how many digits it has: 11 digits of seconds reach the year 5138, 12 digits of milliseconds begin in 1973.
 * Fewer than nine digits (seconds before 1973, a zero for "not set", a compact date) are no time.
 */
const UNITS = [
  { minDigits: 18, maxDigits: 20, digitsOfFraction: 9 },
  { minDigits: 15, maxDigits: 17, digitsOfFraction: 6 },
  { minDigits: 12, maxDigits: 14, digitsOfFraction: 3 },
  { minDigits: 9, maxDigits: 11, digitsOfFraction: 0 },
] as const;

/**
 * Reads a decimal number as time since 1970, in seconds, milliseconds, microseconds or nanoseconds by its size, with a fraction if it has one;
 * undefined for anything else. The point is moved along the digits instead of multiplying, so that no digit is lost to a double.
 */
export function readEpochNumber(text: string): TimestampReading | undefined {
  const end = endOfDigits(text, 0);
  const hasFraction = text[end] === '.' && endOfDigits(text, end + 1) === text.length && end + 1 < text.length;
  if (!hasFraction && end !== text.length) return undefined;

  const unit = UNITS.find(({ minDigits, maxDigits }) => end >= minDigits && end <= maxDigits);
  if (unit === undefined) return undefined;

  const pointAt = end - unit.digitsOfFraction;
  const fraction = text.slice(pointAt, end) + text.slice(end + 1);
  const nanosOfSecond = readNanos(fraction, 0, fraction.length);
  return {
    ms: readDigits(text, 0, pointAt) * 1000 + Math.floor(nanosOfSecond / 1_000_000),
    nanos: nanosOfSecond % 1_000_000,
    guesses: exceedsNanos(fraction, 0, fraction.length)
      ? ['TIMESTAMP_EPOCH_NUMBER', 'TIMESTAMP_DIGITS_CUT']
      : ['TIMESTAMP_EPOCH_NUMBER'],
  };
}
