import { join } from 'node:path';
import { makeFolderDurably } from '../files/make-folder-durably.js';
import type { ReadableFile, StoreFiles } from '../files/store-files.js';
import { writeFileDurably } from '../files/write-file-durably.js';
import { encodePartitionName } from './partition-name.js';

/** Where cut tails are kept, in the data folder. */
export const SALVAGE_FOLDER = 'salvage';
const CHUNK_BYTES = 1024 * 1024;

/** What is about to be cut. */
export interface SalvageOptions {
  files: StoreFiles;
  /** The data folder. */
  directory: string;
  /** Path of the file from the data folder, `/` between its parts; names the copy. */
  path: string;
  file: ReadableFile;
  /** The first byte to keep a copy of; everything behind it is copied too. */
  from: number;
}

/**
 * Copies the tail of a file to `<root>/salvage/<encoded path>-<offset>.bin`, durably, before it is cut. An earlier copy of other bytes is kept,
 * and the new one numbered; one of the same bytes was made by a run that ended before the cut.
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

async function isCopy({ files, file, from }: SalvageOptions, path: string): Promise<boolean> {
  const copy = await files.open(path, 'read');
  try {
    if ((await copy.size()) !== (await file.size()) - from) return false;
    for await (const { offset, bytes } of chunksFrom(file, from)) {
      if (!bytes.equals(await copy.read(offset, bytes.length))) return false;
    }
    return true;
  } finally {
    await copy.close();
  }
}

/** A file from a place on, in portions, each with its distance from there. */
async function* chunksFrom(file: ReadableFile, from: number): AsyncGenerator<{ offset: number; bytes: Buffer }> {
  let offset = 0;
  for (
    let bytes = await file.read(from, CHUNK_BYTES);
    bytes.length > 0;
    bytes = await file.read(from + offset, CHUNK_BYTES)
  ) {
    yield { offset, bytes };
    offset += bytes.length;
  }
}

async function* tailOf({ file, from }: SalvageOptions): AsyncGenerator<Buffer> {
  for await (const { bytes } of chunksFrom(file, from)) yield bytes;
}
