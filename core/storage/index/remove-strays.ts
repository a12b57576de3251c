import { join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { CARDS_PER_BLOCK } from './cards-document.js';
import {
  fullCardsPath,
  generationFolder,
  listSegments,
  openCardsPath,
  segmentPath,
  statesPath,
} from './index-folder.js';
import type { Manifest } from './manifest.js';

/**
 * Removes the documents that a manifest does not name: what a crash left of a checkpoint, and segments that will be written anew.
 * For the one writer, before anything is replayed.
 */
export async function removeStrays(files: StoreFiles, root: string, manifest: Manifest): Promise<void> {
  const folder = generationFolder(root, manifest.generation);
  const named = namedDocuments(folder, manifest);
  for (const kind of ['cards', 'states']) {
    for (const { name } of await files.list(join(folder, kind))) {
      const path = join(folder, kind, name);
      if (!named.has(path)) await files.unlink(path);
    }
  }
  for (const segment of await listSegments(files, folder)) {
    const isNamed = segment.number >= manifest.firstSegment && segment.number < manifest.segments;
    if (!isNamed) await files.unlink(segmentPath(folder, segment));
  }
}

function namedDocuments(folder: string, manifest: Manifest): Set<string> {
  const named = new Set(manifest.states.map((checkpoint, shard) => statesPath(folder, shard, checkpoint)));
  const fullBlocks = Math.floor(manifest.issues / CARDS_PER_BLOCK);
  for (let block = 0; block < fullBlocks; block += 1) named.add(fullCardsPath(folder, block));
  named.add(openCardsPath(folder, fullBlocks, manifest.openCards));
  return named;
}
