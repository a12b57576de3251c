import { join, resolve } from 'node:path';
import { openEventStore } from '../event-store.js';
import type { EventStoreOptions } from '../event-store-options.js';
import { nodeFiles } from '../files/node-files.js';
import { removeTree } from '../files/remove-tree.js';
import { requireFolder } from '../files/require-folder.js';
import type { StoreFiles } from '../files/store-files.js';
import { readGroupingLog } from '../groupings/grouping-log.js';
import { groupingPlan } from '../groupings/grouping-log-plan.js';
import { loadIndex } from '../index/checkpoint/load-index.js';
import { isIndexUnusable } from '../index/documents/index-fault.js';
import { indexFolder } from '../index/documents/index-folder.js';
import { restoreCommits } from '../index/restore-commits.js';
import { openWriterLock } from '../lock/writer-lock.js';
import { SALVAGE_FOLDER } from '../record/io/salvage.js';

/** The old index while the new one is made; at most one of them lies in a folder. */
const REPLACED_FOLDER = 'index.replaced';

/** What is rebuilt, and how; the folder must exist. The next start goes on where a rebuild was that `signal` called off. */
export type RebuildOptions = Pick<
  EventStoreOptions,
  'directory' | 'createGrouper' | 'files' | 'onProgress' | 'onFault' | 'signal'
>;

/** What the new index holds. */
export interface RebuildResult {
  readonly events: number;
  readonly issues: number;
  /** Tails of files that were cut on the way, as paths from the data folder: without an index, the last commit may have been cut off by a crash. */
  readonly salvaged: readonly string[];
}

/**
 * Makes the index of a folder anew from its record, which is mended first as at every start of a collector. The old index is removed
 * once the new one is on the disk. Faults: `FOLDER_NOT_FOUND`, `STORE_LOCKED` (names the holder), `STORE_UNAVAILABLE`.
 */
export async function rebuildIndex(options: RebuildOptions): Promise<RebuildResult> {
  const { files = nodeFiles, onFault, signal } = options;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  const before = await listSalvaged(files, directory);
  await setOldIndexAside(files, directory, onFault);
  const store = await openEventStore({ ...options, directory, files }).catch((error: unknown) => {
    // The store says STORE_CLOSING then.
    signal?.throwIfAborted();
    throw error;
  });
  try {
    await store.checkpoint();
    const { events, issues } = await store.reader.stats();
    await removeTree(files, join(directory, REPLACED_FOLDER));
    const salvaged = (await listSalvaged(files, directory)).filter((path) => !before.includes(path));
    return { events, issues, salvaged };
  } finally {
    await store.close();
  }
}

async function listSalvaged(files: StoreFiles, directory: string): Promise<string[]> {
  const entries = await files.list(join(directory, SALVAGE_FOLDER));
  return entries.map(({ name }) => `${SALVAGE_FOLDER}/${name}`).sort();
}

/** Under the lock, which is then free for the store: a process that takes it in between finds no index and builds it too. */
async function setOldIndexAside(files: StoreFiles, directory: string, onFault = (_: Error): void => {}): Promise<void> {
  const lock = await openWriterLock({ directory, files, onFault });
  try {
    const index = indexFolder(directory);
    if ((await files.stat(index)) === undefined) return;
    // Only the old index knows the times of lines that lost their commit records.
    const plan = groupingPlan((await readGroupingLog({ directory, files })).lines);
    try {
      const loaded = await loadIndex({ directory, files, grouping: plan.id });
      if (loaded !== undefined) await restoreCommits({ directory, files, content: loaded.content, plan, onFault });
    } catch (error) {
      if (!isIndexUnusable(error)) throw error;
    }
    // From a rebuild that was interrupted: what lies under the usual name now is at least as good.
    await removeTree(files, join(directory, REPLACED_FOLDER));
    await files.rename(index, join(directory, REPLACED_FOLDER));
    await files.syncFolder(directory);
  } finally {
    await lock.close();
  }
}
