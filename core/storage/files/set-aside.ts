import { dirname } from 'node:path';
import type { StoreFiles } from './store-files.js';

/** Renames what is at a path, if anything, durably to `<path>.unusable-<n>` for a later inspection. */
export async function setAside(files: StoreFiles, path: string): Promise<void> {
  if ((await files.stat(path)) === undefined) return;
  let number = 1;
  while ((await files.stat(`${path}.unusable-${number}`)) !== undefined) number += 1;
  await files.rename(path, `${path}.unusable-${number}`);
  await files.syncFolder(dirname(path));
}
