import type { ReceivedEvent } from '../../../core/event/stages.js';
import type { Grouping } from '../../../core/fingerprint/fingerprint.js';
import type { Grouper } from '../../../core/fingerprint/grouper.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { IssueKeys } from './issue-keys.js';

/** Where the events of a batch belong, each at its place; undefined where grouping failed. */
export interface GroupedBatch {
  /** Name the issues. */
  readonly keys: readonly (string | undefined)[];
  readonly groupings: readonly (Grouping | undefined)[];
}

/**
 * Groups events, but for those that another processor has grouped by the same; `onFailure` is told of an error. In slices, because grouping reads whole
 * stack traces.
 */
export async function groupBatch(
  events: readonly ReceivedEvent[],
  grouper: Grouper,
  onFailure: (error: unknown) => void,
): Promise<GroupedBatch> {
  const slice = beginTimeSlice();
  const issueKeys = new IssueKeys();
  const keys: (string | undefined)[] = [];
  const groupings: (Grouping | undefined)[] = [];
  for (const { payload, grouping: known } of events) {
    if (slice.isOver) await slice.next();
    try {
      const grouping = known?.key === grouper.key ? known.fingerprint : grouper.fingerprint(payload);
      keys.push(issueKeys.keyOf(payload, grouping.value));
      groupings.push(grouping);
    } catch (error) {
      onFailure(error);
      keys.push(undefined);
      groupings.push(undefined);
    }
  }
  return { keys, groupings };
}
