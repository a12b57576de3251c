import { dirname } from 'node:path';
import type { StoreFiles } from './store-files.js';
import { hasCode } from './system-error.js';

/** Error codes of a folder that belongs to another user and cannot be opened or synced. */
const FOREIGN_FOLDER_CODES = ['EACCES', 'EPERM', 'EROFS', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Folders whose names are durable, because they were synced through these files. */
const durable = new WeakMap<StoreFiles, Set<string>>();

/** Creates a folder and its parents durably. Existing folders are synced once too: their creator may have crashed before the sync. */
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
      if (made.has(one) || !hasCode(error, ...FOREIGN_FOLDER_CODES)) throw error;
    }
    known.add(one);
  }
}

function withFoldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [] : [...withFoldersAbove(above), folder];
}
