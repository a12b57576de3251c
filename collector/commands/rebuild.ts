import { printable } from '../../config/values/printable.js';
import { rebuildIndex } from '../../core/storage/verify/rebuild-index.js';
import { createProgressLine, type ProgressStream, progressBar } from './progress-line.js';
import { INTERRUPTED, untilInterrupted } from './until-interrupted.js';

/** What `faultline rebuild` was called with. */
export interface RebuildCommandOptions {
  directory: string;
  stdout: { write(text: string): unknown };
  stderr: ProgressStream;
}

/** Makes the index of a data folder anew; answers the exit code: 0 done, 130 interrupted. Faults as `rebuildIndex`. */
export async function runRebuild({ directory, stdout, stderr }: RebuildCommandOptions): Promise<number> {
  const progress = createProgressLine(stderr);
  const startedMs = performance.now();
  try {
    const result = await untilInterrupted((signal) =>
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
    progress.clear();
    if (result === undefined) {
      stderr.write('interrupted; the next start of a collector makes the rest of the index\n');
      return INTERRUPTED;
    }
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const { events, issues, salvaged } = result;
    // The record was mended as after a crash: what was taken for a torn end is kept, and somebody should look at it.
    for (const path of salvaged)
      stderr.write(`${printable(path)}: the end of this file was damaged and is set aside here\n`);
    stdout.write(`${events.toLocaleString('en')} events, ${issues.toLocaleString('en')} issues, ${seconds} s\n`);
    return 0;
  } finally {
    progress.clear();
  }
}
