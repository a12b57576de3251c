import type { Fault } from '../../event/fault.js';
import type { StoreFiles } from '../files/store-files.js';
import { hourOfMicros, MICROS_PER_HOUR } from '../record/arrival-time.js';
import { type GroupingPlan, groupingAt } from '../record/grouping-log-plan.js';
import type { Partition } from '../record/partition.js';
import { type IndexedLine, restoreCommits } from '../record/restore-commits.js';
import type { IndexContent } from './index-content.js';

/** Writes the commit records again that the record lost and a loaded index still knows. Rejects with `INDEX_UNUSABLE`, or with the system's error. */
export async function restoreFromIndex(options: {
  /** Absolute path of the data folder. */
  directory: string;
  files: StoreFiles;
  content: IndexContent;
  /** By which the index groups. */
  plan: GroupingPlan;
  onFault: (fault: Fault) => void;
}): Promise<void> {
  const { directory, files, content, plan, onFault } = options;
  const { beforeMicros, cursorMicros } = content.segments.sealed;
  const linesOf = (partition: Partition, fromMicros: number): AsyncIterable<IndexedLine> =>
    sealedLinesOf(content, plan, partition, fromMicros);
  await restoreCommits({ files, directory, fromHour: hourOfMicros(beforeMicros), cursorMicros, linesOf, onFault });
}

async function* sealedLinesOf(
  { issues, segments }: IndexContent,
  plan: GroupingPlan,
  { folder, hour }: Partition,
  fromMicros: number,
): AsyncGenerator<IndexedLine> {
  const first = segments.numberAt(Math.max(fromMicros, hour * MICROS_PER_HOUR));
  for (let number = Math.max(first, segments.sealed.firstSegment); number < segments.sealed.segments; number += 1) {
    const segment = await segments.get(number);
    if (segment.firstReceivedAtMicros >= (hour + 1) * MICROS_PER_HOUR) return;
    const partition = segment.partitions.findIndex((other) => other.folder === folder);
    for (let place = 0; partition >= 0 && place < segment.rows; place += 1) {
      if (segment.partitionAt(place) !== partition) continue;
      const receivedAtMicros = segment.receivedAtMicrosAt(place);
      const issue = issues.inOrder[segment.ordinalAt(place)];
      // What was regrouped has lost what grouped it on arrival, which no longer counts.
      const isOfArrival = issue !== undefined && groupingAt(plan, receivedAtMicros).counts === 'committed';
      const fingerprint = isOfArrival ? { version: issue.fingerprintVersion, value: issue.fingerprint } : undefined;
      const bytes = segment.bytesAt(place);
      yield { line: segment.lineAt(place), offset: segment.offsetAt(place), bytes, receivedAtMicros, fingerprint };
    }
  }
}
