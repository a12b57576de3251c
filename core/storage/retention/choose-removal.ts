import { hourOfMicros } from '../record/partitions/arrival-clock.js';

/** Limits on the age and the size of the record. */
export interface RetentionBounds {
  /** Hours that ended longer ago than this are removed; 0: no limit. */
  readonly maxAgeMs: number;
  /** The oldest hours are removed while the record is larger than this; 0: no limit. */
  readonly maxBytes: number;
}

export const UNBOUNDED: RetentionBounds = { maxAgeMs: 0, maxBytes: 0 };

/** An hour of the record, all its partitions together. */
export interface HourSize {
  /** Hours since the epoch, UTC. */
  readonly hour: number;
  /** Bytes of its raw and its commit files. */
  readonly bytes: number;
}

interface AgedHour extends HourSize {
  /** Time since the hour ended; negative if it has not. */
  readonly ageMs: number;
}

/** Hours to remove. */
export interface ChosenRemoval {
  /** Oldest first; at least one. */
  readonly hours: readonly number[];
  readonly reason: 'age' | 'size';
}

/** Bounds the size of one ledger entry and the delay of a close. */
const MAX_HOURS = 24;

/** Chooses the oldest of all `hours`, ascending, that exceed the bounds and end before `closedBeforeMicros`. */
export function chooseRemoval(
  hours: readonly AgedHour[],
  bounds: RetentionBounds,
  closedBeforeMicros: number,
): ChosenRemoval | undefined {
  const closed = hours.filter(({ hour }) => hour < hourOfMicros(closedBeforeMicros));
  // A removal covers everything before a timestamp, so an hour that is not old also retains later ones.
  const young = closed.findIndex(({ ageMs }) => bounds.maxAgeMs <= 0 || ageMs <= bounds.maxAgeMs);
  const old = closed.slice(0, young < 0 ? MAX_HOURS : Math.min(young, MAX_HOURS));
  if (old.length > 0) return { hours: old.map(({ hour }) => hour), reason: 'age' };

  if (bounds.maxBytes <= 0) return undefined;
  let bytes = hours.reduce((sum, hour) => sum + hour.bytes, 0);
  const large: number[] = [];
  for (const { hour, bytes: freed } of closed) {
    if (bytes <= bounds.maxBytes || large.length === MAX_HOURS) break;
    large.push(hour);
    bytes -= freed;
  }
  return large.length === 0 ? undefined : { hours: large, reason: 'size' };
}
