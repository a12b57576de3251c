import { setImmediate as nextMacrotask } from 'node:timers/promises';
import { replaceData } from '../../files/durable-document.js';
import type { DataFolder, StoreFiles } from '../../files/store-files.js';
import { makeFolderDurably } from '../../files/write-durably.js';
import { settleAll } from '../../record/io/settle-all.js';
import type { Partition } from '../../record/partitions/partition-path.js';
import type { RecordReader } from '../../record/reader/record-reader.js';
import { IndexContent } from '../content/index-content.js';
import { ISSUES_PER_SHARD, type IssueState } from '../content/issue-state.js';
import { NO_REMOVALS, type Removal, type RemovalHistory } from '../content/removal.js';
import { readDocument } from '../documents/checked-document.js';
import { indexUnusable, unlessUnusable } from '../documents/index-fault.js';
import {
  generationFolder,
  generationManifestPath,
  listGenerations,
  listSegments,
  manifestPath,
  newGeneration,
  type SegmentFile,
} from '../documents/index-folder.js';
import { EventSegments } from '../segments/event-segments.js';
import { decodeIssueHeaders, decodeStates } from './issue-documents.js';
import { createManifest, HEADERS_PER_BLOCK, issueDocuments, type Manifest, openManifest } from './manifest.js';

/** Documents read concurrently. */
const PARALLEL_READS = 16;

interface LoadOptions extends DataFolder {
  /** `id` of the expected grouping plan. */
  grouping: string | null;
  /** Default: nothing was removed. */
  history?: RemovalHistory | undefined;
}

export interface LoadedIndex {
  readonly manifest: Manifest;
  readonly content: IndexContent;
}

/**
 * Loads all issues and the list of segments, whose events stay on disk; undefined without a manifest. If the active generation is grouped
 * otherwise, loads another one that is not: a crash interrupted a recorded switch. Check the result with `checkLastEvent`. Throws
 * `INDEX_UNUSABLE`, also if a checkpoint of a running writer removed a document; then a newer manifest exists.
 */
export async function loadIndex(options: LoadOptions): Promise<LoadedIndex | undefined> {
  const { directory, files, grouping } = options;
  const path = manifestPath(directory);
  const { manifest: active } = (await openManifest(files, path)).data;
  if (active === undefined) return undefined;
  if (active.grouping === grouping) return await loadDocuments(options, active);
  const other = await loadGeneration(options);
  if (other === undefined) throw indexUnusable(path, 'is grouped otherwise than groupings.ndjson says');
  return other;
}

/**
 * Loads a generation that is not active; undefined if none has this grouping, or retention removed events since: the removals name issues
 * of the generation that was active then. Throws `INDEX_UNUSABLE`.
 */
export async function loadGeneration(options: LoadOptions): Promise<LoadedIndex | undefined> {
  const { directory, files, grouping, history = NO_REMOVALS } = options;
  for (const generation of await listGenerations(files, directory)) {
    const manifest = await readKeptManifest(files, directory, generation);
    if (manifest?.grouping !== grouping) continue;
    if ((await history.totals())?.beforeMicros !== manifest.beforeMicros) continue;
    return await loadDocuments(options, manifest);
  }
  return undefined;
}

/** The manifest of a generation that is not active; undefined if it is missing or unusable. */
export async function readKeptManifest(
  files: StoreFiles,
  root: string,
  generation: string,
): Promise<Manifest | undefined> {
  const path = generationManifestPath(root, generation);
  const document = await unlessUnusable(() => openManifest(files, path), undefined);
  const manifest = document?.data.manifest;
  return manifest?.generation === generation ? manifest : undefined;
}

async function loadDocuments(options: LoadOptions, manifest: Manifest): Promise<LoadedIndex> {
  const { directory, files } = options;
  const folder = generationFolder(directory, manifest.generation);
  const stored = await storedSegments(files, directory, manifest);
  const content = new IndexContent(new EventSegments({ files, folder, sealed: manifest, stored }));
  const blocks: IssueState[][] = [];
  await settleAll(issueDocuments(folder, manifest, 'cards'), PARALLEL_READS, async ({ path, ...range }) => {
    const data = existing(path, await readDocument(files, path, 'cards'));
    blocks[range.first / HEADERS_PER_BLOCK] = decodeIssueHeaders(path, data, range, content.texts);
  });
  for (const issue of blocks.flat()) content.issues.add(issue);
  const countedThrough: number[] = [];
  await settleAll(issueDocuments(folder, manifest, 'states'), PARALLEL_READS, async ({ path, first, count }) => {
    const shard = first / ISSUES_PER_SHARD;
    const issues = content.issues.inOrder.slice(first, first + count);
    const data = existing(path, await readDocument(files, path, 'states'));
    const { throughMicros, namesLostSegments } = decodeStates(path, data, issues, manifest.segments, content.texts);
    countedThrough[shard] = throughMicros;
    if (namesLostSegments) content.changedShards.add(shard);
  });
  content.setLoaded(countedThrough);
  const isNew = manifest.issues === 0 && manifest.segments === 0 && manifest.beforeMicros === 0;
  await applyRemovals(options, content, isNew);
  return { manifest, content };
}

