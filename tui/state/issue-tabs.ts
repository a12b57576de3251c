import { QueryFault } from '../../core/query/query-fault.js';
import { joinQueries } from './join-queries.js';

/** The tabs of the list of issues, in order; each but `all` is a state or mark of issues, `is:…` in the query language. */
export const ISSUE_TABS = ['open', 'new', 'regressed', 'ignored', 'resolved', 'all'] as const;
export type IssueTab = (typeof ISSUE_TABS)[number];

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
