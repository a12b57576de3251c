import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../../core/storage/files/system-error.js';
import type { FileCheckpoint } from './checkpoint.js';
import { type FileStat, fileStatOf } from './file-stat.js';

/** Names of a folder that are looked through for a file that was renamed while nobody looked. */
const MAX_NAMES_SEARCHED = 10_000;

/** What the file system says of a path, through links; undefined when there is no file of that name. Throws what else the system does. */
export async function statOf(path: string): Promise<FileStat | undefined> {
  try {
    return fileStatOf(await stat(path, { bigint: true }));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}

/** Where a file lies now that lay elsewhere in the same folder; undefined when it is not there. */
export async function pathOf({ path, device, inode }: FileCheckpoint): Promise<string | undefined> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.slice(0, MAX_NAMES_SEARCHED)) {
    const found = await statOf(join(folder, name)).catch(() => undefined);
    if (found?.device === device && found.inode === inode) return join(folder, name);
  }
  return undefined;
}
