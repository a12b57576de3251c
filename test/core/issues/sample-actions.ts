import { type IssueId, toIssueId } from '../../../core/event/ids.js';
import type { JsonObject } from '../../../core/event/json.js';
import type { IssueAction } from '../../../core/issues/issue-action.js';
import type { IssueReceipts } from '../../../core/issues/lifecycle.js';

/** The id of issue n. */
export function issueNumber(n: number): IssueId {
  const id = toIssueId(`00000000-0000-5000-8000-${n.toString(16).padStart(12, '0')}`);
  if (id === undefined) throw new Error('not a UUID');
  return id;
}

let nextId = 0;

/** An action of `ada`, by default on issue 0. */
export function action(
  name: string,
  atMicros: number,
  data: JsonObject = {},
  changes: Partial<IssueAction> = {},
): IssueAction {
  nextId += 1;
  return { id: `action-${nextId}`, action: name, issueId: issueNumber(0), atMicros, actor: 'ada', data, ...changes };
}

/** Receipts of an issue whose latest event was received at this time; releases have the time of their latest event. */
export function receipts(
  lastReceivedAtMicros: number,
  releases: Readonly<Record<string, number>> = {},
  events = 0,
): IssueReceipts {
  return {
    lastReceivedAtMicros,
    releases: Object.keys(releases),
    releasesReceivedAtMicros: Object.values(releases),
    releasesFirstReceivedAtMicros: Object.values(releases),
    eventsOf: () => events,
  };
}
