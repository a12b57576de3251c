import type { DataFolder, StoreFiles } from '../../files/store-files.js';
import { makeFolderDurably } from '../../files/write-durably.js';
import { applyRemovals } from '../content/apply-removals.js';
import { IndexContent } from '../content/index-content.js';
import type { RemovalHistory } from '../content/removal.js';
import { generationFolder, manifestPath, newGeneration } from '../documents/index-folder.js';
import { EventSegments } from '../segments/event-segments.js';
import type { LoadedIndex } from './load-index.js';
import { type Manifest, writeManifest } from './manifest.js';

/** Creates an empty index in a new generation; writes nothing. */
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
    releases: [],
    issues: 0,
    openCards: 0,
    states: [],
  };
  const folder = generationFolder(root, manifest.generation);
  const content = new IndexContent(new EventSegments({ files, folder, sealed: manifest, firstReceivedAtMicros: [] }));
  return { manifest, content };
}

/** As `createEmptyIndex`, with what is recorded of removed events. */
export async function beginEmptyIndex(
  { files, directory, history }: DataFolder & { history?: RemovalHistory | undefined },
  grouping: string | null,
): Promise<LoadedIndex> {
  const empty = createEmptyIndex(files, directory, grouping);
  await applyRemovals({ root: directory, content: empty.content, history, isNew: true });
  return empty;
}

/** Writes the folder and manifest of a new generation, so that what a crash leaves behind is recognized. */
export async function writeEmptyIndex(files: StoreFiles, root: string, { manifest }: LoadedIndex): Promise<void> {
  await makeFolderDurably(files, generationFolder(root, manifest.generation));
  await writeManifest(files, manifestPath(root), manifest);
}
