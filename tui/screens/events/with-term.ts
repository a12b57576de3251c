import { parseQuery } from '../../../core/query/parse-query.js';
import { printValue } from '../../../core/query/print-query.js';

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
  if (query === term || query.endsWith(` ${term}`)) return query;
  return parseQuery(query, 'events').kind === 'or' ? `(${query}) ${term}` : `${query} ${term}`;
}
