import { join } from 'node:path';
import type { StoreFiles } from './store-files.js';
import { hasCode } from './system-error.js';

/** Removes a folder and its content; links are removed, not followed. */
export async function removeTree(files: StoreFiles, folder: string): Promise<void> {
  for (const { name, kind } of await files.list(folder)) {
    const path = join(folder, name);
    if (kind === 'folder') await removeTree(files, path);
    else await files.unlink(path);
  }
  await files.removeFolder(folder);
}

/** Removes a file if it exists. */
export async function unlinkIfExists(files: StoreFiles, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
