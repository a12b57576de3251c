import { setImmediate as nextMacrotask } from 'node:timers/promises';
import { indexUnusable } from '../documents/index-fault.js';
import { manifestPath } from '../documents/index-folder.js';
import type { IndexContent } from './index-content.js';
import { NO_REMOVALS, type Removal, type RemovalHistory } from './removal.js';

/**
 * Applies recorded removals that an index lacks, before the replay. `isNew`: it is empty, so issues that lost events are restored from the
 * history, and the record provides the rest. Throws `INDEX_UNUSABLE` if it lacks events that they removed, or has
 * more removals than recorded.
 */
export async function applyRemovals(
  { directory, history = NO_REMOVALS }: { directory: string; history?: RemovalHistory | undefined },
  content: IndexContent,
  isNew: boolean,
): Promise<void> {
  const known = content.removed.beforeMicros;
  const totals = await history.totals();
  if (totals?.beforeMicros === known) {
    content.removed = totals;
    return;
  }
  if (totals !== undefined && totals.beforeMicros < known) {
    throw indexUnusable(manifestPath(directory), 'knows of removed events that retention.ndjson does not name');
  }
  for await (const removal of history.removals()) {
    if (removal.totals.beforeMicros < known) continue;
    if (removal.totals.beforeMicros === known) content.removed = removal.totals;
    else if (isNew) content.restoreRemoved(removal);
    else if (isCovered(content, removal)) content.applyRemoval(removal);
    else throw indexUnusable(manifestPath(directory), 'lacks events that retention removed later');
    await nextMacrotask();
  }
}

/** A summary does not hold what each removal subtracted from a trend. */
function isCovered(content: IndexContent, { throughMicros, isSummary }: Removal): boolean {
  return !isSummary && throughMicros <= content.segments.sealed.cursorMicros;
}
