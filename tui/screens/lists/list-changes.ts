import type { IssueId } from '../../../core/event/ids.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { listQuery } from '../../state/issue-tabs.js';
import { type IssueSource, type IssuesScreen, isSameSource } from '../../state/issues-state.js';
import { appendPage } from '../../state/list-merge.js';
import { indexOfSelected, moveSelection, selectedRow } from '../../state/paged-list.js';
import { changeScreen, type TerminalState, topScreen, withEffect, withTop } from '../../state/terminal-state.js';

/** Requests another tab, query or order; the loaded rows stay until the new ones arrive. */
export function withSource(state: TerminalState, change: Partial<IssueSource>): TerminalState {
  const screen = topScreen(state);
  if (screen.kind !== 'issues') return state;
  const wanted = { ...screen.wanted, ...change };
  const list = { ...screen.list, isTouched: false };
  return withTop(state, { ...withoutMarks(screen), wanted, list });
}

/** The targets of an action: the marked issues in list order, or the selected one. */
export function targetsOf({ list, marked }: IssuesScreen): readonly IssueSummary[] {
  if (marked.size > 0) return list.rows.filter(({ issue_id }) => marked.has(issue_id));
  const selected = selectedRow(list);
  return selected === undefined ? [] : [selected];
}

/** Marks or unmarks the selected issue and selects the next row. */
export function toggleMark(screen: IssuesScreen, height: number): IssuesScreen {
  const issue = selectedRow(screen.list);
  if (issue === undefined) return screen;
  const marked = new Set<IssueId>(screen.marked);
  if (!marked.delete(issue.issue_id)) marked.add(issue.issue_id);
  return { ...screen, marked, markStart: issue.issue_id, list: moveSelection(screen.list, 1, height) };
}

/** Marks all issues from the last marked one to the selected one. */
export function markRange(screen: IssuesScreen): IssuesScreen {
  const { list, markStart, marked } = screen;
  const selected = indexOfSelected(list);
  if (selected < 0) return screen;
  const found = list.rows.findIndex(({ issue_id }) => issue_id === markStart);
  const start = found < 0 ? selected : found;
  const range = list.rows.slice(Math.min(start, selected), Math.max(start, selected) + 1);
  const end = list.rows[selected]?.issue_id;
  return { ...screen, marked: new Set([...marked, ...range.map(({ issue_id }) => issue_id)]), markStart: end };
}

/** The most issues that one key marks: as many as one page can have. */
export const MAX_MARKED = 500;

/** Marks all issues of the list, and reads those of them that are not loaded. */
export function markAll(state: TerminalState, screen: IssuesScreen): TerminalState {
  const { key, wanted, me, list } = screen;
  if (list.nextCursor === null || list.rows.length >= MAX_MARKED) return withTop(state, withAllMarked(screen));
  return withEffect(state, {
    perform: async ({ reader }) => {
      const query = listQuery(wanted, me);
      const page = await reader.listIssues({ query, sort: wanted.sort, limit: MAX_MARKED });
      const rows = { rows: page.issues, nextCursor: page.next_cursor };
      return changeScreen('issues', key, (shown) => {
        if (!isSameSource(wanted, shown.wanted)) return shown;
        const { nextCursor } = shown.list;
        const all = nextCursor === null ? shown.list : appendPage(shown.list, nextCursor, rows);
        return withAllMarked({ ...shown, list: all });
      });
    },
  });
}

function withAllMarked(screen: IssuesScreen): IssuesScreen {
  const ids = screen.list.rows.map(({ issue_id }) => issue_id).filter((id) => !screen.gone.has(id));
  return { ...screen, marked: new Set(ids.slice(0, MAX_MARKED)) };
}

/** Removes the marks of issues that left the list. */
export function withLiveMarks(screen: IssuesScreen): IssuesScreen {
  if (screen.marked.size === 0) return screen;
  const marked = screen.list.rows.flatMap(({ issue_id }) => (screen.marked.has(issue_id) ? [issue_id] : []));
  return marked.length === screen.marked.size ? screen : { ...screen, marked: new Set(marked) };
}

/** Clears all marks. */
export function withoutMarks(screen: IssuesScreen): IssuesScreen {
  return screen.marked.size === 0 ? screen : { ...screen, marked: new Set(), markStart: undefined };
}
