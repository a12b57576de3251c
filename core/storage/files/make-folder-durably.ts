import { dirname } from 'node:path';
import type { StoreFiles } from './store-files.js';
import { hasCode } from './system-error.js';

/** What systems answer where a folder of somebody else cannot be read or synced; its names are not for us to keep. */
const NOT_OURS = ['EACCES', 'EPERM', 'EROFS', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Folders whose names are on the disk, because they were synced through these files. */
const durable = new WeakMap<StoreFiles, Set<string>>();

/**
 * Makes a folder and those above it so that they are there after a crash. A folder that is found is synced too, once: its maker may have
 * ended, or been refused, before it could be.
 */
export async function makeFolderDurably(files: StoreFiles, folder: string): Promise<void> {
  const known = durable.get(files) ?? new Set();
  durable.set(files, known);
  const made = new Set(await files.makeFolder(folder));
  for (const one of made) known.delete(one);
  for (const one of withFoldersAbove(folder)) {
    if (known.has(one)) continue;
    try {
      await files.syncFolder(dirname(one));
    } catch (error) {
      if (made.has(one) || !hasCode(error, ...NOT_OURS)) throw error;
    }
    known.add(one);
  }
}

/** Outermost first, without the root. */
function withFoldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [] : [...withFoldersAbove(above), folder];
}
