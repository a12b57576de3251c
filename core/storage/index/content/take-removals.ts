import { setImmediate as nextMacrotask } from 'node:timers/promises';
import { indexUnusable } from '../documents/index-fault.js';
import { manifestPath } from '../documents/index-folder.js';
import type { IndexContent } from './index-content.js';
import { NO_REMOVALS, type Removal, type RemovalHistory } from './removal.js';

/** What is brought up to the removals, and how. */
export interface TakeRemovalsOptions {
  /** Absolute path of the data folder. */
  root: string;
  content: IndexContent;
  /** Default: nothing was removed. */
  history: RemovalHistory | undefined;
  /** Whether the index is a new one: then issues that lost events are made from the history, and the record gives the rest. */
  isNew: boolean;
}

/**
 * Takes removals that an index does not know yet into it, before anything is replayed.
 * Throws `INDEX_UNUSABLE` where it lacks events that they took, or knows more removals than were written down.
 */
export async function takeRemovals({
  root,
  content,
  history = NO_REMOVALS,
  isNew,
}: TakeRemovalsOptions): Promise<void> {
  const known = content.removed.beforeMicros;
  const totals = await history.totals();
  if (totals?.beforeMicros === known) {
    content.setRemoved(totals);
    return;
  }
  if (totals !== undefined && totals.beforeMicros < known) {
    throw indexUnusable(manifestPath(root), 'knows of removed events that retention.ndjson does not name');
  }
  for await (const removal of history.removals()) {
    if (removal.totals.beforeMicros < known) continue;
    if (removal.totals.beforeMicros === known) content.setRemoved(removal.totals);
    else if (isNew) content.makeRemoved(removal);
    else if (isCovered(content, removal)) content.takeRemoval(removal);
    else throw indexUnusable(manifestPath(root), 'lacks events that retention removed since');
    await nextMacrotask();
  }
}

/** A summary does not say what each removal before it took from a trend. */
function isCovered(content: IndexContent, { throughMicros, isSummary }: Removal): boolean {
  return !isSummary && throughMicros <= content.segments.sealed.cursorMicros;
}
