import type { IssueListOptions } from '../../../core/contract/reader.js';
import type { Fault } from '../../../core/event/fault.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { bodyRows } from '../../components/layout.js';
import { type IssueListShape, shapeOfIssues } from '../../format/issue/issue-list-shape.js';
import { listQuery, withName } from '../../state/issue-tabs.js';
import { type IssueSource, type IssuesScreen, isSameSource } from '../../state/issues-state.js';
import { appendPage, mergeHead, replaceRows, updateRows } from '../../state/list-merge.js';
import { type RowPage, visibleCursor, wantedCursor } from '../../state/paged-list.js';
import { issueRows } from '../../state/row-kinds.js';
import { type StateChange, type StateRead, type TerminalState, withScreen } from '../../state/terminal-state.js';
import { withLiveMarks } from './list-changes.js';

/** Title bar, tabs, filter and column headings. */
export const ROWS_ABOVE_LIST = 4;

/** Rows of the list. */
export function issuesRows(state: TerminalState): number {
  return bodyRows(state, ROWS_ABOVE_LIST);
}

/** Several windows, and small enough to read every second. */
const PAGE_ROWS = 100;

/** Reads to start at once. */
export function missingIssues(state: TerminalState, screen: IssuesScreen): readonly StateRead[] {
  const { list, wanted, shown } = screen;
  if (!isSameSource(wanted, shown)) return [readHead(screen), readCounts(screen)];
  // The filter may be that of the loaded rows again, before others arrived.
  const counts = screen.countedQuery === wanted.query ? [] : [readCounts(screen)];
  if (list.isBehind && !list.isTouched) return [readHead(screen), ...counts];
  const cursor = wantedCursor(list, issuesRows(state));
  return cursor === undefined ? counts : [readNext(screen, cursor), ...counts];
}

/** Reads of every poll. */
export function polledIssues(screen: IssuesScreen): readonly StateRead[] {
  const cursor = visibleCursor(screen.list);
  const visible = cursor === undefined ? [] : [readVisible(screen, cursor)];
  return [readHead(screen), ...visible, readCounts(screen)];
}

function readHead({ key, wanted, me }: IssuesScreen): StateRead {
  return {
    name: `issues ${key} ${nameOf(wanted)}`,
    perform: async (reader) => {
      const page = await reader.listIssues({ ...optionsOf(wanted, me), limit: PAGE_ROWS });
      return changeIssues(key, wanted, (screen, state) => {
        const rows = rowsOf(page);
        const kind = issueRows(wanted.sort);
        const height = issuesRows(state);
        const isPoll = isSameSource(wanted, screen.shown);
        const list = (isPoll ? mergeHead : replaceRows)(screen.list, kind, rows, height);
        const shape =
          isPoll && screen.list.rows.length >= height ? keptShape(screen, list.rows) : shapeOfIssues(list.rows);
        const isNew = list !== screen.list || page.total !== screen.total || screen.shown === undefined;
        if (!isNew && screen.shown === wanted) return screen;
        return withLiveMarks({ ...screen, total: page.total, shown: wanted, list, shape });
      });
    },
    onFault: (fault) => rejectedQuery(key, wanted, fault),
  };
}

/** The shape of a list that fills its window stays; only the owners follow, because people assign them. */
function keptShape({ shape }: IssuesScreen, rows: readonly IssueSummary[]): IssueListShape {
  return { ...shape, owner: shapeOfIssues(rows).owner };
}

function readNext({ key, wanted, me }: IssuesScreen, cursor: string): StateRead {
  return {
    name: `issues ${key} ${nameOf(wanted)} ${cursor}`,
    perform: async (reader) => {
      const page = await reader.listIssues({ ...optionsOf(wanted, me), limit: PAGE_ROWS, cursor });
      return changeIssues(key, wanted, (screen) => ({
        ...screen,
        total: page.total,
        list: appendPage(screen.list, issueRows(wanted.sort), cursor, rowsOf(page)),
      }));
    },
    onFault: (fault) => rejectedQuery(key, wanted, fault),
  };
}

/** Updates the rows of the visible page. */
function readVisible({ key, wanted, me }: IssuesScreen, cursor: string): StateRead {
  return {
    name: `visible issues ${key} ${nameOf(wanted)} ${cursor}`,
    perform: async (reader) => {
      const page = await reader.listIssues({ ...optionsOf(wanted, me), limit: 2 * PAGE_ROWS, cursor });
      return changeIssues(key, wanted, (screen) => {
        const list = updateRows(screen.list, issueRows(wanted.sort), page.issues);
        return list === screen.list ? screen : { ...screen, list };
      });
    },
    // The read of the first page replaces the list.
    onFault: (fault) => (fault.code === 'CURSOR_INVALID' ? (state) => state : undefined),
  };
}

function readCounts({ key, wanted, me }: IssuesScreen): StateRead {
  return {
    name: `counts ${key} ${wanted.query}`,
    perform: async (reader) => {
      const counts = await reader.countIssues({ query: withName(wanted.query, me), ...(me !== undefined && { me }) });
      return (state) =>
        withScreen(state, key, (screen) => {
          if (screen.kind !== 'issues' || screen.wanted.query !== wanted.query) return screen;
          const isSame = JSON.stringify(counts) === JSON.stringify(screen.counts);
          if (isSame && screen.countedQuery === wanted.query) return screen;
          return { ...screen, counts, countedQuery: wanted.query };
        });
    },
    onFault: (fault) => rejectedQuery(key, wanted, fault),
  };
}

function optionsOf(source: IssueSource, me: string | undefined): IssueListOptions {
  return { query: listQuery(source, me), sort: source.sort };
}

function nameOf({ query, tab, sort }: IssueSource): string {
  return JSON.stringify([tab, sort, query]);
}

function rowsOf(page: { issues: IssueSummary[]; next_cursor: string | null }): RowPage<IssueSummary> {
  return { rows: page.issues, nextCursor: page.next_cursor };
}

/** Changes the list, unless it shows another source by then. */
function changeIssues(
  key: number,
  source: IssueSource,
  change: (screen: IssuesScreen, state: TerminalState) => IssuesScreen,
): StateChange {
  return (state) =>
    withScreen(state, key, (screen) =>
      screen.kind === 'issues' && isSameSource(source, screen.wanted) ? change(screen, state) : screen,
    );
}

/** Restores the previous query after an invalid one, with the reason; an invalid cursor reloads the list. */
function rejectedQuery(key: number, source: IssueSource, fault: Fault): StateChange | undefined {
  if (fault.code === 'CURSOR_INVALID') return changeIssues(key, source, (screen) => ({ ...screen, shown: undefined }));
  if (fault.code !== 'QUERY_INVALID' || source.query === '') return undefined;
  return (state) => {
    const changed = changeIssues(key, source, (screen) => ({
      ...screen,
      wanted: screen.shown ?? { ...screen.wanted, query: '' },
    }))(state);
    return changed === state ? state : { ...changed, notice: { text: fault.message, tone: 'error' } };
  };
}
