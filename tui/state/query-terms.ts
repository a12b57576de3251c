import { parseQuery } from '../../core/query/parse-query.js';
import { printQuery, printValue } from '../../core/query/print-query.js';
import type { QuerySubject } from '../../core/query/query-fields.js';

/** Joins two queries with AND, as trees, because a word may contain parentheses. Throws `QUERY_INVALID` if one is not a query. */
export function joinQueries(one: string, other: string, subject: QuerySubject): string {
  if (one === '' || other === '') return one + other;
  return printQuery({ kind: 'and', nodes: [parseQuery(one, subject), parseQuery(other, subject)] });
}

/** A term that matches one value, or with `isExcluded` every other one. */
export function valueTerm(field: string, value: string, isExcluded = false): string {
  return `${isExcluded ? '-' : ''}${field}:${printValue(value, 'text')}`;
}

/** A term that matches a prefix. */
export function prefixTerm(field: string, prefix: string, isExcluded = false): string {
  const escaped = prefix.replaceAll(/["\\*]/g, String.raw`\$&`);
  return `${isExcluded ? '-' : ''}${field}:"${escaped}*"`;
}

/** Adds a term to a query, unless the query ends with it already. */
export function withTerm(query: string, term: string): string {
  if (query === '') return term;
  const parsed = parseQuery(query, 'events');
  if (parsed.kind === 'or') return joinQueries(query, term, 'events');
  const last = parsed.kind === 'and' ? parsed.nodes.at(-1) : parsed;
  const isPresent = last !== undefined && printQuery(last) === printQuery(parseQuery(term, 'events'));
  return isPresent ? query : `${query} ${term}`;
}
