import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { Fault, messageOf } from '../../core/event/fault.js';
import { hasCode, systemSentence } from '../../core/storage/files/system-error.js';

export interface ExportFileOptions {
  path: string;
  /** Of whole lines. */
  chunks: AsyncIterable<string>;
  /** Replaces an existing regular file, default false. */
  overwrite?: boolean;
  /** Cancels the export and removes the partial file. */
  signal?: AbortSignal;
}

/** The mode of the store's own files, less the umask. */
const FILE_MODE = 0o640;
const PARTIAL = '.partial';
/** UTF-16 units of one write. */
const BLOCK_LENGTH = 256 * 1024;

/** Joins texts to blocks that are worth a write; throws once the signal is aborted. */
export async function* inBlocks(chunks: AsyncIterable<string>, signal?: AbortSignal): AsyncGenerator<string> {
  let block = '';
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    block += chunk;
    if (block.length < BLOCK_LENGTH) continue;
    yield block;
    block = '';
  }
  signal?.throwIfAborted();
  if (block !== '') yield block;
}

/** Writes `<path>.partial`, syncs and renames it; throws `EXPORT_EXISTS`, `EXPORT_FAILED` or the error of `chunks`. */
export async function writeExportFile(options: ExportFileOptions): Promise<void> {
  const { path, chunks, overwrite = false, signal } = options;
  await assertFree(path, overwrite);
  const partial = path + PARTIAL;
  const handle = await create(partial);
  try {
    for await (const block of inBlocks(chunks, signal)) await onDisk(path, () => handle.appendFile(block));
    await onDisk(path, () => handle.sync());
    await handle.close();
    // Another process may have created the file meanwhile.
    await assertFree(path, overwrite);
    await onDisk(path, () => rename(partial, path));
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function assertFree(path: string, overwrite: boolean): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!overwrite) {
    throw new Fault('EXPORT_EXISTS', `The file ${path} exists; name another one, or use faultline export --force.`);
  }
  // The rename would replace a link, a pipe or a device.
  if (!found.isFile())
    throw new Fault('EXPORT_EXISTS', `${path} is not a regular file and is not replaced; name another.`);
}

async function create(partial: string): Promise<FileHandle> {
  try {
    return await open(partial, 'wx', FILE_MODE);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw failed(partial.slice(0, -PARTIAL.length), error);
    const sentence = `The file ${partial} exists: another export is writing it, or one was killed. In that case remove it.`;
    throw new Fault('EXPORT_EXISTS', sentence, { cause: error });
  }
}

async function onDisk<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw failed(path, error);
  }
}

function failed(path: string, error: unknown): Fault {
  const sentence = `${path} could not be written (${messageOf(error)}); the partial file was removed.`;
  return new Fault('EXPORT_FAILED', systemSentence(error, path) ?? sentence, { cause: error });
}
