import type { CommittedEvent } from '../committed-event.js';
import { COMMIT_SLICE_BYTES } from './commit-record.js';
import type { WaitingAppend } from './waiting-append.js';

/** An encoded append that waits for its commit, and how it is answered. */
export interface QueuedAppend {
  readonly waiting: WaitingAppend;
  readonly resolve: (committed: readonly CommittedEvent[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A commit takes in further appends up to here; a longer one is committed alone. */
const GROUP_EVENTS = 1000;
const GROUP_BYTES = COMMIT_SLICE_BYTES;

/** Removes the next group from the front of the queue: whole appends only, at least one. */
export function takeGroup(queue: QueuedAppend[]): QueuedAppend[] {
  let events = 0;
  let bytes = 0;
  const end = queue.findIndex(({ waiting }) => {
    events += waiting.events.length;
    bytes += waiting.bytes;
    return events > GROUP_EVENTS || bytes > GROUP_BYTES;
  });
  return queue.splice(0, end < 0 ? queue.length : Math.max(1, end));
}
