import type { StoreFiles } from './store-files.js';
import { hasCode } from './system-error.js';

/** Removes a file if it exists. */
export async function unlinkIfExists(files: StoreFiles, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
