import { join, resolve } from 'node:path';
import { openEventStore } from '../event-store.js';
import { nodeFiles } from '../files/node-files.js';
import { removeTree } from '../files/remove-tree.js';
import { requireFolder } from '../files/require-folder.js';
import type { StoreFiles } from '../files/store-files.js';
import type { CreateGrouper } from '../index/event-groupers.js';
import { isIndexUnusable } from '../index/index-fault.js';
import { loadIndex } from '../index/load-index.js';
import type { ReplayProgress } from '../index/replay-record.js';
import { restoreFromIndex } from '../index/restore-from-index.js';
import { groupingPlan } from '../record/grouping-log-plan.js';
import { readGroupingLog } from '../record/grouping-log-read.js';
import { SALVAGE_FOLDER } from '../record/salvage.js';
import { openWriterLock } from '../record/writer-lock.js';

const INDEX_FOLDER = 'index';
/** The old index while the new one is made; at most one of them lies in a folder. */
const REPLACED_FOLDER = 'index.replaced';

/** What is rebuilt, and who hears of it. */
export interface RebuildOptions {
  /** The data folder; it must exist. */
  directory: string;
  /** Makes what groups events; default: the product's own. */
  createGrouper?: CreateGrouper;
  /** Whether further threads help, with the product's own groupers; default false. */
  threads?: boolean;
  files?: StoreFiles;
  onProgress?: (progress: ReplayProgress) => void;
  /** Called for damage that was met. */
  onFault?: (fault: Error) => void;
  /** Calls it off: the promise then rejects with the reason, and the next start goes on where it was. */
  signal?: AbortSignal;
}

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
  const { createGrouper, threads, onFault, onProgress, signal } = options;
  const files = options.files ?? nodeFiles;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  const before = await salvagedIn(files, directory);
  await setOldIndexAside(files, directory, onFault);
  const store = await openEventStore({
    directory,
    files,
    ...(createGrouper && { createGrouper }),
    ...(threads !== undefined && { threads }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
    ...(onFault && { onFault }),
  }).catch((error: unknown) => {
    // The store says STORE_CLOSING then.
    signal?.throwIfAborted();
    throw error;
  });
  try {
    await store.checkpoint();
    const { events, issues } = await store.reader.stats();
    await removeTree(files, join(directory, REPLACED_FOLDER));
    const salvaged = (await salvagedIn(files, directory)).filter((path) => !before.includes(path));
    return { events, issues, salvaged };
  } finally {
    await store.close();
  }
}

async function salvagedIn(files: StoreFiles, directory: string): Promise<string[]> {
  const entries = await files.list(join(directory, SALVAGE_FOLDER));
  return entries.map(({ name }) => `${SALVAGE_FOLDER}/${name}`).sort();
}

/** Under the lock, which is then free for the store: whoever takes it in between finds no index and makes it too. */
async function setOldIndexAside(files: StoreFiles, directory: string, onFault = (_: Error): void => {}): Promise<void> {
  const lock = await openWriterLock({ directory, files, onFault });
  try {
    const index = join(directory, INDEX_FOLDER);
    if ((await files.stat(index)) === undefined) return;
    await restoreFromOldIndex(files, directory, onFault);
    // From a rebuild that was interrupted: what lies under the usual name now is at least as good.
    await removeTree(files, join(directory, REPLACED_FOLDER));
    await files.rename(index, join(directory, REPLACED_FOLDER));
    await files.syncFolder(directory);
  } finally {
    await lock.close();
  }
}

/** What it alone knows: times of lines that lost their commit records. */
async function restoreFromOldIndex(
  files: StoreFiles,
  directory: string,
  onFault: (fault: Error) => void,
): Promise<void> {
  const plan = groupingPlan((await readGroupingLog({ directory, files })).lines);
  try {
    const loaded = await loadIndex({ directory, files, grouping: plan.id });
    if (loaded !== undefined) await restoreFromIndex({ directory, files, content: loaded.content, plan, onFault });
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
  }
}
