import { type IssueId, toIssueId } from '../event/ids.js';
import type { JsonObject } from '../event/json.js';

/** One thing that somebody did to an issue: a line of the action log. */
export interface IssueAction {
  /** Unique in the log. */
  readonly id: string;
  /** An `ActionName`; any other name is kept in the history and changes nothing. */
  readonly action: string;
  /** The issue that it was taken on. */
  readonly issueId: IssueId;
  /** Microseconds since the epoch, on the clock that dates receipts. */
  readonly atMicros: number;
  /** Null when nobody signed it. */
  readonly actor: string | null;
  /** The action's own fields; what is not of the form that they should have is as if it were absent. */
  readonly data: JsonObject;
}

/** A field that should be a text; undefined when it is none. */
export function textIn({ data }: IssueAction, field: string): string | undefined {
  const value = data[field];
  return typeof value === 'string' ? value : undefined;
}

/** A field that should be a number; undefined when it is none. */
export function numberIn({ data }: IssueAction, field: string): number | undefined {
  const value = data[field];
  return typeof value === 'number' ? value : undefined;
}

/** The ids of issues in a field that should be a list of them; what is no id is left out. */
export function issueIdsIn(action: IssueAction, field: string): readonly IssueId[] {
  return textsIn(action, field).flatMap((text) => toIssueId(text) ?? []);
}

/** The texts of a field that should be a list of them; empty when it is none. */
export function textsIn({ data }: IssueAction, field: string): readonly string[] {
  const value = data[field];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
