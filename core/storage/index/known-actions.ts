import type { StoreFiles } from '../files/store-files.js';
import { type KnownActions, readManifest } from './checkpoint/manifest.js';
import { isIndexUnusable } from './documents/index-fault.js';
import { manifestPath } from './documents/index-folder.js';

/** What the manifest of a folder says; undefined where it says nothing or cannot be used. */
export async function readKnownActions(files: StoreFiles, root: string): Promise<KnownActions | undefined> {
  try {
    return (await readManifest(files, manifestPath(root)))?.actions;
  } catch (error) {
    if (isIndexUnusable(error)) return undefined;
    throw error;
  }
}

/** What is to be known of a log; undefined where it holds nothing. */
export function knownActionsOf(log: readonly { readonly id: string }[]): KnownActions | undefined {
  const last = log.at(-1);
  return last && { count: log.length, lastId: last.id };
}

/** What a log lacks, as a sentence; undefined where it holds all that is known. */
export function lackOfActions(
  known: KnownActions | undefined,
  log: readonly { readonly id: string }[],
): string | undefined {
  if (known === undefined) return undefined;
  const held = log.findLastIndex(({ id }) => id === known.lastId) + 1;
  if (held >= known.count) return undefined;
  return `Of ${known.count} actions that were taken some or all are missing: the log was removed, cut or replaced, and holds ${log.length}.`;
}
