import type { QueryField } from './query-fields.js';
import type { ReleaseVersion } from './release-version.js';
import type { TextPattern } from './text-pattern.js';
import type { TimePoint } from './time-point.js';

/** A parsed query. An `and` of nothing matches everything. */
export type QueryNode =
  | { readonly kind: 'and'; readonly nodes: readonly QueryNode[] }
  | { readonly kind: 'or'; readonly nodes: readonly QueryNode[] }
  | { readonly kind: 'not'; readonly node: QueryNode }
  | FieldNode
  | { readonly kind: 'text'; readonly pattern: TextPattern };

/** A term that asks for the value of one field. */
export interface FieldNode {
  readonly kind: 'field';
  readonly field: QueryField;
  readonly test: ValueTest;
}

/** What a value is compared with. */
export type ValueTest =
  | { readonly kind: 'pattern'; readonly pattern: TextPattern }
  | { readonly kind: 'numbers'; readonly low: Bound<number> | null; readonly high: Bound<number> | null }
  | {
      readonly kind: 'versions';
      readonly low: Bound<WrittenVersion> | null;
      readonly high: Bound<WrittenVersion> | null;
    }
  /** From `from` up to, and without, `to`. */
  | { readonly kind: 'times'; readonly from: TimePoint | null; readonly to: TimePoint | null }
  | { readonly kind: 'mark'; readonly mark: string };

/** An end of a range; null where the range has none. */
export interface Bound<Value> {
  readonly value: Value;
  /** Whether the value itself lies outside. */
  readonly isOpen: boolean;
}

/** A version and how it was written. */
export interface WrittenVersion {
  readonly text: string;
  readonly version: ReleaseVersion;
}

/** Whether a query asks for nothing in particular. */
export function matchesEverything(query: QueryNode): boolean {
  return query.kind === 'and' && query.nodes.length === 0;
}
