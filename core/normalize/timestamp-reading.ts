import type { EventNote } from '../event/note.js';

/** What was read from a sender's time, and what had to be guessed to do so. */
export interface TimestampReading {
  /** Milliseconds since the epoch, an integer, rounded down. */
  readonly ms: number;
  /** Nanoseconds after `ms`, 0 to 999,999. */
  readonly nanos: number;
  /** Empty when the text said all of it. */
  readonly guesses: readonly TimestampGuess[];
}

/** Stable names of the guesses, used as codes of their notes. */
export type TimestampGuess = keyof typeof REASONS;

const REASONS = {
  TIMESTAMP_DIGITS_CUT: 'has more than nine digits of a second; the rest was left out',
  TIMESTAMP_EPOCH_NUMBER: 'is a number, read as time since 1970 with the unit that its size suggests',
  TIMESTAMP_LEAP_SECOND: 'lies in a leap second, which became the last nanosecond before it',
  TIMESTAMP_OFFSET_MISSING: 'names no offset and was read as UTC',
};

/** Says a guess for people. */
export function noteOfGuess(guess: TimestampGuess): EventNote {
  return { code: guess, field: '/timestamp', reason: REASONS[guess] };
}
