import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import { cutText } from '../../core/event/text.js';
import type { ActionRequest, IssueDetail, IssueSummary } from '../../generated/reader-answers.js';
import { textOf } from '../format/issue/fit-title.js';
import type { HistoryEntry } from '../format/issue/history-entries.js';
import { fitTitles } from '../format/issue/issue-titles.js';
import type { EffectContext } from '../state/effect-context.js';
import { updateRows } from '../state/list-merge.js';
import { type Screen, type TerminalState, withEffect, withNotice, withScreen } from '../state/terminal-state.js';
import { type UndoAction, withEntry, withoutActions } from '../state/undo-stack.js';
import { fullCount } from '../text/counts.js';

/** Cells of a notice beside its title, verb and end: quotes, `u undoes.` and the place in the list. */
const NOTICE_CELLS = 26;
const MIN_TITLE_CELLS = 12;
const TITLE_CELLS = 48;

interface IssueAction {
  readonly issueId: IssueId;
  readonly request: ActionRequest;
}

/** Queues the same action on each issue. `verb` is in the past tense: `Resolved`; `after` ends the sentence: ` for 7 days`. */
export function applyToEach(
  state: TerminalState,
  targets: readonly IssueSummary[],
  request: ActionRequest,
  verb: string,
  after = '',
): TerminalState {
  const room = state.size.columns - NOTICE_CELLS - verb.length - after.length;
  const actions = targets.map(({ issue_id: issueId }) => ({ issueId, request }));
  return applyAll(state, actions, (done) => {
    const isAll = done.length === targets.length;
    const what = isAll
      ? describeIssues(done, Math.max(MIN_TITLE_CELLS, room))
      : `${done.length} of ${targets.length} issues`;
    return `${verb} ${what}${after}`;
  });
}

/** Queues actions that one `undo` reverts together. `labelOf` names what was done to the issues that changed. */
export function applyAll(
  state: TerminalState,
  wanted: readonly IssueAction[],
  labelOf: (done: readonly IssueSummary[]) => string,
): TerminalState {
  if (wanted.length === 0) return state;
  return withEffect(state, {
    perform: async (context) => {
      const { issues, actions, failure } = await applyActions(context, wanted);
      return (now) => {
        const updated = withUpdatedIssues(now, issues, failure?.issueIds);
        if (issues.length === 0) return withNotice(updated, `Failed: ${failure?.reason ?? ''}`, 'error');
        const label = labelOf(issues);
        const undoStack =
          actions.length === 0 ? now.undoStack : withEntry(now.undoStack, { label, actions, atMs: now.nowMs });
        const done: TerminalState = { ...updated, undoStack };
        if (failure === undefined) return withNotice(done, `${label}. u undoes.`, 'good');
        return withNotice(done, `${label}; ${failure.issueIds.length} failed: ${failure.reason} u undoes.`, 'error');
      };
    },
  });
}

/** Names issues in a sentence: the title of one, cut to `titleCells` (default 48), or the number of several. */
export function describeIssues(issues: readonly IssueSummary[], titleCells = TITLE_CELLS): string {
  if (issues.length !== 1) return `${fullCount(issues.length)} issues`;
  return `"${fitTitles(issues, titleCells).map(textOf).join()}"`;
}

/** Names the targets in the rule above a menu: the title of one, or the number of several. */
export function menuTitle(verb: string, targets: readonly IssueSummary[], { size }: TerminalState): string {
  if (targets.length > 1) return `${verb} ${describeIssues(targets)}`;
  const room = size.columns - verb.length - '── :  ── Esc cancels ──'.length;
  return `${verb}: ${fitTitles(targets, room).map(textOf).join()}`;
}

/** Applies actions one after the other, signed with the user's name; a failed one does not stop the others. Throws the fault of a single action. */
async function applyActions({ reader, actor }: EffectContext, wanted: readonly IssueAction[]) {
  const issues: IssueDetail[] = [];
  const actions: UndoAction[] = [];
  /** The first reason, if some failed. */
  let failure: { readonly reason: string; readonly issueIds: readonly IssueId[] } | undefined;
  for (const { issueId, request } of wanted) {
    try {
      if (reader.act === undefined) throw new Fault('READ_ONLY', 'Read-only.');
      const signed = actor === undefined ? request : { ...request, actor };
      const issue = await reader.act(issueId, signed);
      issues.push(issue);
      const applied = issue.history.findLast(({ action }) => action === request.action);
      if (applied !== undefined) actions.push({ issueId, actionId: applied.id });
    } catch (error) {
      if (!(error instanceof Fault) || wanted.length === 1) throw error;
      failure = { reason: failure?.reason ?? error.message, issueIds: [...(failure?.issueIds ?? []), issueId] };
    }
  }
  return { issues, actions, failure };
}

