import type { MemoryDisk } from './memory-disk.js';

/** Changes the bytes of a file behind the back of a store; undefined removes the file. */
export async function changeFile(
  disk: MemoryDisk,
  path: string,
  change: (bytes: Buffer) => Buffer | undefined,
): Promise<void> {
  const bytes = change(disk.contentOf(path) ?? Buffer.alloc(0));
  if (bytes === undefined) return await disk.files.unlink(path);
  const file = await disk.files.open(path, 'write');
  await file.truncate(0);
  await file.write([bytes], 0);
  await file.sync();
  await file.close();
}