/** Throws `INDEX_UNUSABLE` if an index covers events that the record does not hold. `listed`: as of `RecordReader.partitionOfId`. */
export async function checkLastEvent(
  directory: string,
  record: Pick<RecordReader, 'partitionOfId'>,
  { content }: LoadedIndex,
  listed: readonly Partition[] = [],
): Promise<void> {
  const { lastEventId, cursorMicros, beforeMicros } = content.segments.sealed;
  if (lastEventId === null || cursorMicros < beforeMicros) return;
  if ((await record.partitionOfId(lastEventId, listed)) !== undefined) return;
  throw indexUnusable(manifestPath(directory), `covers event ${lastEventId}, which the record does not hold`);
}

/** The segments that a manifest names, in order. */
async function storedSegments(files: StoreFiles, root: string, manifest: Manifest): Promise<SegmentFile[]> {
  const { firstSegment, segments } = manifest;
  if (firstSegment > segments) throw indexUnusable(manifestPath(root), 'holds no usable "first_segment"');
  const listed = await listSegments(files, generationFolder(root, manifest.generation));
  const stored = listed
    .filter(({ number }) => number >= firstSegment && number < segments)
    .sort((one, other) => one.number - other.number);
  for (let number = firstSegment; number < segments; number += 1) {
    if (stored[number - firstSegment]?.number === number) continue;
    throw indexUnusable(manifestPath(root), `names segment ${number}, which is missing`);
  }
  return stored;
}

function existing<Content>(path: string, data: Content | undefined): Content {
  if (data === undefined) throw indexUnusable(path, 'is missing');
  return data;
}

/** Creates an empty index in a new generation, with what is recorded of removed events; writes nothing. */
export async function beginEmptyIndex(
  options: Omit<LoadOptions, 'grouping'>,
  grouping: string | null,
): Promise<LoadedIndex> {
  const { files, directory } = options;
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
  const folder = generationFolder(directory, manifest.generation);
  const content = new IndexContent(new EventSegments({ files, folder, sealed: manifest, stored: [] }));
  await applyRemovals(options, content, true);
  return { manifest, content };
}

/** Writes the folder and manifest of a new generation, so that what a crash leaves behind is recognized. */
export async function writeEmptyIndex(files: StoreFiles, root: string, { manifest }: LoadedIndex): Promise<void> {
  await makeFolderDurably(files, generationFolder(root, manifest.generation));
  await replaceData(createManifest(files, manifestPath(root)), { manifest });
}

/**
 * Applies recorded removals that an index lacks, before the replay. `isNew`: it is empty, so issues that lost events are restored from the
 * history, and the record provides the rest. Throws `INDEX_UNUSABLE` if it lacks events that they removed, or has
 * more removals than recorded.
 */
async function applyRemovals(
  { directory, history = NO_REMOVALS }: { directory: string; history?: RemovalHistory | undefined },
  content: IndexContent,
  isNew: boolean,
): Promise<void> {
  const appliedBefore = content.removed.beforeMicros;
  const totals = await history.totals();
  if (totals?.beforeMicros === appliedBefore) {
    content.removed = totals;
    return;
  }
  if (totals !== undefined && totals.beforeMicros < appliedBefore) {
    throw indexUnusable(manifestPath(directory), 'knows of removed events that retention.ndjson does not name');
  }
  for await (const removal of history.removals()) {
    if (removal.totals.beforeMicros < appliedBefore) continue;
    if (removal.totals.beforeMicros === appliedBefore) content.removed = removal.totals;
    else if (isNew) content.restoreRemoved(removal);
    else if (isCovered(content, removal)) content.applyRemoval(removal);
    else throw indexUnusable(manifestPath(directory), 'lacks events that retention removed later');
    await nextMacrotask();
  }
}

/** A summary does not hold what each removal subtracted from a trend. */
function isCovered(content: IndexContent, { throughMicros, isSummary }: Removal): boolean {
  return !isSummary && throughMicros <= content.segments.sealed.cursorMicros;
}
