import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { Fault } from '../../core/event/fault.js';
import { hasCode } from '../../core/storage/files/system-error.js';

export interface ExportFileOptions {
  /** Where the text goes. */
  path: string;
  /** Whole lines. */
  chunks: AsyncIterable<string>;
  /** Replaces an existing regular file, default false. */
  overwrite?: boolean;
  /** Calls the export off: what was written is removed. */
  signal?: AbortSignal;
}

/** What is written is events: as readable as the store's own files, less the umask. */
const FILE_MODE = 0o640;
/** What is written at once. */
const BLOCK_LENGTH = 256 * 1024;

/**
 * Writes a text to a file that has its name only when it is complete and on the disk: until then it is called `<path>.partial`, which is removed when something fails. Answers its bytes.
 * Faults: `EXPORT_EXISTS` where there is a file already, or another export is writing it, `EXPORT_FAILED` for what the disk says; what `chunks` throws is thrown on.
 */
export async function writeExportFile(options: ExportFileOptions): Promise<number> {
  const { path, overwrite = false } = options;
  await assertFree(path, overwrite);
  const partial = `${path}.partial`;
  const handle = await create(partial);
  try {
    const bytes = await writeChunks(handle, options);
    await onDisk(path, () => handle.sync());
    await handle.close();
    // Somebody else may have made the file meanwhile.
    await assertFree(path, overwrite);
    await onDisk(path, () => rename(partial, path));
    return bytes;
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
    throw new Fault(
      'EXPORT_EXISTS',
      `There is a file ${path} already; name another one, or use faultline export --force.`,
    );
  }
  // A link, a pipe or a device would be replaced by a file.
  if (!found.isFile())
    throw new Fault('EXPORT_EXISTS', `${path} is not a regular file and is not replaced; name another.`);
}

async function create(partial: string): Promise<FileHandle> {
  try {
    return await open(partial, 'wx', FILE_MODE);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw failed(partial, error);
    const sentence = `There is a ${partial} already: another export is writing it, or one was killed. In that case remove it.`;
    throw new Fault('EXPORT_EXISTS', sentence, { cause: error });
  }
}

async function writeChunks(handle: FileHandle, options: ExportFileOptions): Promise<number> {
  const { path, chunks, signal } = options;
  let bytes = 0;
  let block = '';
  const flush = async (): Promise<void> => {
    const data = Buffer.from(block);
    block = '';
    await onDisk(path, () => handle.appendFile(data));
    bytes += data.length;
  };
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    block += chunk;
    if (block.length >= BLOCK_LENGTH) await flush();
  }
  signal?.throwIfAborted();
  if (block !== '') await flush();
  return bytes;
}

async function onDisk<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw failed(path, error);
  }
}

function failed(path: string, error: unknown): Fault {
  const why = error instanceof Error ? error.message : String(error);
  return new Fault('EXPORT_FAILED', `${path} could not be written (${why}); nothing is left of it.`, { cause: error });
}