/** Shows changed issues on every screen, and clears all marks except those of issues whose action failed. */
function withUpdatedIssues(
  state: TerminalState,
  issues: readonly IssueDetail[],
  failed: readonly IssueId[] = [],
): TerminalState {
  return state.stack.reduce((now, { key }) => withScreen(now, key, (screen) => update(screen, issues, failed)), state);
}

function update(screen: Screen, issues: readonly IssueDetail[], failed: readonly IssueId[]): Screen {
  switch (screen.kind) {
    case 'issues': {
      const list = updateRows(screen.list, issues);
      const marked = new Set(failed.filter((id) => screen.marked.has(id)));
      const before = screen.list.rows.filter(({ issue_id }) => issues.some((issue) => issue.issue_id === issue_id));
      // A merge or split changes its other issues too.
      const changed = [...before, ...issues].flatMap(({ issue_id, merged }) => [issue_id, ...merged]);
      const acted = new Set([...screen.acted, ...changed]);
      const { preview } = screen;
      const previewed = issues.find(({ issue_id }) => issue_id === preview?.issue.issue_id);
      const shown = preview && previewed ? { ...preview, issue: previewed, detail: previewed } : preview;
      return { ...screen, list, acted, marked, markStart: undefined, preview: shown };
    }
    case 'issue': {
      // An action does not return the suspect commit.
      const now = issues.find(({ issue_id }) => issue_id === screen.issue.issue_id);
      return now === undefined ? screen : { ...screen, issue: now, detail: { ...screen.detail, ...now } };
    }
    default:
      return screen;
  }
}

/** UTF-16 units of a question. */
const MAX_QUESTION = 200;

/** Time within which `u` undoes without a question. */
const AT_ONCE_MS = 10_000;

/** Undoes the latest entry of this terminal, an older one after a question. */
export function undoLatest(state: TerminalState): TerminalState {
  const entry = state.undoStack.at(-1);
  if (entry === undefined) return withNotice(state, 'Nothing to undo. In History, u undoes what others did.');
  if (state.nowMs - entry.atMs <= AT_ONCE_MS) return undo(state, entry.actions);
  return withQuestion(state, `Undo: ${entry.label}?`, entry.actions);
}

/** Asks whether to undo an entry of a history, also that of another person, or to bring back what was undone. */
export function openEntryUndo(state: TerminalState, entry: HistoryEntry | undefined): TerminalState {
  if (entry === undefined) return withNotice(state, 'Nothing to undo.');
  const { undoable, undone } = entry;
  if (undoable === undefined) {
    const isUndone = undone !== undefined;
    return withNotice(state, isUndone ? 'Undone already.' : 'This happened by itself and cannot be undone.');
  }
  const text = `${undone === undefined ? 'Undo' : 'Bring back'}: ${entry.text}?`;
  return withQuestion(state, cutText(text, MAX_QUESTION), [undoable]);
}

function withQuestion(state: TerminalState, question: string, actions: readonly UndoAction[]): TerminalState {
  return { ...state, overlay: { kind: 'question', text: [question], yes: (now) => undo(now, actions) } };
}

function undo(state: TerminalState, actions: readonly UndoAction[]): TerminalState {
  const wanted = actions.map(({ issueId, actionId }) => ({
    issueId,
    request: { action: 'undo' as const, undoes: actionId },
  }));
  return withEffect(state, {
    perform: async (context) => {
      const { issues, failure } = await applyActions(context, wanted);
      const undone = actions.filter(({ issueId }) => failure?.issueIds.includes(issueId) !== true);
      return (now) => {
        const updated: TerminalState = {
          ...withUpdatedIssues(now, issues),
          undoStack: withoutActions(now.undoStack, undone),
        };
        if (failure === undefined) return withNotice(updated, 'Undone.', 'good');
        const count = `${failure.issueIds.length} of ${wanted.length}`;
        return withNotice(updated, `Undone, but ${count} failed: ${failure.reason}`, 'error');
      };
    },
  });
}
