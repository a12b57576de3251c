import { parseQuery } from './parse-query.js';
import { printQuery } from './print-query.js';

/** Bounds the work of counting without each. */
const MAX_TERMS = 8;

/** The first terms of a query for issues that must all match, each with the query without it. Throws `QUERY_INVALID`. */
export function withoutEachTerm(text: string): { readonly term: string; readonly others: string }[] {
  const query = parseQuery(text, 'issues');
  const terms = query.kind === 'and' ? query.nodes : [query];
  return terms.slice(0, MAX_TERMS).map((term) => ({
    term: printQuery({ kind: 'and', nodes: [term] }),
    others: printQuery({ kind: 'and', nodes: terms.filter((other) => other !== term) }),
  }));
}
