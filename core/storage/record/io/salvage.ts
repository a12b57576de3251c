import { join } from 'node:path';
import { type DataFolder, type ReadableFile, withFile } from '../../files/store-files.js';
import { makeFolderDurably, writeFileDurably } from '../../files/write-durably.js';
import { encodePartitionName } from '../partitions/partition-name.js';

/** Folder for copies of cut tails, in the data folder. */
export const SALVAGE_FOLDER = 'salvage';
const CHUNK_BYTES = 1024 * 1024;

/** Copies what follows `end` to `salvage/`, cuts it, and syncs the rest: the last process may not have done so. */
export async function cutTornEnd({
  files,
  directory,
  name,
  end,
}: DataFolder & { readonly name: string; readonly end: number }): Promise<void> {
  const path = join(directory, name);
  const stat = await files.stat(path);
  if (stat === undefined) return;
  await withFile(files, path, 'write', async (file) => {
    if (stat.bytes > end) {
      await salvageTail({ files, directory, path: name, file, from: end });
      await file.truncate(end);
    }
    await file.sync();
  });
  await files.syncFolder(directory);
}

/** Names the tail to copy. */
interface SalvageOptions extends DataFolder {
  /** Path of the file from the data folder, `/` between its parts; names the copy. */
  path: string;
  file: ReadableFile;
  /** Offset of the first byte to copy. */
  from: number;
}

/**
 * Copies the tail of a file durably to `<root>/salvage/<encoded path>-<offset>.bin`, before it is cut. If that name holds other bytes, the new
 * copy is numbered; a copy of the same bytes comes from a run that ended before the cut.
 */
export async function salvageTail(options: SalvageOptions): Promise<void> {
  const { files, directory } = options;
  const folder = join(directory, SALVAGE_FOLDER);
  await makeFolderDurably(files, folder);
  const name = join(folder, `${encodePartitionName(options.path)}-${options.from}`);
  for (let number = 1; ; number += 1) {
    const path = `${name}${number === 1 ? '' : `.${number}`}.bin`;
    const isFree = (await files.stat(path)) === undefined;
    if (isFree) await writeFileDurably(files, path, tailOf(options));
    if (isFree || (await isCopy(options, path))) break;
  }
  await files.syncFolder(folder);
}

function isCopy({ files, file, from }: SalvageOptions, path: string): Promise<boolean> {
  return withFile(files, path, 'read', async (copy) => {
    if ((await copy.size()) !== (await file.size()) - from) return false;
    let offset = 0;
    for await (const bytes of tailOf({ file, from })) {
      if (!bytes.equals(await copy.read(offset, bytes.length))) return false;
      offset += bytes.length;
    }
    return true;
  });
}

async function* tailOf({ file, from }: Pick<SalvageOptions, 'file' | 'from'>): AsyncGenerator<Buffer> {
  for (let at = from; ; ) {
    const bytes = await file.read(at, CHUNK_BYTES);
    if (bytes.length === 0) return;
    yield bytes;
    at += bytes.length;
  }
}
