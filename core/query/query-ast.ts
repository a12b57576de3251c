import type { QueryField } from './query-fields.js';
import type { ReleaseVersion } from './release-version.js';
import type { TextPattern } from './text-pattern.js';
import type { TimePoint } from './time-point.js';

/** A parsed query. An empty `and` matches everything. */
export type QueryNode =
  | { readonly kind: 'and'; readonly nodes: readonly QueryNode[] }
  | { readonly kind: 'or'; readonly nodes: readonly QueryNode[] }
  | { readonly kind: 'not'; readonly node: QueryNode }
  | FieldNode
  | { readonly kind: 'text'; readonly pattern: TextPattern };

/** A test of one field. */
export interface FieldNode {
  readonly kind: 'field';
  readonly field: QueryField;
  readonly test: ValueTest;
}

export type ValueTest =
  /** `isExact`: the name of a level, not its other names. */
  | { readonly kind: 'pattern'; readonly pattern: TextPattern; readonly isExact?: true }
  | { readonly kind: 'numbers'; readonly low: Bound<number> | null; readonly high: Bound<number> | null }
  | {
      readonly kind: 'versions';
      readonly low: Bound<WrittenVersion> | null;
      readonly high: Bound<WrittenVersion> | null;
    }
  /** `from` inclusive, `to` exclusive. */
  | { readonly kind: 'times'; readonly from: TimePoint | null; readonly to: TimePoint | null }
  | { readonly kind: 'flag'; readonly flag: string };

/** An end of a range. */
export interface Bound<Value> {
  readonly value: Value;
  /** True if the value itself is excluded. */
  readonly isOpen: boolean;
}

/** A version and its text in the query. */
export interface WrittenVersion {
  readonly text: string;
  readonly version: ReleaseVersion;
}

export function matchesEverything(query: QueryNode): boolean {
  return query.kind === 'and' && query.nodes.length === 0;
}
