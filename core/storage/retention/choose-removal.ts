import { hourOfMicros, MICROS_PER_HOUR } from '../record/arrival-time.js';

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

/** What has to go now. */
export interface ChosenRemoval {
  /** The hours, oldest first; at least one. */
  readonly hours: readonly number[];
  readonly reason: 'age' | 'size';
}

/** Hours that are removed at one time: what one entry of the history grows to, and what is done before somebody who closes is heard. */
const MAX_HOURS = 24;

/**
 * Chooses the oldest hours that are too old or too many. `hours` ascend and are all that is left of the record.
 * The clock is believed only as far as the record goes: time is that of the newest event, or of the clock where that is earlier. So a clock that
 * jumps ahead removes nothing by itself, and the hour that is written, which is the last one there is, is never chosen.
 */
export function chooseRemoval(
  hours: readonly HourSize[],
  bounds: RetentionBounds,
  now: { readonly nowMicros: number; readonly newestMicros: number },
): ChosenRemoval | undefined {
  const believedMicros = Math.min(now.nowMicros, now.newestMicros);
  const closed = hours.filter(({ hour }) => hour < hourOfMicros(believedMicros));
  const isOld = ({ hour }: HourSize): boolean =>
    bounds.maxAgeMs > 0 && (hour + 1) * MICROS_PER_HOUR < believedMicros - bounds.maxAgeMs * 1000;
  const old = closed.filter(isOld).slice(0, MAX_HOURS);
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
