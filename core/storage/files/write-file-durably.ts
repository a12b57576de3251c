import { dirname } from 'node:path';
import type { StoreFiles } from './store-files.js';

/**
 * Replaces a whole file so that after a crash it is the old one or the new one: temp file, sync, rename, sync of the folder.
 * The folder must exist. Writes of one path must not overlap; what a crash leaves as `<path>.tmp` is overwritten by the next write.
 */
export async function writeFileDurably(files: StoreFiles, path: string, content: Uint8Array | string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await files.open(temporary, 'write');
  try {
    await file.truncate(0);
    await file.write([typeof content === 'string' ? Buffer.from(content, 'utf8') : content], 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(temporary, path);
  await files.syncFolder(dirname(path));
}
