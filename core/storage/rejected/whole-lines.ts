import type { StoreFiles } from '../files/store-files.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/** Bytes of a file up to its last newline; 0 where there is no file. A crash may leave a line without its end. */
export async function wholeLineBytes(files: StoreFiles, path: string): Promise<number> {
  if ((await files.stat(path)) === undefined) return 0;
  const file = await files.open(path, 'read');
  try {
    for (let end = await file.size(); end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const last = (await file.read(start, end - start)).lastIndexOf(NEWLINE);
      if (last >= 0) return start + last + 1;
      end = start;
    }
    return 0;
  } finally {
    await file.close();
  }
}
