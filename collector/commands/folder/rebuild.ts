import { printable } from '../../../config/values/printable.js';
import { rebuildIndex } from '../../../core/storage/verify/rebuild-index.js';
import { type FolderCommand, INTERRUPTED, progressBar, withProgress } from '../long-work.js';

/** Rebuilds the index of a data folder. Exit code 0, or 130 if interrupted. Faults as `rebuildIndex`. */
export async function runRebuild({ directory, stdout, stderr }: FolderCommand): Promise<number> {
  const startedMs = performance.now();
  const result = await withProgress(stderr, (progress, signal) =>
    rebuildIndex({
      directory,
      signal,
      onProgress: ({ doneEvents, totalEvents }) =>
        progress.show(`rebuilding the index ${progressBar(doneEvents, totalEvents)}`),
      onFault: (fault) => {
        progress.clear();
        stderr.write(`${fault.message}\n`);
      },
    }),
  );
  if (result === undefined) {
    stderr.write('interrupted; the collector finishes the index when it starts\n');
    return INTERRUPTED;
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const { events, issues, salvaged } = result;
  // The record was recovered as after a crash. Its torn ends were moved, because they may hold damaged events.
  for (const path of salvaged) stderr.write(`damaged end of file moved to ${printable(path)}\n`);
  stdout.write(`${events.toLocaleString('en')} events, ${issues.toLocaleString('en')} issues, ${seconds} s\n`);
  return 0;
}
