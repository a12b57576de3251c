import type { Fault } from '../../../core/event/fault.js';
import type { EventSummary, IssueDetail } from '../../../generated/reader-answers.js';
import { summaryRows } from '../../format/event/stack-summary.js';
import { findRelatedIssues } from '../../readers/related-issues.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { appendPage, mergeHead, replaceRows } from '../../state/list-merge.js';
import { emptyList, ISSUE_ROWS, type RowPage, selectedRow, wantedCursor } from '../../state/paged-list.js';
import { changeScreen, type StateChange, type StateRead, type TerminalState } from '../../state/terminal-state.js';
import { REST_MS } from '../lists/preview-reads.js';
import { rejectedFilter } from './change-issue.js';
import { eventRowsOf, issueLayout } from './issue-layout.js';
import { dueSummary, missingSummary } from './summary-reads.js';
import { effectiveQuery } from './time-range.js';

/** The age at which visible related issues are read again. */
const RELATED_MS = 15_000;

function readRelated({ key }: IssueScreen, detail: IssueDetail, atMs: number): StateRead {
  return {
    name: `related ${key}`,
    perform: async (reader) => {
      const related = await findRelatedIssues(reader, detail);
      return changeScreen('issue', key, (screen) => ({ ...screen, related, relatedAtMs: atMs }));
    },
  };
}

/** Several windows, and small enough to read every second. */
const PAGE_ROWS = 100;

/** Reads to start at once. */
export function missingOfIssue(state: TerminalState, screen: IssueScreen): readonly StateRead[] {
  if (screen.reading === 'gone') return [];
  const { detail, related, relatedAtMs, pane } = screen;
  const isDue = related === undefined || (pane === 'related' && state.nowMs - relatedAtMs >= RELATED_MS);
  return [
    ...missingEvents(state, screen),
    ...missingSummary(state, screen),
    ...missingPreview(state, screen),
    ...(screen.releases === undefined && screen.windowSummary !== undefined ? [readReleases(screen)] : []),
    ...(isDue && detail !== undefined ? [readRelated(screen, detail, state.nowMs)] : []),
  ];
}

function readReleases({ key }: IssueScreen): StateRead {
  return {
    name: `marks ${key}`,
    perform: async (reader) => {
      const { releases } = await reader.listReleases();
      return changeScreen('issue', key, (screen) => ({ ...screen, releases }));
    },
  };
}

/** The read of the selected event, once the cursor rests; the issue tells which frame groups it. */
function missingPreview(state: TerminalState, screen: IssueScreen): StateRead[] {
  const { key, list, preview, detail } = screen;
  const eventId = selectedRow(list)?.event_id;
  if (eventId === undefined || detail === undefined || preview?.eventId === eventId) return [];
  if (issueLayout(state, screen).previewRows === 0) return [];
  const perform: StateRead['perform'] = async (reader) => {
    const event = await reader.getEvent(eventId);
    const read = { eventId, event, stack: summaryRows(event, detail.basis) };
    return changeScreen('issue', key, (now) => ({ ...now, preview: read }));
  };
  return [{ name: `event preview ${key} ${eventId}`, perform, delay: { ms: REST_MS, version: eventId } }];
}

/** Reads of every poll. */
export function polledOfIssue(state: TerminalState, screen: IssueScreen): readonly StateRead[] {
  const { issue, query, shownCount } = screen;
  // A filtered read may take long: only after new events.
  const hasNews = (query === '' && screen.range === undefined) || issue.count !== shownCount;
  return [readIssue(screen), ...(hasNews ? [readEvents(screen)] : []), ...dueSummary(state, screen)];
}

function missingEvents(state: TerminalState, screen: IssueScreen): StateRead[] {
  const { list, reading, shownQuery } = screen;
  const isBehind = list.isBehind && !list.isTouched;
  if (reading === 'loading' || shownQuery !== effectiveQuery(screen) || isBehind) return [readEvents(screen)];
  const cursor = wantedCursor(list, eventRowsOf(state, screen));
  return cursor === undefined ? [] : [readEvents(screen, cursor)];
}

function readIssue({ key, issue: { issue_id: issueId } }: IssueScreen): StateRead {
  return {
    name: `issue ${key}`,
    perform: async (reader) => {
      const detail = await reader.getIssue(issueId);
      return changeScreen('issue', key, (screen) => {
        if (detail === undefined) return screen.reading === 'gone' ? screen : { ...screen, reading: 'gone' };
        // It may have been missing in one of several sources only.
        const reading = screen.reading === 'gone' ? 'loading' : screen.reading;
        const issue = ISSUE_ROWS.isSame(screen.issue, detail) ? screen.issue : detail;
        return { ...screen, issue, detail, reading };
      });
    },
  };
}

/** One page at a time; a page of a former query changes nothing visible, and the new object starts the next read. */
function readEvents(requested: IssueScreen, cursor?: string): StateRead {
  const { key, issue } = requested;
  const query = effectiveQuery(requested);
  return {
    name: `events ${key}`,
    perform: async (reader) => {
      const options = { limit: PAGE_ROWS, query, cursor };
      const page = await reader.listEvents(issue.issue_id, options);
      return changeScreen('issue', key, (screen, state) => {
        if (page === undefined) return { ...screen, reading: 'gone' };
        if (effectiveQuery(screen) !== query) return { ...screen };
        const rows = { rows: page.events, nextCursor: page.next_cursor };
        if (cursor !== undefined) return { ...screen, list: appendPage(screen.list, cursor, rows) };
        return withFirstPage(state, screen, rows, { query, count: issue.count });
      });
    },
    onFault: (fault) => rejectedEvents(key, query, fault),
  };
}

/** Shows the first page of a query; returns the same screen if it shows nothing new. */
function withFirstPage(
  state: TerminalState,
  screen: IssueScreen,
  page: RowPage<EventSummary>,
  { query, count }: { query: string; count: number },
): IssueScreen {
  const isSameQuery = screen.shownQuery === query;
  const mergeRows = isSameQuery ? mergeHead : replaceRows;
  const list = mergeRows(screen.list, page, eventRowsOf(state, screen));
  const isShown = isSameQuery && screen.reading !== 'loading' && screen.shownCount === count;
  if (isShown && list === screen.list) return screen;
  return { ...screen, list, shownQuery: query, shownCount: count, reading: 'loaded' };
}

function rejectedEvents(key: number, query: string, fault: Fault): StateChange | undefined {
  if (fault.code === 'CURSOR_INVALID') {
    return changeScreen('issue', key, (screen) => ({
      ...screen,
      list: { ...emptyList(screen.list.kind), selectedId: screen.list.selectedId },
      reading: 'loading',
    }));
  }
  return query === '' ? undefined : rejectedFilter(key, (screen) => effectiveQuery(screen) === query, fault);
}
