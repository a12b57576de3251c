import type { DataFolder, StoreFiles } from '../../files/store-files.js';
import { settleAll } from '../../record/io/settle-all.js';
import type { RecordReader } from '../../record/reader/record-reader.js';
import { applyRemovals } from '../content/apply-removals.js';
import { IndexContent } from '../content/index-content.js';
import { ISSUES_PER_SHARD, type IssueState } from '../content/issue-state.js';
import { NO_REMOVALS, type RemovalHistory } from '../content/removal.js';
import { readDocument, readDocumentParts } from '../documents/document-adapter.js';
import { indexUnusable, unlessUnusable } from '../documents/index-fault.js';
import {
  generationFolder,
  generationManifestPath,
  listGenerations,
  listSegments,
  manifestPath,
} from '../documents/index-folder.js';
import { EventSegments } from '../segments/event-segments.js';
import { decodeIssueHeaders } from './issue-header-document.js';
import { HEADERS_PER_BLOCK, issueDocuments, type Manifest, readManifest } from './manifest.js';
import { decodeStates } from './states-document.js';

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
  const active = await readManifest(files, path);
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
  const manifest = await unlessUnusable(() => readManifest(files, path), undefined);
  return manifest?.generation === generation ? manifest : undefined;
}

async function loadDocuments(options: LoadOptions, manifest: Manifest): Promise<LoadedIndex> {
  const { directory, files } = options;
  const folder = generationFolder(directory, manifest.generation);
  const firstReceivedAtMicros = await segmentStarts(files, directory, manifest);
  const content = new IndexContent(new EventSegments({ files, folder, sealed: manifest, firstReceivedAtMicros }));
  await loadHeaders(files, folder, manifest, content);
  content.setLoaded(await loadStates(files, folder, manifest, content));
  const isNew = manifest.issues === 0 && manifest.segments === 0 && manifest.beforeMicros === 0;
  await applyRemovals({ root: directory, content, history: options.history, isNew });
  return { manifest, content };
}

/** Throws `INDEX_UNUSABLE` if an index covers events that the record does not hold. */
export async function checkLastEvent(
  directory: string,
  record: Pick<RecordReader, 'partitionOfId'>,
  { content }: LoadedIndex,
): Promise<void> {
  const { lastEventId, cursorMicros, beforeMicros } = content.segments.sealed;
  if (lastEventId === null || cursorMicros < beforeMicros) return;
  if ((await record.partitionOfId(lastEventId)) !== undefined) return;
  throw indexUnusable(manifestPath(directory), `covers event ${lastEventId}, which the record does not hold`);
}

async function segmentStarts(files: StoreFiles, root: string, manifest: Manifest): Promise<number[]> {
  const { firstSegment, segments } = manifest;
  if (firstSegment > segments) throw indexUnusable(manifestPath(root), 'holds no usable "first_segment"');
  const starts = new Array<number>(segments - firstSegment).fill(-1);
  for (const { number, firstReceivedAtMicros } of await listSegments(
    files,
    generationFolder(root, manifest.generation),
  )) {
    if (number >= firstSegment && number < segments) starts[number - firstSegment] = firstReceivedAtMicros;
  }
  const missing = starts.indexOf(-1);
  if (missing >= 0)
    throw indexUnusable(manifestPath(root), `names segment ${firstSegment + missing}, which is missing`);
  return starts;
}

async function loadHeaders(
  files: StoreFiles,
  folder: string,
  manifest: Manifest,
  content: IndexContent,
): Promise<void> {
  const documents = issueDocuments(folder, manifest, 'cards');
  const blocks: IssueState[][] = [];
  await settleAll(documents, PARALLEL_READS, async ({ path, ...range }) => {
    const parts = existing(path, await readDocumentParts(files, path, 'cards'));
    blocks[range.first / HEADERS_PER_BLOCK] = decodeIssueHeaders(path, parts, range, content.pool);
  });
  for (const block of blocks) {
    for (const issue of block) content.issues.add(issue);
  }
}

/** Returns, by shard, the last receipt that its states count. */
async function loadStates(
  files: StoreFiles,
  folder: string,
  manifest: Manifest,
  content: IndexContent,
): Promise<number[]> {
  const countedThrough: number[] = [];
  await settleAll(issueDocuments(folder, manifest, 'states'), PARALLEL_READS, async ({ path, first, count }) => {
    const shard = first / ISSUES_PER_SHARD;
    const issues = content.issues.inOrder.slice(first, first + count);
    const data = existing(path, await readDocument(files, path, 'states'));
    const { throughMicros, namesLostSegments } = decodeStates(path, data, issues, manifest.segments, content.pool);
    countedThrough[shard] = throughMicros;
    if (namesLostSegments) content.changedShards.add(shard);
  });
  return countedThrough;
}

function existing<Content>(path: string, data: Content | undefined): Content {
  if (data === undefined) throw indexUnusable(path, 'is missing');
  return data;
}
