import { join } from 'node:path';
import type { CommitRecord } from '../../record/commits/commit-record.js';
import { readCommits } from '../../record/commits/commit-search.js';
import { ReadHandles } from '../../record/io/file-handles.js';
import { formatMicros } from '../../record/partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../../record/partitions/partition-path.js';
import type { VerifyContext } from '../verify-context.js';

type Lines = Pick<CommitRecord, 'line' | 'lines'>;

/** Checks that ids are unique: lines of one number and time collide if two partitions of an hour have the same hash. */
export async function checkEventIds(context: VerifyContext): Promise<void> {
  for (const partitions of collidingPartitions(context.partitions)) await compare(context, partitions);
}

function collidingPartitions(partitions: readonly Partition[]): Partition[][] {
  const byHourAndHash = new Map<string, Partition[]>();
  for (const partition of partitions) {
    const key = `${partition.hour}:${partition.hash}`;
    byHourAndHash.set(key, [...(byHourAndHash.get(key) ?? []), partition]);
  }
  return [...byHourAndHash.values()].filter((sharing) => sharing.length > 1);
}

async function compare(context: VerifyContext, partitions: Partition[]): Promise<void> {
  await using handles = new ReadHandles(context.files, 2);
  const seen = new Map<number, { folder: string; lines: Lines }[]>();
  for (const { folder } of partitions) {
    for await (const batch of readCommits(handles.file(join(context.directory, folder, COMMITS_FILE)), { from: 0 })) {
      for (const { record } of batch) {
        const sameTime = seen.get(record.receivedAtMicros) ?? [];
        const other = sameTime.find((one) => one.folder !== folder && overlap(one.lines, record));
        if (other !== undefined) reportDuplicate(context, folder, record, other.folder);
        sameTime.push({ folder, lines: { line: record.line, lines: record.lines } });
        seen.set(record.receivedAtMicros, sameTime);
      }
      await context.nextSlice('comparing event ids', 0, 0);
    }
  }
}

function overlap(one: Lines, other: Lines): boolean {
  return one.line < other.line + other.lines && other.line < one.line + one.lines;
}

function reportDuplicate(context: VerifyContext, folder: string, record: CommitRecord, other: string): void {
  const { line, receivedAtMicros } = record;
  const what = `Events received ${formatMicros(receivedAtMicros)} have the ids of events in ${other}.`;
  context.report({ code: 'EVENT_ID_DUPLICATE', file: `${folder}/${RAW_FILE}`, line, what });
}
