import { join, resolve } from 'node:path';
import { openExistingStore } from '../acting-folder.js';
import type { EventStoreOptions } from '../event-store-options.js';
import { nodeFiles } from '../files/node-files.js';
import { requireFolder } from '../files/require-folder.js';
import { removeTree, type StoreFiles } from '../files/store-files.js';
import { GROUPING_LOG } from '../groupings/grouping-log.js';
import { groupingPlan } from '../groupings/grouping-log-plan.js';
import { loadIndex } from '../index/checkpoint/load-index.js';
import { unlessUnusable } from '../index/documents/index-fault.js';
import { indexFolder } from '../index/documents/index-folder.js';
import { restoreCommits } from '../index/restore-commits.js';
import { openWriterLock } from '../lock/writer-lock.js';
import { inspectPartitions } from '../record/inspect-partitions.js';
import { readLog } from '../record/io/read-log.js';
import { SALVAGE_FOLDER } from '../record/io/salvage.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';

const REPLACED_FOLDER = 'index.replaced';

/** Options of `rebuildIndex`; the folder must exist. After an abort by `signal` the next start continues the rebuild. */
export type RebuildOptions = Pick<
  EventStoreOptions,
  'directory' | 'createGrouper' | 'files' | 'onProgress' | 'onFault' | 'signal'
>;

interface RebuildResult {
  readonly events: number;
  readonly issues: number;
  /** Torn tails that recovery cut from files, as paths from the data folder. */
  readonly salvaged: readonly string[];
}

/** Recovers a record and rebuilds its index. Faults: `FOLDER_NOT_FOUND`, `STORE_LOCKED` (names the holder), `STORE_UNAVAILABLE`. */
export async function rebuildIndex(options: RebuildOptions): Promise<RebuildResult> {
  const { files = nodeFiles, onFault } = options;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  const before = await listSalvaged(files, directory);
  await setOldIndexAside(files, directory, onFault);
  await using store = await openExistingStore({ ...options, directory, files });
  await store.checkpoint();
  const { events, issues } = await store.reader.stats();
  await removeTree(files, join(directory, REPLACED_FOLDER));
  const salvaged = (await listSalvaged(files, directory)).filter((path) => !before.includes(path));
  return { events, issues, salvaged };
}

async function listSalvaged(files: StoreFiles, directory: string): Promise<string[]> {
  const entries = await files.list(join(directory, SALVAGE_FOLDER));
  return entries.map(({ name }) => `${SALVAGE_FOLDER}/${name}`).sort();
}

/** Holds the lock only for this step: a process that acquires it before our store finds no index and builds it too. */
async function setOldIndexAside(files: StoreFiles, directory: string, onFault = (_: Error): void => {}): Promise<void> {
  await using _lock = await openWriterLock({ directory, files, onFault });
  const index = indexFolder(directory);
  if ((await files.stat(index)) === undefined) return;
  // Only the old index has the times of lines that lost their commit records.
  const plan = groupingPlan((await readLog({ directory, files }, GROUPING_LOG)).lines);
  const restore = async (): Promise<void> => {
    const loaded = await loadIndex({ directory, files, grouping: plan.id });
    if (loaded === undefined) return;
    const { content } = loaded;
    const from = hourOfMicros(content.segments.sealed.beforeMicros);
    const inspected = await inspectPartitions(files, directory, { from });
    await restoreCommits({ directory, files, inspected, content, plan, onFault });
  };
  await unlessUnusable(restore, undefined);
  // An interrupted rebuild left it; the current index is at least as good.
  await removeTree(files, join(directory, REPLACED_FOLDER));
  await files.rename(index, join(directory, REPLACED_FOLDER));
  await files.syncFolder(directory);
}
