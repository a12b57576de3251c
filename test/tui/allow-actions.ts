import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import { parseSnooze } from '../../core/issues/snooze.js';
import type { ActionRequest, IssueDetail, IssueHistoryEntry, IssueSummary } from '../../generated/reader-answers.js';
import type { ArrayReader } from './array-reader.js';

/** An action, and the issues before and after it. */
interface Performed {
  readonly entry: IssueHistoryEntry;
  readonly before: readonly IssueSummary[];
  readonly after: readonly IssueSummary[];
}

/** Lets an array reader perform actions with the ids, histories and faults of `FailureActions`; `failing` has the issues for which they fail. */
export function allowActions(reader: ArrayReader, failing: ReadonlySet<IssueId> = new Set()): ArrayReader {
  const performed = new Map<string, Performed>();
  let made = 0;

  async function act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    reader.calls.push(`act ${request.action}`);
    if (reader.fault !== undefined) throw reader.fault;
    const issue = reader.issues.find(({ issue_id }) => issue_id === issueId);
    if (issue === undefined) throw new Fault('ISSUE_NOT_FOUND', `Issue ${issueId} does not exist.`);
    if (failing.has(issueId)) throw new Fault('STORE_UNAVAILABLE', `The disk is full at ${issueId}.`);
    const before = reader.issues;
    if (request.action === 'undo') reader.issues = undone(request);
    else if (request.action === 'merge') reader.issues = merged(issue, request.issues ?? []);
    else reader.issues = reader.issues.map((one) => (one === issue ? changed(one, request) : one));
    made += 1;
    const entry: IssueHistoryEntry = {
      id: `action-${made}`,
      issue_id: issueId,
      at: '2026-11-20T11:00:00Z',
      action: request.action,
      actor: request.actor ?? null,
      detail: request.text ?? request.assignee ?? request.snooze ?? request.in_release ?? request.undoes ?? null,
      reason: null,
      undone: false,
    };
    performed.set(entry.id, { entry, before, after: reader.issues });
    reader.histories.set(issueId, [...(reader.histories.get(issueId) ?? []), entry]);
    const detail = await reader.getIssue(issueId);
    if (detail === undefined) throw new Fault('ISSUE_NOT_FOUND', `Issue ${issueId} does not exist.`);
    return detail;
  }

  function undone({ undoes }: ActionRequest): IssueSummary[] {
    const action = performed.get(undoes ?? '');
    if (action === undefined) throw new Fault('ACTION_NOT_FOUND', `Action "${undoes}" does not exist.`);
    if (action.entry.undone) throw new Fault('ACTION_INVALID', 'It is undone already.');
    action.entry.undone = true;
    // Reverts only the issues that the action changed.
    const wasChanged = new Set(action.before.filter((issue) => !action.after.includes(issue)).map((i) => i.issue_id));
    const kept = reader.issues.filter(({ issue_id }) => !wasChanged.has(issue_id));
    return [...kept, ...action.before.filter(({ issue_id }) => wasChanged.has(issue_id))];
  }

  function merged(into: IssueSummary, ids: readonly IssueId[]): IssueSummary[] {
    const members = reader.issues.filter(({ issue_id }) => ids.includes(issue_id));
    const count = members.reduce((sum, member) => sum + member.count, into.count);
    const group = { ...into, count, merged: [...into.merged, ...ids] };
    return reader.issues.filter((one) => !members.includes(one)).map((one) => (one === into ? group : one));
  }

  reader.canAct = true;
  reader.act = act;
  reader.decide = async (id, decision, { by } = {}) => {
    reader.calls.push(`decide ${id} ${decision}`);
    if (reader.fault !== undefined) throw reader.fault;
    const { suggestions, decided } = reader.suggested;
    const found = [...suggestions, ...decided].find((one) => one.id === id);
    if (found === undefined) throw new Fault('SUGGESTION_NOT_FOUND', `Suggestion ${id} does not exist.`);
    const { state: before, ...suggestion } = { state: undefined, ...found };
    const others = {
      suggestions: suggestions.filter((one) => one.id !== id),
      decided: decided.filter((one) => one.id !== id),
    };
    if (before === 'dismissed') {
      reader.suggested = { ...others, suggestions: [suggestion, ...others.suggestions] };
      return null;
    }
    const state = decision === 'accept' ? 'accepted' : 'dismissed';
    const entry = { ...suggestion, state, at: '2026-11-20T11:00:00Z', by: by ?? null } as const;
    reader.suggested = { ...others, decided: [entry, ...others.decided] };
    return decision === 'dismiss' ? null : { id: 'regrouping-1', events: 20, issues_before: 25, issues_after: 12 };
  };
  return reader;
}

function changed(issue: IssueSummary, request: ActionRequest): IssueSummary {
  switch (request.action) {
    case 'resolve': {
      const resolvedIn = request.in_release ?? (request.in_next_release === true ? 'next' : null);
      return { ...issue, status: 'resolved', resolved_in: resolvedIn, snooze: null };
    }
    case 'reopen':
      return { ...issue, status: 'open', resolved_in: null, snooze: null };
    case 'ignore': {
      parseSnooze(request.snooze ?? '', Date.now());
      const snooze = request.snooze === 'forever' ? null : (request.snooze ?? null);
      return { ...issue, status: 'ignored', snooze, resolved_in: null };
    }
    case 'assign':
      return { ...issue, assignee: request.assignee ?? null };
    default:
      return { ...issue };
  }
}
