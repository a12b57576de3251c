import { beginTimeSlice } from '../../time-slice.js';
import { eventsOfGroup } from '../event-queries/event-cursor.js';
import type { IndexContent } from '../index/content/index-content.js';
import { type IssueState, isTelling } from '../index/content/issue-state.js';
import { isIndexUnusable } from '../index/documents/index-fault.js';
import type { IssueLifecycles } from '../issue-queries/issue-lifecycles.js';
import type { ChangeCursor } from './change-cursor.js';

/** Above this number of events, a regression is reported again rather than missed. */
const MAX_EVENTS = 10_000;
const EVENTS_PER_CLOCK_CHECK = 256;

/** Whether a now regressed issue was regressed at an earlier position; false if unknown. */
export async function wasRegressed(
  shown: IssueState,
  cursor: ChangeCursor,
  content: IndexContent,
  lifecycles: IssueLifecycles,
): Promise<boolean> {
  const earlier = lifecycles
    .actionsOf(shown)
    .filter(({ id, atMicros }) => atMicros <= cursor.actionsMicros && !lifecycles.actions.isUndone(id));
  if (!earlier.some(({ action }) => action === 'resolve')) return false;
  const upToThen = (receipts: readonly number[]) => receipts.map((at) => (at <= cursor.eventsMicros ? at : 0));
  const { lastReceivedAtMicros, later } = await receiptsBy(cursor.eventsMicros, shown, lifecycles, content);
  const receipts = {
    lastReceivedAtMicros,
    releases: shown.releases,
    releasesReceivedAtMicros: upToThen(shown.releasesReceivedAtMicros),
    releasesFirstReceivedAtMicros: upToThen(shown.releasesFirstReceivedAtMicros),
  };
  return lifecycles.fold(earlier, shown, receipts, later).regressed;
}

/** Receipt of an issue's newest event up to an instant, 0 if none is found, and the number of events after it. */
async function receiptsBy(micros: number, shown: IssueState, lifecycles: IssueLifecycles, content: IndexContent) {
  const slice = beginTimeSlice();
  let seen = 0;
  let later = 0;
  try {
    for await (const row of eventsOfGroup(content, lifecycles.membersOf(shown))) {
      seen += 1;
      const { receivedAtMicros, weight } = row;
      if (receivedAtMicros <= micros && isTelling(weight, shown))
        return { lastReceivedAtMicros: receivedAtMicros, later };
      later += weight;
      if (seen >= MAX_EVENTS) break;
      if (seen % EVENTS_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    }
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
  }
  return { lastReceivedAtMicros: 0, later: Number.POSITIVE_INFINITY };
}
