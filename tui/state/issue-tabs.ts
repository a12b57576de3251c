import { parseQuery } from '../../core/query/parse-query.js';
import { printValue } from '../../core/query/print-query.js';
import type { QueryNode } from '../../core/query/query-ast.js';
import { QueryFault } from '../../core/query/query-fault.js';
import { joinQueries } from './query-terms.js';

/** The tabs of the list of issues, in order; each has a count of the same name. */
export const ISSUE_TABS = ['open', 'review', 'mine', 'ignored', 'resolved', 'all'] as const;
export type IssueTab = (typeof ISSUE_TABS)[number];

/** A tab as it is written on the screen. */
export function tabLabel(tab: IssueTab): string {
  return tab.charAt(0).toUpperCase() + tab.slice(1);
}

/** Queries of the tabs; `mine` stands for the issues assigned to the user. */
const TAB_QUERIES: Readonly<Record<IssueTab, string>> = {
  open: 'is:open',
  review: 'is:open is:[new, regressed, spiking]',
  mine: 'is:open mine',
  ignored: 'is:ignored',
  resolved: 'is:resolved',
  all: '',
};

/** UTF-16 units that joining a tab may add to a query: a name has at most 200, each perhaps escaped. */
export const TAB_RESERVE = 512;

/** Flags that decide in which tab an issue is. */
const STATE_FLAGS: readonly string[] = ['open', 'ignored', 'resolved'];

/** The tab that is listed: a filter that names a state searches all issues. */
export function listedTab({ tab, query }: { readonly tab: IssueTab; readonly query: string }): IssueTab {
  try {
    return namesState(parseQuery(query, 'issues')) ? 'all' : tab;
  } catch (error) {
    if (error instanceof QueryFault) return tab;
    throw error;
  }
}

function namesState(node: QueryNode): boolean {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.some(namesState);
    case 'not':
      return namesState(node.node);
    case 'field':
      return node.field.name === 'status' || (node.test.kind === 'flag' && STATE_FLAGS.includes(node.test.flag));
    case 'text':
      return false;
  }
}

/** The query of a list, with the name of the user for `mine`; an invalid filter stays as it is, so that the reader rejects it. */
export function listQuery(source: { readonly tab: IssueTab; readonly query: string }, me: string | undefined): string {
  const query = withName(source.query, me);
  try {
    return joinQueries(withName(TAB_QUERIES[listedTab(source)], me), query, 'issues');
  } catch (error) {
    if (error instanceof QueryFault) return query;
    throw error;
  }
}

/** A quoted text, or the word `mine` as a whole term. */
const QUOTED_OR_MINE = /"(?:\\.|[^"\\])*"|(?<![^\s(-])mine(?![^\s)])/g;

/** Replaces the term `mine` by the name of the user; without a name it matches nothing. */
export function withName(query: string, me = ''): string {
  return query.replaceAll(QUOTED_OR_MINE, (part) => (part === 'mine' ? `assignee:${printValue(me, 'text')}` : part));
}
