import { type IssueId, toIssueId } from '../event/ids.js';
import type { JsonObject } from '../event/json.js';

/** A person's action on an issue: a line of the action log. */
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
