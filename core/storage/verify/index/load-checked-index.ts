import { dirname } from 'node:path';
import { type LoadedIndex, loadIndex } from '../../index/checkpoint/load-index.js';
import { readManifest } from '../../index/checkpoint/manifest.js';
import { isIndexUnusable } from '../../index/documents/index-fault.js';
import { manifestPath } from '../../index/documents/index-folder.js';
import type { Found } from '../finding.js';
import type { VerifyContext } from '../verify-context.js';
import { checkDocument, checkDocuments } from './index-documents.js';

const MANIFEST_FILE = 'index/manifest.json';
/** Checks that checkpoints of a busy writer may spoil by removing what they replaced. */
const MAX_TRIES = 5;

/** Loads the index of a folder after every document of it was checked; undefined where there is none or it cannot be used, which is reported. */
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
    const what = 'Every time it was read the running collector had replaced a part of it meanwhile.';
    if (isReplaced) context.report({ code: 'INDEX_BUSY', file: MANIFEST_FILE, what });
    else for (const found of loaded) context.report(found);
    return undefined;
  }
}

async function reportMissing({ files, directory, partitions, report }: VerifyContext): Promise<void> {
  const hasFolder = (await files.stat(dirname(manifestPath(directory)))) !== undefined;
  if (hasFolder) report({ code: 'INDEX_DOCUMENT_MISSING', file: MANIFEST_FILE, what: 'The index has no manifest.' });
  else if (partitions.length > 0) report({ code: 'INDEX_MISSING', file: 'index', what: 'There is no index.' });
}

/** The index, or what is wrong with it. */
async function load(context: VerifyContext): Promise<LoadedIndex | undefined | Found[]> {
  const { files, directory, grouping, history } = context;
  const problem = await checkDocument(context, manifestPath(directory), 'manifest');
  if (problem !== undefined) return [problem];
  try {
    const manifest = await readManifest(files, manifestPath(directory));
    if (manifest === undefined) return undefined;
    const found = await checkDocuments(context, manifest);
    if (found.length > 0) return found;
    // Not held against the record: of one that is ahead of it, the rows that it has too many are named.
    const loaded = await loadIndex({ directory, files, grouping: grouping.plan.id, history });
    // Another generation than the one that was checked: a switch was cut off between its line and its manifest.
    const others = loaded && loaded.manifest.generation !== manifest.generation ? loaded.manifest : undefined;
    const wrong = others === undefined ? [] : await checkDocuments(context, others);
    return wrong.length > 0 ? wrong : loaded;
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    return [
      {
        code: 'INDEX_DOCUMENT_DAMAGED',
        file: MANIFEST_FILE,
        what: `The documents contradict each other: ${error.message}`,
      },
    ];
  }
}
