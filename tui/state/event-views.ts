import type { EventDetail } from '../../generated/reader-answers.js';
import { type DetailBlock, detailView } from '../format/event/detail-view.js';
import type { StackRow } from '../format/event/stack-rows.js';
import { type StackView, stackView } from '../format/event/stack-view.js';
import { createJsonTree, type JsonTree } from './json-tree.js';

/** An event in the forms in which the panes show it; each is made when it is first looked at. */
export interface EventViews {
  readonly blocks: readonly DetailBlock[];
  stack(): StackView;
  tree(pane: TreePane): JsonTree;
  /** The rows of the stack, made anew only where something that they depend on is another one. */
  stackRows(dependencies: readonly unknown[], make: (view: StackView) => readonly StackRow[]): readonly StackRow[];
}

/** Forms of a stack's rows that are kept. */
const MAX_KEPT_ROWS = 2;

export type TreePane = 'raw' | 'normalized';

/** The forms of an event. */
export function createEventViews(event: EventDetail): EventViews {
  const trees = new Map<TreePane, JsonTree>();
  let stack: StackView | undefined;
  // What is shown, and what a search goes through.
  const kept: { dependencies: readonly unknown[]; rows: readonly StackRow[] }[] = [];
  const stackOnce = (): StackView => {
    stack ??= stackView(event.normalized.stack ?? '');
    return stack;
  };
  return {
    blocks: detailView(event),
    stack: stackOnce,
    stackRows: (dependencies, make) => {
      const known = kept.find((one) => one.dependencies.every((value, place) => value === dependencies[place]));
      if (known !== undefined) return known.rows;
      const rows = make(stackOnce());
      kept.unshift({ dependencies, rows });
      kept.length = Math.min(kept.length, MAX_KEPT_ROWS);
      return rows;
    },
    tree: (pane) => {
      const made =
        trees.get(pane) ?? createJsonTree(pane === 'raw' ? { ...event.raw.payload } : { ...event.normalized });
      trees.set(pane, made);
      return made;
    },
  };
}
