import type { EventId } from '../../../event/ids.js';
import { hourOfMicros } from './arrival-clock.js';
import type { Partition } from './partition-path.js';

/** Most lines of a partition: 30 bits of an event id. */
export const MAX_PARTITION_LINES = 2 ** 30;

/** The content of an event id. */
export interface EventIdParts {
  readonly receivedAtMicros: number;
  /** Hours since the epoch. */
  readonly hour: number;
  readonly line: number;
  /** `Partition.hash` of the partition that holds the line. */
  readonly partitionHash: number;
}

const LAYOUT = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{4})([0-9a-f]{8})$/;

/** Microseconds within a millisecond as 12 bits (RFC 9562, section 6.2, method 3). */
function fractionOf(microsInMs: number): number {
  return Math.floor((microsInMs * 4096) / 1000);
}

/**
 * Creates ids for the lines of one partition and timestamp. UUIDv7 (RFC 9562): 48 bits of milliseconds, 12 bits of their fraction, and
 * instead of random bits 30 bits of line and 32 bits of partition hash. Ids sort by arrival, are reproducible, and locate their line.
 */
export function createEventIds(partition: Partition, receivedAtMicros: number): (line: number) => EventId {
  const ms = Math.floor(receivedAtMicros / 1000);
  const time = ms.toString(16).padStart(12, '0');
  const fraction = fractionOf(receivedAtMicros - ms * 1000);
  const prefix = `${time.slice(0, 8)}-${time.slice(8)}-7${fraction.toString(16).padStart(3, '0')}-`;
  const suffix = partition.hash.toString(16).padStart(8, '0');
  return (line) => {
    const variantAndLineHigh = (0x8000 | (line >>> 16)).toString(16);
    const lineLow = (line & 0xffff).toString(16).padStart(4, '0');
    return `${prefix}${variantAndLineHigh}-${lineLow}${suffix}` as EventId;
  };
}

/** Parses an id of `createEventIds`; undefined for any other UUID. */
export function parseEventId(id: EventId): EventIdParts | undefined {
  const match = LAYOUT.exec(id);
  if (match === null) return undefined;
  const [, timeHigh = '', timeLow = '', fractionText = '', lineHigh = '', lineLow = '', hashText = ''] = match;
  const fraction = Number.parseInt(fractionText, 16);
  const microsInMs = Math.ceil((fraction * 1000) / 4096);
  const receivedAtMicros = Number.parseInt(timeHigh + timeLow, 16) * 1000 + microsInMs;
  if (fractionOf(microsInMs) !== fraction || !Number.isSafeInteger(receivedAtMicros)) return undefined;
  return {
    receivedAtMicros,
    hour: hourOfMicros(receivedAtMicros),
    line: ((Number.parseInt(lineHigh, 16) & 0x3fff) << 16) | Number.parseInt(lineLow, 16),
    partitionHash: Number.parseInt(hashText, 16),
  };
}
