import { join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { salvageTail } from './salvage.js';

/**
 * Cuts what is behind the last whole line of a log at the top of a data folder, once it is in `salvage/`, and syncs what is left: the process before may
 * have died between write and sync, and from now on it is shown.
 */
export async function cutTornLine(files: StoreFiles, directory: string, name: string, end: number): Promise<void> {
  const path = join(directory, name);
  const found = await files.stat(path);
  if (found === undefined) return;
  const file = await files.open(path, 'write');
  try {
    if (found.bytes > end) {
      await salvageTail({ files, directory, path: name, file, from: end });
      await file.truncate(end);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await files.syncFolder(directory);
}
