import { join } from 'node:path';
import { removeTree, type StoreFiles, unlinkIfExists } from '../../files/store-files.js';
import {
  generationFolder,
  generationManifestPath,
  listGenerations,
  listSegments,
  segmentPath,
} from '../documents/index-folder.js';
import { readKeptManifest } from './load-index.js';
import { issueDocuments, type Manifest } from './manifest.js';

/** Removes documents that the manifest does not name, as after a crash; call it before the replay. */
export async function removeStrayDocuments(files: StoreFiles, root: string, manifest: Manifest): Promise<void> {
  const folder = generationFolder(root, manifest.generation);
  for (const documents of ['cards', 'states'] as const) {
    const named = new Set(issueDocuments(folder, manifest, documents).map(({ path }) => path));
    for (const { name, kind } of await files.list(join(folder, documents))) {
      const path = join(folder, documents, name);
      if (named.has(path)) continue;
      if (kind === 'folder') await removeTree(files, path);
      else await files.unlink(path);
    }
  }
  for (const segment of await listSegments(files, folder)) {
    const isNamed = segment.number >= manifest.firstSegment && segment.number < manifest.segments;
    if (!isNamed) await files.unlink(segmentPath(folder, segment));
  }
}

/** Removes all generations except the active one and those grouped by `kept`. */
export async function removeStrayGenerations(
  files: StoreFiles,
  root: string,
  { shown, kept }: { readonly shown: string; readonly kept: string | null | undefined },
): Promise<void> {
  for (const generation of await listGenerations(files, root)) {
    if (generation === shown) continue;
    const manifest = kept === undefined ? undefined : await readKeptManifest(files, root, generation);
    if (manifest === undefined || manifest.grouping !== kept) await removeGeneration(files, root, generation);
  }
  // The manifest of the folder names its documents now.
  const path = generationManifestPath(root, shown);
  if ((await files.stat(path)) !== undefined) await unlinkIfExists(files, path);
}

/** Removes a generation that is not active; the manifest first, so that the rest cannot look whole. */
export async function removeGeneration(files: StoreFiles, root: string, generation: string): Promise<void> {
  await unlinkIfExists(files, generationManifestPath(root, generation));
  await removeTree(files, generationFolder(root, generation));
}
