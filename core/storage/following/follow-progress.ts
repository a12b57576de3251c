import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import type { FollowPosition } from './record-follower.js';

/** The events of a record. */
export interface RecordExtent {
  /** Events ever received, removed ones included. */
  readonly total: number;
  /** Retention removed everything before an instant. */
  readonly removed: { readonly beforeMicros: number; readonly events: number };
}

/** Progress of a follower. */
export interface FollowProgress {
  /** Everything before it was delivered, unreadable, or removed. */
  readonly read: FollowPosition;
  readonly committed: FollowPosition;
  /** After the last delivered events; undefined once they are committed. */
  readonly delivered: FollowPosition | undefined;
  /** Receipt of the oldest waiting event, microseconds since the epoch; undefined if none waits. */
  readonly oldestMicros: number | undefined;
  /** Events that retention removed before they were delivered. */
  readonly removed: number;
}

/** Everything before a position is done. */
export function beginProgress(position: FollowPosition): FollowProgress {
  return { read: position, committed: position, delivered: undefined, oldestMicros: undefined, removed: 0 };
}

/** Number of waiting events. Both sides include removed events. */
export function waitingOf({ committed }: FollowProgress, { total, removed }: RecordExtent): number {
  return Math.max(0, total - Math.max(committed.passed, removed.events));
}

/** Whether events up to the end of an hour wait. */
export function hasWaitingIn(progress: FollowProgress, extent: RecordExtent, hour: number): boolean {
  const { oldestMicros } = progress;
  return oldestMicros !== undefined && waitingOf(progress, extent) > 0 && hourOfMicros(oldestMicros) <= hour;
}

/** After a commit whose first event was received at an instant. */
export function afterArrival(progress: FollowProgress, receivedAtMicros: number): FollowProgress {
  return progress.oldestMicros === undefined ? { ...progress, oldestMicros: receivedAtMicros } : progress;
}

/** After a removal: events removed before their delivery are lost for the follower. */
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

/** After reading to the end. Resets the count, which hours moved away by hand would keep above zero. */
export function afterCatchingUp(progress: FollowProgress, { total }: RecordExtent): FollowProgress {
  const read = { ...progress.read, passed: total };
  const isDone = progress.delivered === undefined || isSamePosition(progress.committed, read);
  return isDone ? { ...progress, read, committed: read, oldestMicros: undefined } : { ...progress, read };
}

/** Everything before a position is done; the caller looks up what waits. */
export function afterCommit(progress: FollowProgress, position: FollowPosition): FollowProgress {
  const isOpen = progress.delivered !== undefined && progress.delivered.passed > position.passed;
  return { ...progress, committed: position, delivered: isOpen ? progress.delivered : undefined };
}

function isSamePosition(a: FollowPosition, b: FollowPosition): boolean {
  return a.receivedAtMicros === b.receivedAtMicros && a.taken === b.taken;
}
