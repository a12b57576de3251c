import type { QueryField } from './query-fields.js';
import type { TextPattern } from './text-pattern.js';

/** A parsed query. An `and` of nothing matches everything. */
export type QueryNode =
  | { readonly kind: 'and'; readonly nodes: readonly QueryNode[] }
  | { readonly kind: 'or'; readonly nodes: readonly QueryNode[] }
  | { readonly kind: 'not'; readonly node: QueryNode }
  | { readonly kind: 'field'; readonly field: QueryField; readonly pattern: TextPattern }
  | { readonly kind: 'text'; readonly pattern: TextPattern };

/** Whether a query asks for nothing in particular. */
export function matchesEverything(query: QueryNode): boolean {
  return query.kind === 'and' && query.nodes.length === 0;
}
