import { formatTimestamp, instantFromMicros } from '../normalize/timestamp.js';
import type { IssueHistoryEntry, IssueStatus } from '../reader.js';

/** One thing that somebody did to an issue: a line of the action log. */
export interface IssueAction {
  /** Unique in the log. */
  readonly id: string;
  /** `resolve`, `reopen`, `ignore` or `undo`; any other name is kept in the history and changes no status. */
  readonly action: string;
  /** Microseconds since the epoch, on the clock that dates receipts. */
  readonly atMicros: number;
  /** Null when nobody signed it. */
  readonly actor: string | null;
  /** Comment, assignee, release or whatever the action carries; of `undo` the id of the earlier action that it takes out. */
  readonly detail: string | null;
}

/** What the actions and the events of an issue make of it. */
export interface Lifecycle {
  readonly status: IssueStatus;
  /** True on an open issue that came back after it had been resolved. */
  readonly regressed: boolean;
}

const UNDO = 'undo';

const OPEN: Lifecycle = { status: 'open', regressed: false };

const STATUS_AFTER: ReadonlyMap<string, IssueStatus> = new Map([
  ['resolve', 'resolved'],
  ['reopen', 'open'],
  ['ignore', 'ignored'],
]);

/**
 * Status of an issue from its actions, oldest first, and the receipt of its latest event (design section 4).
 * The latest action that stands decides. An event received after a resolution reopens the issue as regressed; one received before it does not.
 * `undo` takes one earlier action out exactly, as if it had never been taken; an undone `undo` puts it back.
 */
export function foldLifecycle(actions: readonly IssueAction[], lastReceivedAtMicros: number): Lifecycle {
  // Most issues never see an action, and lists fold very many of them.
  if (actions.length === 0) return OPEN;
  const undone = new Set<string>();
  for (const action of actions.toReversed()) {
    if (undone.delete(action.id)) continue;
    if (action.action === UNDO && action.detail !== null) undone.add(action.detail);
    const status = STATUS_AFTER.get(action.action);
    if (status === undefined) continue;
    const regressed = status === 'resolved' && lastReceivedAtMicros > action.atMicros;
    return regressed ? { status: 'open', regressed } : { status, regressed };
  }
  return OPEN;
}

/** The actions of an issue as people read them, oldest first; undone ones and their `undo` stay. */
export function issueHistory(actions: readonly IssueAction[]): IssueHistoryEntry[] {
  return actions.map(({ action, atMicros, actor, detail }) => ({
    at: formatTimestamp(instantFromMicros(atMicros)),
    action,
    actor,
    detail,
  }));
}
