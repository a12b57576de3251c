import { dirname, join } from 'node:path';
import { type StoreFiles, unlinkIfExists } from '../files/store-files.js';
import { settleAll } from '../record/io/settle-all.js';
import { COMMITS_FILE, type PartitionFolder, RAW_FILE, RAW_FOLDER } from '../record/partitions/partition-path.js';

const MAX_PARALLEL = 8;
const MS_PER_HOUR = 3_600_000;

/**
 * Deletes the files of partitions durably, and the emptied folders of hours, days, months and years that are over. Folders of names
 * stay, because the writer syncs them only once. Safe to repeat; throws the first system error after trying all partitions.
 */
export async function removePartitions(
  files: StoreFiles,
  directory: string,
  partitions: readonly PartitionFolder[],
  beforeMicros: number,
): Promise<void> {
  const changed = new Set<string>();
  const errors: unknown[] = [];
  const remove = async (partition: PartitionFolder): Promise<void> => {
    const folder = join(directory, partition.folder);
    // Commits first: a concurrent reader reports commit records without lines as damage.
    await unlinkIfExists(files, join(folder, COMMITS_FILE));
    await unlinkIfExists(files, join(folder, RAW_FILE));
    let left = folder;
    for (const level of closedFolders(partition, beforeMicros)) {
      const isMissing = (await files.stat(join(directory, level))) === undefined;
      left = join(directory, level);
      if (!isMissing && !(await files.removeFolder(left))) break;
      left = dirname(left);
    }
    changed.add(left);
  };
  // Continue after a failed deletion.
  await settleAll(partitions, MAX_PARALLEL, (partition) =>
    remove(partition).catch((error: unknown) => errors.push(error)),
  );
  await settleAll(changed, MAX_PARALLEL, async (folder) => {
    if ((await files.stat(folder)) !== undefined) await files.syncFolder(folder);
  });
  if (errors.length > 0) throw errors[0];
}

/** Removes the folder of a name if it is empty, and those above it. The writer must not know them as durable: it syncs them only once. */
export async function removeEmptyNames(files: StoreFiles, directory: string, folder: string): Promise<void> {
  for (let empty = folder; empty !== RAW_FOLDER; empty = dirname(empty)) {
    if (!(await files.removeFolder(join(directory, empty)))) return;
  }
}

function closedFolders({ folder, hour }: PartitionFolder, beforeMicros: number): string[] {
  const begin = new Date(hour * MS_PER_HOUR);
  const [year, month, day] = [begin.getUTCFullYear(), begin.getUTCMonth(), begin.getUTCDate()];
  const endsMs = [
    (hour + 1) * MS_PER_HOUR,
    Date.UTC(year, month, day + 1),
    Date.UTC(year, month + 1),
    Date.UTC(year + 1, 0),
  ];
  const folders: string[] = [];
  let level = folder;
  for (const endMs of endsMs) {
    if (endMs * 1000 > beforeMicros) break;
    folders.push(level);
    level = dirname(level);
  }
  return folders;
}
