import type { EventDetail } from '../../generated/reader-answers.js';
import { detailView } from '../format/event/detail-view.js';
import type { StackRow } from '../format/event/stack-rows.js';
import { type StackView, stackView } from '../format/event/stack-view.js';

/** The rows that are shown, and those that a search scans. */
const MAX_CACHED_ROWS = 2;

export type EventViews = ReturnType<typeof createEventViews>;

/** Creates the views of an event for the panes, each computed on first use. */
export function createEventViews(event: EventDetail) {
  let stack: StackView | undefined;
  const cached: { dependencies: readonly unknown[]; rows: readonly StackRow[] }[] = [];
  const stackOnce = (): StackView => {
    stack ??= stackView(event.normalized.stack ?? '');
    return stack;
  };
  return {
    blocks: detailView(event),
    stack: stackOnce,
    /** The rows of the stack, computed again only when a dependency changed. */
    stackRows(dependencies: readonly unknown[], make: (view: StackView) => readonly StackRow[]): readonly StackRow[] {
      const known = cached.find((one) => one.dependencies.every((value, index) => value === dependencies[index]));
      if (known !== undefined) return known.rows;
      const rows = make(stackOnce());
      cached.unshift({ dependencies, rows });
      cached.length = Math.min(cached.length, MAX_CACHED_ROWS);
      return rows;
    },
  };
}
