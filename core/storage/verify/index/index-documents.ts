import { relative, sep } from 'node:path';
import type { StoreFiles } from '../../files/store-files.js';
import { CARDS_PER_BLOCK } from '../../index/checkpoint/issue-texts-document.js';
import type { Manifest } from '../../index/checkpoint/manifest.js';
import { ISSUES_PER_SHARD } from '../../index/content/issue-state.js';
import { contentOf, type DocumentKind, readDocument } from '../../index/documents/document-adapter.js';
import { isIndexUnusable } from '../../index/documents/index-fault.js';
import {
  fullCardsPath,
  generationFolder,
  listSegments,
  openCardsPath,
  segmentPath,
  statesPath,
} from '../../index/documents/index-folder.js';
import type { Found } from '../finding.js';
import type { VerifyContext } from '../verify-context.js';

/** Reads every document that a manifest names; answers what is wrong with them. */
export async function checkDocuments(context: VerifyContext, manifest: Manifest): Promise<Found[]> {
  const found: Found[] = [];
  const folder = generationFolder(context.directory, manifest.generation);
  const documents = [...(await segmentsOf(context, folder, manifest, found)), ...issueDocumentsOf(folder, manifest)];
  for (const [place, { path, kind }] of documents.entries()) {
    const problem = await checkDocument(context, path, kind);
    if (problem !== undefined) found.push(problem);
    await context.turn('checking the index', place + 1, documents.length);
  }
  return found;
}

/** What is wrong with a document; undefined when nothing is. */
export async function checkDocument(
  { files, directory }: VerifyContext,
  path: string,
  kind: DocumentKind,
): Promise<Found | undefined> {
  const file = relative(directory, path).split(sep).join('/');
  try {
    const data = await readDocument(files, path, kind);
    if (data !== undefined) return undefined;
    return { code: 'INDEX_DOCUMENT_MISSING', file, what: 'The manifest names this document, and it is not there.' };
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    const format = await otherFormat(files, path, kind);
    if (format === undefined) {
      return { code: 'INDEX_DOCUMENT_DAMAGED', file, what: 'The document is cut off or does not match its checksum.' };
    }
    return {
      code: 'INDEX_VERSION',
      file,
      what: `The document has format ${format}, which this version does not read.`,
    };
  }
}

async function segmentsOf(
  { files, directory }: VerifyContext,
  folder: string,
  manifest: Manifest,
  found: Found[],
): Promise<{ path: string; kind: DocumentKind }[]> {
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
  return documents;
}

function issueDocumentsOf(folder: string, manifest: Manifest): { path: string; kind: DocumentKind }[] {
  const documents: { path: string; kind: DocumentKind }[] = [];
  const fullBlocks = Math.floor(manifest.issues / CARDS_PER_BLOCK);
  for (let block = 0; block < fullBlocks; block += 1) {
    documents.push({ path: fullCardsPath(folder, block), kind: 'cards' });
  }
  if (manifest.issues % CARDS_PER_BLOCK > 0) {
    documents.push({ path: openCardsPath(folder, fullBlocks, manifest.openCards), kind: 'cards' });
  }
  for (let shard = 0; shard < Math.ceil(manifest.issues / ISSUES_PER_SHARD); shard += 1) {
    documents.push({ path: statesPath(folder, shard, manifest.states[shard] ?? 0), kind: 'states' });
  }
  return documents;
}

/** The format of a document that is whole but of another version; undefined for one that is damaged. */
async function otherFormat(files: StoreFiles, path: string, kind: DocumentKind): Promise<number | undefined> {
  const content = (await files.readFile(path)) ?? Buffer.alloc(0);
  const found = contentOf(content, kind);
  return found?.data && found.format;
}
