import type { EventDetail } from '../../generated/reader-answers.js';
import { type DetailBlock, detailView } from '../format/event/detail-view.js';
import type { StackRow } from '../format/event/stack-rows.js';
import { type StackView, stackView } from '../format/event/stack-view.js';

/** The views of an event for the panes, each computed on first use. */
export interface EventViews {
  readonly blocks: readonly DetailBlock[];
  stack(): StackView;
  /** The rows of the stack, computed again only when a dependency changed. */
  stackRows(dependencies: readonly unknown[], make: (view: StackView) => readonly StackRow[]): readonly StackRow[];
}

/** The rows that are shown, and those that a search scans. */
const MAX_CACHED_ROWS = 2;

/** Creates the views of an event. */
export function createEventViews(event: EventDetail): EventViews {
  let stack: StackView | undefined;
  const cached: { dependencies: readonly unknown[]; rows: readonly StackRow[] }[] = [];
  const stackOnce = (): StackView => {
    stack ??= stackView(event.normalized.stack ?? '');
    return stack;
  };
  return {
    blocks: detailView(event),
    stack: stackOnce,
    stackRows: (dependencies, make) => {
      const known = cached.find((one) => one.dependencies.every((value, index) => value === dependencies[index]));
      if (known !== undefined) return known.rows;
      const rows = make(stackOnce());
      cached.unshift({ dependencies, rows });
      cached.length = Math.min(cached.length, MAX_CACHED_ROWS);
      return rows;
    },
  };
}
