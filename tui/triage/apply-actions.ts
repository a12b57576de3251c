import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import type { ActionRequest, IssueDetail, IssueSummary } from '../../generated/reader-answers.js';
import type { Outside } from '../state/effect-context.js';
import { updateRows } from '../state/list-merge.js';
import { issueRows } from '../state/row-kinds.js';
import { type Screen, type TerminalState, withEffect, withNotice, withScreen } from '../state/terminal-state.js';
import { type UndoAction, withEntry } from '../state/undo-stack.js';
import { DONE_TITLE_CELLS, describeIssues } from './describe-issues.js';

/** The state in which issues are shown as an action left them, on every screen. Marks have served their purpose, but those of issues with which it `failed`. */
export function withUpdatedIssues(
  state: TerminalState,
  issues: readonly IssueDetail[],
  failed: readonly IssueId[] = [],
): TerminalState {
  return state.stack.reduce((now, { key }) => withScreen(now, key, (screen) => shown(screen, issues, failed)), state);
}

function shown(screen: Screen, issues: readonly IssueDetail[], failed: readonly IssueId[]): Screen {
  switch (screen.kind) {
    case 'issues': {
      const list = updateRows(screen.list, issueRows(screen.wanted.sort), issues);
      const marked = new Set(failed.filter((id) => screen.marked.has(id)));
      return { ...screen, list, marked, markStart: undefined };
    }
    case 'issue': {
      const now = issues.find(({ issue_id }) => issue_id === screen.issue.issue_id);
      return now === undefined ? screen : { ...screen, issue: now, detail: now };
    }
    default:
      return screen;
  }
}

/** One action to be taken. */
interface IssueAction {
  readonly issueId: IssueId;
  readonly request: ActionRequest;
}

/** What came of some actions. */
interface AppliedActions {
  readonly issues: readonly IssueDetail[];
  /** One for each action that was taken. */
  readonly actions: readonly UndoAction[];
  /** The first reason, where some failed. */
  readonly failure: { readonly reason: string; readonly issueIds: readonly IssueId[] } | undefined;
}

/** Takes actions one after the other, signed with the person's name; what fails does not hold up the others. Throws the fault where there is only one action. */
export async function applyActions(
  { reader, actor }: Outside,
  wanted: readonly IssueAction[],
): Promise<AppliedActions> {
  const issues: IssueDetail[] = [];
  const parts: UndoAction[] = [];
  let failure: AppliedActions['failure'];
  for (const { issueId, request } of wanted) {
    try {
      if (reader.act === undefined) throw new Fault('READ_ONLY', 'What is read here cannot be changed from here.');
      const signed = actor === undefined ? request : { ...request, actor };
      const issue = await reader.act(issueId, signed);
      issues.push(issue);
      const taken = issue.history.findLast(({ action }) => action === request.action);
      if (taken !== undefined) parts.push({ issueId, actionId: taken.id });
    } catch (error) {
      if (!(error instanceof Fault) || wanted.length === 1) throw error;
      failure = { reason: failure?.reason ?? error.message, issueIds: [...(failure?.issueIds ?? []), issueId] };
    }
  }
  return { issues, actions: parts, failure };
}

/** The state that asks for the same action on each of some issues. `verb` is in the past: `Resolved`. */
export function applyToEach(
  state: TerminalState,
  targets: readonly IssueSummary[],
  request: ActionRequest,
  verb: string,
): TerminalState {
  const wanted = targets.map(({ issue_id: issueId }) => ({ issueId, request }));
  return applyAll(state, wanted, (done) => `${verb} ${describeIssues(done, DONE_TITLE_CELLS)}`);
}

/** The state that asks for actions, which one `undo` takes back together. `wordsOf` says what was done to the issues that it was done to. */
export function applyAll(
  state: TerminalState,
  wanted: readonly IssueAction[],
  wordsOf: (done: readonly IssueSummary[]) => string,
): TerminalState {
  if (wanted.length === 0) return state;
  return withEffect(state, {
    perform: async (outside) => {
      const { issues, actions: parts, failure } = await applyActions(outside, wanted);
      return (now) => {
        const shown = withUpdatedIssues(now, issues, failure?.issueIds);
        if (issues.length === 0) return withNotice(shown, `Nothing was done: ${failure?.reason ?? ''}`, 'error');
        const words = wordsOf(issues);
        const done =
          parts.length === 0
            ? shown
            : { ...shown, deeds: withEntry(shown.undoStack, { label: words, actions: parts }) };
        if (failure === undefined) return withNotice(done, `${words}. u undoes it.`, 'good');
        return withNotice(done, `${words}, ${failure.issueIds.length} failed: ${failure.reason}`, 'error');
      };
    },
  });
}
