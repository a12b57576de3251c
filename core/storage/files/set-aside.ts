import { dirname } from 'node:path';
import type { StoreFiles } from './store-files.js';

/** Gives what lies at a path, if anything does, another name, durably: `<path>.unusable-<n>` is kept for who wants to know what happened. */
export async function setAside(files: StoreFiles, path: string): Promise<void> {
  if ((await files.stat(path)) === undefined) return;
  let number = 1;
  while ((await files.stat(`${path}.unusable-${number}`)) !== undefined) number += 1;
  await files.rename(path, `${path}.unusable-${number}`);
  await files.syncFolder(dirname(path));
}
