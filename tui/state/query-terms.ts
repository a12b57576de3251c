import { parseQuery } from '../../core/query/parse-query.js';
import { printQuery, printValue } from '../../core/query/print-query.js';
import type { QuerySubject } from '../../core/query/query-fields.js';

/**
 * A query that matches what two match. They are joined as trees: as text, a parenthesis that is part of a word in one would meet a parenthesis around it.
 * Throws `QUERY_INVALID` where one of them is no query.
 */
export function joinQueries(one: string, other: string, subject: QuerySubject): string {
  if (one === '' || other === '') return one + other;
  return printQuery({ kind: 'and', nodes: [parseQuery(one, subject), parseQuery(other, subject)] });
}

/** A term of the query language that asks for one value, or with `isLeftOut` for everything else. */
export function valueTerm(field: string, value: string, isLeftOut = false): string {
  return `${isLeftOut ? '-' : ''}${field}:${printValue(value, 'text')}`;
}

/** A term that asks for a text that begins so. */
export function beginningTerm(field: string, beginning: string, isLeftOut = false): string {
  const escaped = beginning.replaceAll(/["\\*]/g, String.raw`\$&`);
  return `${isLeftOut ? '-' : ''}${field}:"${escaped}*"`;
}

/** A query that one more term must match too; the same query where it ends with that term already. */
export function withTerm(query: string, term: string): string {
  if (query === '') return term;
  const asked = parseQuery(query, 'events');
  if (asked.kind === 'or') return joinQueries(query, term, 'events');
  const last = asked.kind === 'and' ? asked.nodes.at(-1) : asked;
  const isAsked = last !== undefined && printQuery(last) === printQuery(parseQuery(term, 'events'));
  return isAsked ? query : `${query} ${term}`;
}
