import { readDateTime } from './date-time.js';
import { readEpochNumber } from './epoch-number.js';
import type { TimestampReading } from './timestamp-reading.js';

/** A point in time, exact to the nanosecond. */
export interface Instant {
  /** Milliseconds since the epoch, an integer, rounded down. */
  readonly ms: number;
  /** Nanoseconds after `ms`, 0 to 999,999. */
  readonly nanos: number;
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

/** `readTimestamp` for those who do not ask what was guessed. */
export function parseTimestamp(text: string): Instant | undefined {
  return readTimestamp(text);
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
