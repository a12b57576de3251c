import {
  endOfDigits,
  exceedsNanos,
  type Instant,
  nanosOf,
  readDateTime,
  readDigits,
  type TimestampReading,
} from './date-time.js';

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
function readEpochNumber(text: string): TimestampReading | undefined {
  const end = endOfDigits(text, 0);
  const hasFraction = text[end] === '.' && endOfDigits(text, end + 1) === text.length && end + 1 < text.length;
  if (!hasFraction && end !== text.length) return undefined;

  const unit = UNITS.find(({ minDigits, maxDigits }) => end >= minDigits && end <= maxDigits);
  if (unit === undefined) return undefined;

  const pointAt = end - unit.digitsOfFraction;
  const fraction = text.slice(pointAt, end) + text.slice(end + 1);
  const nanosOfSecond = nanosOf(fraction, 0, fraction.length);
  return {
    ms: readDigits(text, 0, pointAt) * 1000 + Math.floor(nanosOfSecond / 1_000_000),
    nanos: nanosOfSecond % 1_000_000,
    guesses: exceedsNanos(fraction, 0, fraction.length)
      ? ['TIMESTAMP_EPOCH_NUMBER', 'TIMESTAMP_DIGITS_CUT']
      : ['TIMESTAMP_EPOCH_NUMBER'],
  };
}

const FIRST_MS = -62_135_596_800_000; // 0001-01-01T00:00:00Z
const LAST_MS = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
/** Every form that is understood fits with room to spare. */
const MAX_LENGTH = 64;

/** Reads an event time as a sender wrote it and says what was guessed; undefined when it is none, or outside the years 0001 to 9999 in UTC. */
export function readTimestamp(text: string): TimestampReading | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const reading = readDateTime(text) ?? readEpochNumber(text);
  return reading !== undefined && reading.ms >= FIRST_MS && reading.ms <= LAST_MS ? reading : undefined;
}

/** `YYYY-MM-DDTHH:MM:SS.nnnnnnnnn+00:00`, the form of `NormalizedEvent.timestamp`; for instants of the years 0001 to 9999. */
export function formatTimestamp(instant: Instant): string {
  const nanos = String(instant.nanos).padStart(6, '0');
  return `${new Date(instant.ms).toISOString().slice(0, 23)}${nanos}+00:00`;
}

/** An instant from microseconds since the epoch, a safe integer. */
export function instantFromMicros(micros: number): Instant {
  const ms = Math.floor(micros / 1000);
  return { ms, nanos: (micros - ms * 1000) * 1000 };
}
