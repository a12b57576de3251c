import { dirname } from 'node:path';
import type { StoreFiles } from './store-files.js';

/**
 * Replaces a whole file so that after a crash it is the old one or the new one: temp file, sync, rename, sync of the folder.
 * Content in pieces is written as it comes. The folder must exist. Writes of one path must not overlap; what a crash leaves as `<path>.tmp` is overwritten by the next write.
 */
export async function writeFileDurably(
  files: StoreFiles,
  path: string,
  content: Uint8Array | string | AsyncIterable<Uint8Array>,
): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await files.open(temporary, 'write');
  try {
    await file.truncate(0);
    let end = 0;
    const whole = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    for await (const piece of Symbol.asyncIterator in whole ? whole : [whole]) {
      await file.write([piece], end);
      end += piece.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(temporary, path);
  await files.syncFolder(dirname(path));
}
