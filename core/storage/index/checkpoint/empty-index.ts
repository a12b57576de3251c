import { makeFolderDurably } from '../../files/make-folder-durably.js';
import type { StoreFiles } from '../../files/store-files.js';
import { IndexContent } from '../content/index-content.js';
import { generationFolder, manifestPath, newGeneration } from '../documents/index-folder.js';
import { EventSegments } from '../segments/event-segments.js';
import type { LoadedIndex } from './load-index.js';
import { type Manifest, writeManifest } from './manifest.js';

/** An index without events, in a new generation that is grouped by that plan; nothing is written. */
export function createEmptyIndex(files: StoreFiles, root: string, grouping: string | null): LoadedIndex {
  const manifest: Manifest = {
    generation: newGeneration(),
    checkpoint: 0,
    grouping,
    segments: 0,
    events: 0,
    cursorMicros: 0,
    lastEventId: null,
    firstSegment: 0,
    removedEvents: 0,
    beforeMicros: 0,
    issues: 0,
    openCards: 0,
    states: [],
  };
  const folder = generationFolder(root, manifest.generation);
  const content = new IndexContent(new EventSegments({ files, folder, sealed: manifest, firstReceivedAtMicros: [] }));
  return { manifest, content };
}

/** Begins a new generation on disk: with a manifest from the start, what a crash leaves behind is known to be one's own. */
export async function writeEmptyIndex(files: StoreFiles, root: string, { manifest }: LoadedIndex): Promise<void> {
  await makeFolderDurably(files, generationFolder(root, manifest.generation));
  await writeManifest(files, manifestPath(root), manifest);
}
