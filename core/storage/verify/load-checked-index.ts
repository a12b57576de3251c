import { dirname, relative, sep } from 'node:path';
import { type LoadedIndex, loadIndex } from '../index/checkpoint/load-index.js';
import { issueDocuments, type Manifest, openManifest } from '../index/checkpoint/manifest.js';
import { contentOf, type DocumentKind, readDocument } from '../index/documents/checked-document.js';
import { isIndexUnusable } from '../index/documents/index-fault.js';
import { generationFolder, listSegments, manifestPath, segmentPath } from '../index/documents/index-folder.js';
import type { FindingDetails } from './finding.js';
import type { VerifyContext } from './verify-context.js';

async function checkDocuments(context: VerifyContext, manifest: Manifest): Promise<FindingDetails[]> {
  const { files, directory } = context;
  const found: FindingDetails[] = [];
  const folder = generationFolder(directory, manifest.generation);
  const present = new Map((await listSegments(files, folder)).map((segment) => [segment.number, segment]));
  const documents: { path: string; kind: DocumentKind }[] = [];
  for (let number = manifest.firstSegment; number < manifest.segments; number += 1) {
    const segment = present.get(number);
    if (segment !== undefined) documents.push({ path: segmentPath(folder, segment), kind: 'events' });
    else {
      const file = `${relative(directory, folder).split(sep).join('/')}/events`;
      const what = `The manifest names segment ${number} of the events, and it is not there.`;
      found.push({ code: 'INDEX_DOCUMENT_MISSING', file, what });
    }
  }
  documents.push(...issueDocuments(folder, manifest, 'cards'), ...issueDocuments(folder, manifest, 'states'));
  for (const [index, { path, kind }] of documents.entries()) {
    const problem = await checkDocument(context, path, kind);
    if (problem !== undefined) found.push(problem);
    await context.nextSlice('checking the index', index + 1, documents.length);
  }
  return found;
}

async function checkDocument(
  { files, directory }: VerifyContext,
  path: string,
  kind: DocumentKind,
): Promise<FindingDetails | undefined> {
  const file = relative(directory, path).split(sep).join('/');
  try {
    const data = await readDocument(files, path, kind);
    if (data !== undefined) return undefined;
    return { code: 'INDEX_DOCUMENT_MISSING', file, what: 'The manifest names this document, and it is not there.' };
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    const content = contentOf((await files.readFile(path)) ?? Buffer.alloc(0), kind);
    if (content?.data === undefined) {
      return { code: 'INDEX_DOCUMENT_DAMAGED', file, what: 'The document is cut off or does not match its checksum.' };
    }
    const what = `The document has format ${content.format}, which this version does not read.`;
    return { code: 'INDEX_VERSION', file, what };
  }
}

const MANIFEST_FILE = 'index/manifest.json';
/** Attempts to load while checkpoints of a running writer replace documents. */
const MAX_TRIES = 5;

/** Checks every document of an index and loads it; undefined if it is missing or unusable, which is reported. */
export async function loadCheckedIndex(context: VerifyContext): Promise<LoadedIndex | undefined> {
  const path = manifestPath(context.directory);
  for (let tries = 1; ; tries += 1) {
    const manifest = await context.files.readFile(path);
    if (manifest === undefined) {
      await reportMissing(context);
      return undefined;
    }
    const loaded = await load(context);
    if (!Array.isArray(loaded)) return loaded;
    const isReplaced = (await context.files.readFile(path))?.equals(manifest) === false;
    if (isReplaced && tries < MAX_TRIES) continue;
    const what = 'The running collector replaced a part of it during every read.';
    if (isReplaced) context.report({ code: 'INDEX_BUSY', file: MANIFEST_FILE, what });
    else for (const found of loaded) context.report(found);
    return undefined;
  }
}

async function reportMissing({ files, directory, partitions, report }: VerifyContext): Promise<void> {
  const hasFolder = (await files.stat(dirname(manifestPath(directory)))) !== undefined;
  if (hasFolder) report({ code: 'INDEX_DOCUMENT_MISSING', file: MANIFEST_FILE, what: 'The index has no manifest.' });
  else if (partitions.length > 0) report({ code: 'INDEX_MISSING', file: 'index', what: 'The index is missing.' });
}

async function load(context: VerifyContext): Promise<LoadedIndex | undefined | FindingDetails[]> {
  const { files, directory, grouping, history } = context;
  const problem = await checkDocument(context, manifestPath(directory), 'manifest');
  if (problem !== undefined) return [problem];
  try {
    const { manifest } = (await openManifest(files, manifestPath(directory))).data;
    if (manifest === undefined) return undefined;
    const found = await checkDocuments(context, manifest);
    if (found.length > 0) return found;
    // Loaded without the record: if the index is ahead of it, the comparison reports the extra rows.
    const loaded = await loadIndex({ directory, files, grouping: grouping.plan.id, history });
    // It has another generation than the one checked if a switch was interrupted between its log line and its manifest.
    const others = loaded && loaded.manifest.generation !== manifest.generation ? loaded.manifest : undefined;
    const wrong = others === undefined ? [] : await checkDocuments(context, others);
    return wrong.length > 0 ? wrong : loaded;
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    const what = `The documents contradict each other: ${error.message}`;
    return [{ code: 'INDEX_DOCUMENT_DAMAGED', file: MANIFEST_FILE, what }];
  }
}
