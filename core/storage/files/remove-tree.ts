import { join } from 'node:path';
import type { StoreFiles } from './store-files.js';

/** Removes a folder and its content; links are removed, not followed. */
export async function removeTree(files: StoreFiles, folder: string): Promise<void> {
  for (const { name, kind } of await files.list(folder)) {
    const path = join(folder, name);
    if (kind === 'folder') await removeTree(files, path);
    else await files.unlink(path);
  }
  await files.removeFolder(folder);
}
