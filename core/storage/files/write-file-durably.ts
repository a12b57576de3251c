import { dirname } from 'node:path';
import type { StoreFiles } from './store-files.js';

/**
 * Replaces a file atomically: temp file, sync, rename, sync of the folder, which must exist. Writes of one path must not overlap. A crash
 * may leave `<path>.tmp`, which the next write overwrites.
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
    for await (const chunk of Symbol.asyncIterator in whole ? whole : [whole]) {
      await file.write([chunk], end);
      end += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(temporary, path);
  await files.syncFolder(dirname(path));
}
