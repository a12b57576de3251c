import { parseQuery } from '../../core/query/parse-query.js';
import { printQuery } from '../../core/query/print-query.js';
import type { QuerySubject } from '../../core/query/query-fields.js';

/**
 * A query that matches what two match. They are joined as trees: as text, a parenthesis that is part of a word in one would meet a parenthesis around it.
 * Throws `QUERY_INVALID` where one of them is no query.
 */
export function joinQueries(one: string, other: string, subject: QuerySubject): string {
  if (one === '' || other === '') return one + other;
  return printQuery({ kind: 'and', nodes: [parseQuery(one, subject), parseQuery(other, subject)] });
}
