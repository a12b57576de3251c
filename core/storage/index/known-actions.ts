import type { StoreFiles } from '../files/store-files.js';
import { type KnownActions, readManifest } from './checkpoint/manifest.js';
import { isIndexUnusable } from './documents/index-fault.js';
import { manifestPath } from './documents/index-folder.js';

/** The action log as of the last manifest; undefined if it says nothing or cannot be used. */
export async function readKnownActions(files: StoreFiles, root: string): Promise<KnownActions | undefined> {
  try {
    return (await readManifest(files, manifestPath(root)))?.actions;
  } catch (error) {
    if (isIndexUnusable(error)) return undefined;
    throw error;
  }
}

/** Summarizes a log for the manifest; undefined if it is empty. */
export function knownActionsOf(log: readonly { readonly id: string }[]): KnownActions | undefined {
  const last = log.at(-1);
  return last && { count: log.length, lastId: last.id };
}

/** Describes which known actions a log lacks; undefined if it has them all. */
export function lackOfActions(
  known: KnownActions | undefined,
  log: readonly { readonly id: string }[],
): string | undefined {
  if (known === undefined) return undefined;
  const held = log.findLastIndex(({ id }) => id === known.lastId) + 1;
  if (held >= known.count) return undefined;
  return `Of ${known.count} actions that were taken some or all are missing: the log was removed, cut or replaced, and holds ${log.length}.`;
}
