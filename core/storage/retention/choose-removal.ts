import { hourOfMicros } from '../record/partitions/arrival-clock.js';

/** How long events are kept. */
export interface RetentionBounds {
  /** An hour is removed when it ended longer ago than this, in milliseconds; 0: age removes nothing. */
  readonly maxAgeMs: number;
  /** The oldest hours are removed while the record takes more than this on the disk; 0: size removes nothing. */
  readonly maxBytes: number;
}

/** Nothing is removed. */
export const UNBOUNDED: RetentionBounds = { maxAgeMs: 0, maxBytes: 0 };

/** An hour of the record, all its partitions together. */
export interface HourSize {
  /** Hours since the epoch, UTC. */
  readonly hour: number;
  /** Bytes of its raw and its commit files. */
  readonly bytes: number;
}

/** An hour and how long ago it ended; less than 0 where it goes on. */
export interface AgedHour extends HourSize {
  readonly ageMs: number;
}

/** What has to go now. */
export interface ChosenRemoval {
  /** The hours, oldest first; at least one. */
  readonly hours: readonly number[];
  readonly reason: 'age' | 'size';
}

/** Hours that are removed at one time: what one entry of the history grows to, and what is done before somebody who closes is heard. */
const MAX_HOURS = 24;

/**
 * Chooses the oldest hours that are too old or too many. `hours` ascend and are all that is left of the record. `overMicros` is an instant in whose
 * hour events may still arrive, and before whose hour none do: only hours before it are chosen.
 */
export function chooseRemoval(
  hours: readonly AgedHour[],
  bounds: RetentionBounds,
  closedBeforeMicros: number,
): ChosenRemoval | undefined {
  const closed = hours.filter(({ hour }) => hour < hourOfMicros(closedBeforeMicros));
  // What is removed is everything before an instant, so an hour that is not old keeps later ones.
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
