import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { toIssueId } from '../../core/event/ids.js';
import { toShortEventId } from '../../core/event/short-event-id.js';
import { parseQuery } from '../../core/query/parse-query.js';
import { openEvent } from '../state/event-state.js';
import { openIssue } from '../state/issue-state.js';
import type { IssueTab } from '../state/issue-tabs.js';
import { pushScreen, type StateChange } from '../state/terminal-state.js';
import { findEventId, findIssueId } from './find-ids.js';
import { findSince } from './find-since.js';

/** What a call of `browse` names; it wins over the saved session. */
export interface NamedStart {
  /** Of an issue or an event, also a short one. */
  readonly id?: string | undefined;
  /** A filter of the issue list. */
  readonly query?: string | undefined;
  readonly tab?: IssueTab | undefined;
  /** Lists what is new since a duration, a date or a release. */
  readonly since?: string | undefined;
}

/** Finds what a call names; the change opens it above the list. Throws a Fault for an unknown id, release or field of the query. */
export async function findStart(
  openReader: () => Promise<FailureReader>,
  { id, query = '', tab, since }: NamedStart,
): Promise<StateChange> {
  parseQuery(query, 'issues');
  const range = since === undefined ? undefined : await findSince(openReader, since);
  const open: StateChange = id === undefined ? (state) => state : await findNamed(await openReader(), id);
  return (state) => {
    const [list, ...above] = state.stack;
    const isListed = query !== '' || tab !== undefined;
    const wanted = {
      ...list.wanted,
      ...(isListed && { query, tab: tab ?? list.wanted.tab }),
      ...(range !== undefined && { since: { range, kind: 'new' as const } }),
    };
    // The notice says what was restored, which is below or replaced then.
    const notice = isListed || range !== undefined || id !== undefined ? undefined : state.notice;
    return open({ ...state, notice, stack: [{ ...list, wanted }, ...above] });
  };
}

async function findNamed(reader: FailureReader, id: string): Promise<StateChange> {
  const isEvent = toShortEventId(id) !== undefined;
  const issue = isEvent ? undefined : await reader.getIssue(await findIssueId(reader, id));
  if (issue !== undefined) return (state) => pushScreen(state, (key) => openIssue(key, issue));
  const event =
    isEvent || toIssueId(id) !== undefined ? await reader.getEvent(await findEventId(reader, id)) : undefined;
  if (event === undefined) throw new Fault('ISSUE_NOT_FOUND', `No issue or event ${id}. See faultline issues.`);
  return (state) => pushScreen(state, (key) => openEvent(key, event));
}
