import { dirname } from 'node:path';
import { type StoreFiles, withFile } from './store-files.js';
import { hasCode } from './system-error.js';

/** Error codes of a folder that belongs to another user and cannot be opened or synced. */
const FOREIGN_FOLDER_CODES = ['EACCES', 'EPERM', 'EROFS', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Folders whose names are durable, because they were synced through these files. */
const durable = new WeakMap<StoreFiles, Set<string>>();

/** Creates a folder and its parents durably. Existing folders are synced once too: their creator may have crashed before the sync. */
export async function makeFolderDurably(files: StoreFiles, folder: string): Promise<void> {
  const synced = durable.get(files) ?? new Set();
  durable.set(files, synced);
  const made = new Set(await files.makeFolder(folder));
  for (const path of made) synced.delete(path);
  for (const path of withFoldersAbove(folder)) {
    if (synced.has(path)) continue;
    try {
      await files.syncFolder(dirname(path));
    } catch (error) {
      if (made.has(path) || !hasCode(error, ...FOREIGN_FOLDER_CODES)) throw error;
    }
    synced.add(path);
  }
}

function withFoldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [] : [...withFoldersAbove(above), folder];
}

/** Renames what is at a path, if anything, durably to `<path>.unusable-<n>` for a later inspection. */
export async function setAside(files: StoreFiles, path: string): Promise<void> {
  if ((await files.stat(path)) === undefined) return;
  let number = 1;
  while ((await files.stat(`${path}.unusable-${number}`)) !== undefined) number += 1;
  await files.rename(path, `${path}.unusable-${number}`);
  await files.syncFolder(dirname(path));
}

type Content = Uint8Array | string | AsyncIterable<Uint8Array> | Generator<Uint8Array>;

/**
 * Replaces a file atomically: temp file, sync, rename, sync of the folder, which must exist. Writes of one path must not overlap. A crash
 * may leave `<path>.tmp`, which the next write overwrites.
 */
export async function writeFileDurably(files: StoreFiles, path: string, content: Content): Promise<void> {
  await placeFile(files, path, content);
  await files.syncFolder(dirname(path));
}

/** As `writeFileDurably`, but its name is durable only once the caller has synced the folder. */
export async function placeFile(files: StoreFiles, path: string, content: Content): Promise<void> {
  await writeTemporary(files, path, content);
  await files.rename(temporaryOf(path), path);
}

/** The file that is renamed to a path once it is whole. */
export function temporaryOf(path: string): string {
  return `${path}.tmp`;
}

/** Writes and syncs `temporaryOf` a path. */
export async function writeTemporary(files: StoreFiles, path: string, content: Content): Promise<void> {
  await withFile(files, temporaryOf(path), 'write', async (file) => {
    await file.truncate(0);
    let end = 0;
    const whole = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    for await (const chunk of whole instanceof Uint8Array ? [whole] : whole) {
      await file.write([chunk], end);
      end += chunk.length;
    }
    await file.sync();
  });
}
