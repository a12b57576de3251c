import { joinQueries } from '../../search/join-queries.js';
import type { IssueScreen, TimeRange } from './issue-state.js';

/** Room that a range takes in a query. */
export const RANGE_LENGTH = 80;

/** The query of the events that are listed: what was typed, held to the range. */
export function heldQuery({ query, range }: Pick<IssueScreen, 'query' | 'range'>): string {
  if (range === undefined) return query;
  return joinQueries(rangeTerm(range), query, 'events');
}

/** Both ends of a range in a query belong to it. */
function rangeTerm({ from, to }: TimeRange): string {
  return `timestamp:${from}..${new Date(Date.parse(to) - 1).toISOString()}`;
}
