import { makeFolderDurably } from '../files/make-folder-durably.js';
import { isIndexUnusable } from './index-fault.js';
import { generationFolder } from './index-folder.js';
import type { IssueIndexOptions, NextGeneration } from './issue-index.js';
import { checkLastEvent, type LoadedIndex, loadGeneration } from './load-index.js';
import { removeStrayDocuments } from './remove-strays.js';
import { createEmptyIndex } from './start-index.js';
import { takeRemovals } from './take-removals.js';

type Source = Pick<IssueIndexOptions, 'directory' | 'files' | 'record' | 'history'>;

/** Loads what a generation beside the shown one goes on from, or makes an empty one. Removals must be held; rejects with the system's error. */
export async function beginGeneration(source: Source, { plan, from }: NextGeneration): Promise<LoadedIndex> {
  const { directory, files, history } = source;
  let loaded = from === undefined ? undefined : await loadKept(source, from);
  if (loaded === undefined) {
    loaded = createEmptyIndex(files, directory, plan.id);
    await makeFolderDurably(files, generationFolder(directory, loaded.manifest.generation));
    await takeRemovals({ root: directory, content: loaded.content, history, isNew: true });
  }
  return { ...loaded, manifest: { ...loaded.manifest, grouping: plan.id } };
}

/** Undefined where there is none that can be used. */
async function loadKept(source: Source, grouping: string | null): Promise<LoadedIndex | undefined> {
  const { directory, files, record, history } = source;
  try {
    const loaded = await loadGeneration({ directory, files, grouping, history });
    if (loaded === undefined) return undefined;
    await checkLastEvent(directory, record, loaded);
    await removeStrayDocuments(files, directory, loaded.manifest);
    return loaded;
  } catch (error) {
    if (isIndexUnusable(error)) return undefined;
    throw error;
  }
}
