import type { IssueSort } from '../../core/contract/reader.js';
import type { IssueId } from '../../core/event/ids.js';
import { QueryFault } from '../../core/query/query-fault.js';
import type { IssueCounts, IssueSummary } from '../../generated/reader-answers.js';
import { EMPTY_LIST, type PagedList } from './paged-list.js';
import { joinQueries } from './query-terms.js';

/** The tabs of the list of issues, in order; each but `all` is a state or mark of issues, `is:…` in the query language. */
export const ISSUE_TABS = ['open', 'new', 'regressed', 'ignored', 'resolved', 'all'] as const;
type IssueTab = (typeof ISSUE_TABS)[number];

/** The query of a tab that also holds what a person typed; a text that is no query is handed on as it is, to be refused. */
export function queryOfTab(tab: IssueTab, query: string): string {
  if (tab === 'all') return query;
  try {
    return joinQueries(`is:${tab}`, query, 'issues');
  } catch (error) {
    if (error instanceof QueryFault) return query;
    throw error;
  }
}

/** UTF-16 units that a tab may add to a query, and printing it anew. */
export const TAB_RESERVE = 64;

/** Which issues are listed, in which order. */
export interface IssueSource {
  /** As typed; empty matches everything of the tab. */
  readonly query: string;
  readonly tab: IssueTab;
  readonly sort: IssueSort;
  /** By service first. */
  readonly isGrouped: boolean;
}

/** The list of issues, which is always at the bottom of the stack. */
export interface IssuesScreen {
  readonly kind: 'issues';
  /** Tells the answers for this screen from those for one that was left. */
  readonly key: number;
  readonly list: PagedList<IssueSummary>;
  /** What the person asked for. */
  readonly wanted: IssueSource;
  /** What the rows were read with; undefined before the first answer. */
  readonly shown: IssueSource | undefined;
  /** Issues of the list, loaded or not. */
  readonly total: number;
  /** Issues under each tab that match the query; undefined until they are read. */
  readonly counts: IssueCounts | undefined;
  /** The query that they were counted for; undefined until they are read. */
  readonly countedQuery: string | undefined;
  /** Issues that actions are for; empty: the selected one. */
  readonly marked: ReadonlySet<IssueId>;
  /** Where a range of marks begins; undefined before the first mark. */
  readonly markStart: IssueId | undefined;
  /** Set while nothing new is let in: how many events there were then. */
  readonly paused: { readonly atEvents: number } | undefined;
}

/** The list as it is at the start. */
export function openIssues(key: number): IssuesScreen {
  return {
    kind: 'issues',
    key,
    list: EMPTY_LIST,
    wanted: { query: '', tab: 'open', sort: 'last_seen', isGrouped: false },
    shown: undefined,
    total: 0,
    counts: undefined,
    countedQuery: undefined,
    marked: new Set(),
    markStart: undefined,
    paused: undefined,
  };
}

/** Whether rows read from one source belong to the other. */
export function isSameSource(one: IssueSource, other: IssueSource | undefined): boolean {
  return (
    one.query === other?.query && one.tab === other.tab && one.sort === other.sort && one.isGrouped === other.isGrouped
  );
}
