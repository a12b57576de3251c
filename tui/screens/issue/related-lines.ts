import { leadingColumns } from '../../format/issue/issue-columns.js';
import { fitTitles } from '../../format/issue/issue-titles.js';
import type { RelatedIssue, RelatedIssues } from '../../readers/related-issues.js';
import type { IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { type Column, groupedLines, tableLines } from '../../text/columns.js';
import { shortCount } from '../../text/counts.js';
import { type Line, words } from '../../text/line.js';
import { momentWords } from '../../text/moments.js';
import { cellsOf, cutToCells } from '../../text/visible.js';

/** Columns of the window from which names of services have more cells. */
const MEDIUM_FROM = 100;

/** The related issues in the order of their rows. */
export function relatedIssues({ related }: IssueScreen): readonly RelatedIssue[] {
  return related?.groups.flatMap(({ issues }) => issues) ?? [];
}

/** The number of issues in the same requests or of the same fingerprint. */
export function relatedCount({ related, detail }: IssueScreen): number | undefined {
  if (related === undefined) return detail?.related.length;
  return new Set(related.groups.slice(0, 2).flatMap(({ issues }) => issues.map(({ issue_id }) => issue_id))).size;
}

/** The issues of each group below its heading; undefined without any. */
export function relatedLines(
  state: TerminalState,
  screen: IssueScreen,
  { selected, rows }: { selected: number; rows: number },
): readonly Line[] | undefined {
  const { related, marked } = screen;
  const issues = relatedIssues(screen);
  if (related === undefined || issues.length === 0) return undefined;
  const [headings = [], ...table] = tableLines(issues, columnsOf(state, issues), {
    cells: state.size.columns,
    selected,
    isMarked: ({ issue_id }) => marked.has(issue_id),
  });
  const groups = related.groups.map(({ heading, at, issues: { length } }) => {
    const moment = at === undefined ? '' : momentWords(at, { nowMs: state.nowMs, zone: state.habits.time });
    const head: Line = [words(`  ${heading}${moment}`, 'label'), words(length === 0 ? ': none' : '')];
    return { head: [head], rows: length, isLeftOut: at !== undefined && length === 0 };
  });
  const partly = related.isComplete ? [] : [{ head: [[words(`  ${PARTLY}`, 'warning')]], rows: 0 }];
  // What began at the same time may be in another group.
  const shown = [...groups.filter(({ isLeftOut }) => !isLeftOut), ...partly];
  return [headings, ...groupedLines(shown, table, { selected, rows: rows - 1 })];
}

const PARTLY = 'Only the latest of their events were searched.';

/** Says that nothing is related. */
export function nothingRelated({ hasLinks, isComplete }: RelatedIssues): string {
  const shared = hasLinks
    ? 'No other issue shares their requests, fingerprint'
    : 'These events have no request id, trace or session, and no other issue shares their fingerprint';
  return `Related: none. ${shared}, message or start.${isComplete ? '' : ` ${PARTLY}`}`;
}

function columnsOf({ size, habits }: TerminalState, issues: readonly RelatedIssue[]): Column<RelatedIssue>[] {
  const most = size.columns < MEDIUM_FROM ? 8 : 12;
  const services = issues.map(({ service }) => cellsOf(cutToCells(service, most)));
  return [
    ...leadingColumns({ hasStates: false, ...habits }),
    { heading: 'ISSUE', cells: 'rest', lines: fitTitles },
    { heading: 'TOGETHER', cells: 8, align: 'right', text: ({ together }) => String(together ?? '') },
    { heading: 'EVENTS', cells: 6, align: 'right', text: ({ count }) => shortCount(count) },
    { heading: 'SERVICE', cells: Math.max(7, ...services), text: ({ service }) => service },
  ];
}
