import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import type { FollowPosition } from './record-follower.js';

/** What came into a record. */
export interface RecordExtent {
  /** Events that ever came. */
  readonly total: number;
  /** What retention removed: everything before an instant, so many events. */
  readonly removed: { readonly beforeMicros: number; readonly events: number };
}

/** How far somebody who follows a record is. */
export interface FollowProgress {
  /** Before it everything was given, could not be read, or was removed. */
  readonly read: FollowPosition;
  readonly committed: FollowPosition;
  /** Right after the events that were given last; undefined once they are committed. */
  readonly given: FollowPosition | undefined;
  /** Receipt of the oldest event after `committed`, microseconds since the epoch; undefined where none waits. */
  readonly oldestMicros: number | undefined;
  /** Events that retention removed before they were given. */
  readonly removed: number;
}

/** Everything before a position is done. */
export function beginProgress(position: FollowPosition): FollowProgress {
  return { read: position, committed: position, given: undefined, oldestMicros: undefined, removed: 0 };
}

/** Events that wait: a subtraction, because both sides count what retention removed. */
export function waitingOf({ committed }: FollowProgress, { total, removed }: RecordExtent): number {
  return Math.max(0, total - Math.max(committed.passed, removed.events));
}

/** Whether events up to the end of an hour wait. */
export function lacksHour(progress: FollowProgress, extent: RecordExtent, hour: number): boolean {
  const { oldestMicros } = progress;
  return oldestMicros !== undefined && waitingOf(progress, extent) > 0 && hourOfMicros(oldestMicros) <= hour;
}

/** Events became durable, the first of them at an instant. */
export function afterArrival(progress: FollowProgress, receivedAtMicros: number): FollowProgress {
  return progress.oldestMicros === undefined ? { ...progress, oldestMicros: receivedAtMicros } : progress;
}

/** What retention removed before its turn is lost for it. */
export function afterRemoval(progress: FollowProgress, { removed }: RecordExtent): FollowProgress {
  const { read, oldestMicros } = progress;
  const { beforeMicros, events } = removed;
  if (read.receivedAtMicros >= beforeMicros) return progress;
  return {
    ...progress,
    read: { receivedAtMicros: beforeMicros, taken: 0, passed: Math.max(events, read.passed) },
    removed: progress.removed + Math.max(0, events - read.passed),
    oldestMicros: oldestMicros === undefined ? undefined : Math.max(oldestMicros, beforeMicros),
  };
}

/** Nothing is left after `read`, whatever was counted before: hours that somebody moved away would count for ever otherwise. */
export function afterCatchingUp(progress: FollowProgress, { total }: RecordExtent): FollowProgress {
  const read = { ...progress.read, passed: total };
  const isDone = progress.given === undefined || isSamePlace(progress.committed, read);
  return isDone ? { ...progress, read, committed: read, oldestMicros: undefined } : { ...progress, read };
}

/** Everything before a position is done; what waits behind it has to be looked up. */
export function afterCommit(progress: FollowProgress, position: FollowPosition): FollowProgress {
  const isOpen = progress.given !== undefined && progress.given.passed > position.passed;
  return { ...progress, committed: position, given: isOpen ? progress.given : undefined };
}

function isSamePlace(one: FollowPosition, other: FollowPosition): boolean {
  return one.receivedAtMicros === other.receivedAtMicros && one.taken === other.taken;
}
