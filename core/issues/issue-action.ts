import { type IssueId, toIssueId } from '../event/ids.js';
import type { JsonObject } from '../event/json.js';

/**
 * Ids of the actions of a whole log, oldest first, that have no effect: those named by an `undo`, and their consequences. An undone `undo` restores its action; an `undo`
 * of a later or unknown action does nothing. A `reopen` with a `cause` is a consequence of that earlier action.
 */
export function undoneActions(log: readonly IssueAction[]): ReadonlySet<string> {
  const undone = new Set<string>();
  const named = new Set<string>();
  for (const action of log.toReversed()) {
    if (named.delete(action.id)) undone.add(action.id);
    else if (action.action === 'undo') {
      const undoes = textIn(action, 'undoes');
      if (undoes !== undefined) named.add(undoes);
    }
  }
  const standing = new Set<string>();
  for (const action of log) {
    const cause = causeOf(action);
    if (cause !== undefined && !standing.has(cause)) undone.add(action.id);
    if (!undone.has(action.id)) standing.add(action.id);
  }
  return undone;
}

/** The id of the action that caused this one; undefined if a user took it. */
export function causeOf(action: IssueAction): string | undefined {
  return action.action === 'reopen' ? textIn(action, 'cause') : undefined;
}

/** A user's action on an issue: a line of the action log. */
export interface IssueAction {
  /** Unique in the log. */
  readonly id: string;
  /** An `ActionName`; any other name appears in the history and has no effect. */
  readonly action: string;
  readonly issueId: IssueId;
  /** Microseconds since the epoch, on the clock that dates receipts. */
  readonly atMicros: number;
  /** Null for an unsigned action. */
  readonly actor: string | null;
  /** Fields of the action; a field of a wrong type counts as missing. */
  readonly data: JsonObject;
}

/** A string field; undefined if it is missing or of another type. */
export function textIn({ data }: IssueAction, field: string): string | undefined {
  const value = data[field];
  return typeof value === 'string' ? value : undefined;
}

/** A number field; undefined if it is missing or of another type. */
export function numberIn({ data }: IssueAction, field: string): number | undefined {
  const value = data[field];
  return typeof value === 'number' ? value : undefined;
}

/** The valid issue ids of a list field. */
export function issueIdsIn(action: IssueAction, field: string): readonly IssueId[] {
  return textsIn(action, field).flatMap((text) => toIssueId(text) ?? []);
}

/** The strings of a list field; empty if the field is not a list. */
export function textsIn({ data }: IssueAction, field: string): readonly string[] {
  const value = data[field];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
