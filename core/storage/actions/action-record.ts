import { type IssueId, toIssueId } from '../../event/ids.js';
import type { JsonObject } from '../../event/json.js';
import { isJsonObject } from '../../event/json.js';
import { parseJson } from '../record/commits/commit-record.js';
import { formatMicros, parseMicros } from '../record/partitions/arrival-clock.js';

/** An action on an issue, before it is stored. */
export interface NewAction {
  readonly action: string;
  readonly issueId: IssueId;
  /** Null if unsigned. */
  readonly actor: string | null;
  readonly data: JsonObject;
}

/** One line of `actions.ndjson`: `{"id","at","action","issue_id","actor","data"}`. */
export interface ActionRecord extends NewAction {
  /** UUIDv7, lower case. */
  readonly id: string;
  /** Microseconds since the epoch, on the clock of receipts. */
  readonly atMicros: number;
}

/** Most bytes of a line, without its newline. */
export const MAX_ACTION_BYTES = 256 * 1024;

export function encodeActionRecord({ id, atMicros, action, issueId, actor, data }: ActionRecord): string {
  return `${JSON.stringify({ id, at: formatMicros(atMicros), action, issue_id: issueId, actor, data })}\n`;
}

/** Parses a line without its newline; undefined if it is not an action. */
export function parseActionRecord(text: string): ActionRecord | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { id, at, action, issue_id: issueIdText, actor, data } = value;
  if (typeof id !== 'string' || typeof at !== 'string' || typeof action !== 'string') return undefined;
  if (typeof issueIdText !== 'string' || !isJsonObject(data)) return undefined;
  if (actor !== null && typeof actor !== 'string') return undefined;
  const atMicros = parseMicros(at);
  const issueId = toIssueId(issueIdText);
  if (atMicros === undefined || issueId === undefined) return undefined;
  return { id, atMicros, action, issueId, actor, data };
}
