import { setAside } from '../files/write-durably.js';
import {
  beginEmptyIndex,
  checkLastEvent,
  type LoadedIndex,
  loadIndex,
  writeEmptyIndex,
} from './checkpoint/load-index.js';
import { readManifest, writeManifest } from './checkpoint/manifest.js';
import { removeStrayDocuments, removeStrayGenerations } from './checkpoint/remove-strays.js';
import { indexAheadOfRecord, indexUnusable, isIndexUnusable } from './documents/index-fault.js';
import { indexFolder, manifestPath } from './documents/index-folder.js';
import { IssueIndex } from './issue-index.js';
import type { IssueIndexOptions } from './issue-index-options.js';
import { restoreCommits } from './restore-commits.js';

/**
 * Opens the index under the writer lock: loads it, restores commit records that the record lost, and replays what the index lacks. A
 * missing, torn, differently grouped or contradicting index, or one of another format, is set aside and rebuilt. Rejects with the system's
 * error.
 */
export async function openIssueIndex(options: IssueIndexOptions): Promise<IssueIndex> {
  const { directory, onFault = () => undefined } = options;
  for (;;) {
    const loaded = await loadOrStart(options, onFault);
    const cursorMicros = Math.max(loaded.manifest.cursorMicros, loaded.content.removed.beforeMicros - 1);
    const adoptedAfterMicros = await options.beforeReplay?.(cursorMicros);
    // States may count re-dated lines by their old time.
    const isDoubtful = adoptedAfterMicros !== undefined && loaded.content.countsBeyond(adoptedAfterMicros);
    const index = new IssueIndex(options, loaded, onFault);
    try {
      if (!isDoubtful) await index.replay();
    } catch (error) {
      await index.close();
      throw error;
    }
    if (!isDoubtful && !index.content.isAheadOfRecord) return index;
    // The next index is empty and never ahead of the record: this happens once.
    await index.recover(indexAheadOfRecord(directory));
  }
}

async function loadOrStart(options: IssueIndexOptions, onFault: (fault: Error) => void): Promise<LoadedIndex> {
  const { directory, files, record, history } = options;
  const { id: grouping, rollsBackTo: kept } = options.grouping.plan;
  try {
    const loaded = await loadIndex({ directory, files, grouping, history });
    if (loaded !== undefined) {
      const { manifest, content } = loaded;
      await restoreCommits({ directory, files, content, plan: options.grouping.plan, onFault });
      await checkLastEvent(directory, record, loaded);
      await removeStrayDocuments(files, directory, manifest);
      const path = manifestPath(directory);
      const isActive = (await readManifest(files, path))?.generation === manifest.generation;
      if (!isActive) await writeManifest(files, path, manifest);
      await removeStrayGenerations(files, directory, { shown: manifest.generation, kept });
      return loaded;
    }
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    onFault(error);
  }
  const folder = indexFolder(directory);
  const isFolder = ((await files.stat(folder))?.kind ?? 'folder') === 'folder';
  if (!isFolder) onFault(indexUnusable(folder, 'is not a folder'));
  await setAside(files, folder);
  const empty = await beginEmptyIndex(options, grouping);
  await writeEmptyIndex(files, directory, empty);
  return empty;
}
