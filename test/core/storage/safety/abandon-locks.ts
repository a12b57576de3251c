import { join } from 'node:path';
import { MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';

/** No process has it: Linux gives numbers up to 2^22. */
const NO_PROCESS = 2 ** 22 + 1;

/** Makes the locks of a folder those of a process that is gone: the one of the test goes on when its store is killed. */
export async function abandonLocks({ files }: MemoryDisk): Promise<void> {
  for (const { name } of await files.list(MEMORY_ROOT)) {
    if (!name.startsWith('LOCK')) continue;
    const path = join(MEMORY_ROOT, name);
    const text = (await files.readFile(path))?.toString('utf8') ?? '';
    const file = await files.open(path, 'write');
    await file.truncate(0);
    await file.write([Buffer.from(text.replace(/"pid":\d+/, `"pid":${NO_PROCESS}`))], 0);
    await file.sync();
    await file.close();
  }
}
