import {
  afterArrival,
  afterCatchingUp,
  afterCommit,
  afterRemoval,
  beginProgress,
  type FollowProgress,
  hasWaitingIn,
  waitingOf,
} from '../../../../core/storage/following/follow-progress.js';
import type { FollowPosition } from '../../../../core/storage/following/record-follower.js';

const HOUR = 3_600_000_000;

function at(receivedAtMicros: number, passed: number): FollowPosition {
  return { receivedAtMicros, taken: 1, passed };
}

const NOTHING_REMOVED = { beforeMicros: 0, events: 0 };
const FAR: FollowProgress = { ...beginProgress(at(10, 3)), read: at(20, 5), delivered: at(20, 5), oldestMicros: 11 };

describe('the progress of a follower', () => {
  it('counts the waiting events after the committed ones, without removed events', () => {
    expect(waitingOf(FAR, { total: 9, removed: NOTHING_REMOVED })).toBe(6);
    expect(waitingOf(FAR, { total: 9, removed: { beforeMicros: 15, events: 4 } })).toBe(5);
    expect(waitingOf(FAR, { total: 2, removed: NOTHING_REMOVED })).toBe(0);
  });

  it('has the time of the oldest waiting event, and whether an hour contains waiting events', () => {
    const extent = { total: 4, removed: NOTHING_REMOVED };
    const none = beginProgress(at(10, 3));
    expect(hasWaitingIn(none, extent, 9)).toBe(false);
    const some = afterArrival(afterArrival(none, 2 * HOUR), 3 * HOUR);
    expect(some.oldestMicros).toBe(2 * HOUR);
    expect([1, 2, 3].map((hour) => hasWaitingIn(some, extent, hour))).toEqual([false, true, true]);
    expect(hasWaitingIn(some, { ...extent, total: 3 }, 3)).toBe(false);
  });

  it('skips and counts events that were removed before their turn, once', () => {
    const removed = { beforeMicros: 30, events: 8 };
    const after = afterRemoval(FAR, { total: 9, removed });
    expect(after).toMatchObject({ removed: 3, oldestMicros: 30, committed: FAR.committed });
    expect(after.read).toEqual({ receivedAtMicros: 30, taken: 0, passed: 8 });
    expect(afterRemoval(after, { total: 9, removed })).toBe(after);
    expect(afterRemoval(FAR, { total: 9, removed: { beforeMicros: 20, events: 4 } })).toBe(FAR);
  });

  it('has caught up when all delivered events are committed, whatever the count says', () => {
    const extent = { total: 6, removed: NOTHING_REMOVED };
    const open = afterCatchingUp(FAR, extent);
    expect([open.read.passed, open.committed, open.oldestMicros]).toEqual([6, FAR.committed, 11]);
    const partly = afterCommit(FAR, at(15, 4));
    expect(afterCatchingUp(partly, extent).committed).toEqual(at(15, 4));
    const done = afterCatchingUp(afterCommit(FAR, at(20, 5)), extent);
    expect([done.committed, done.oldestMicros, waitingOf(done, extent)]).toEqual([at(20, 6), undefined, 0]);
    const unreadable = afterCatchingUp({ ...FAR, delivered: undefined }, extent);
    expect(unreadable.committed).toEqual(at(20, 6));
  });
});
