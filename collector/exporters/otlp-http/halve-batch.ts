import type { FollowedBatch } from '../../../core/storage/following/record-follower.js';

/** The two halves of a batch of at least two events, in order. What stands behind its last event belongs to the second. */
export function halveBatch({ events, after }: FollowedBatch): readonly FollowedBatch[] {
  const half = Math.ceil(events.length / 2);
  const [first, second] = [events.slice(0, half), events.slice(half)];
  return [
    { events: first, after: first.at(-1)?.after ?? after },
    { events: second, after },
  ];
}
