import { Fault } from '../../../event/fault.js';
import type { ReadableFile, StoreFile, StoreFiles } from '../../files/store-files.js';
import { hasCode } from '../../files/system-error.js';

interface Handle {
  readonly file: Promise<StoreFile>;
  users: number;
}

/** Creates handles to read files, opened on demand; at most `maxOpen` idle ones stay open. */
export function createReadHandles(files: StoreFiles, maxOpen: number) {
  /** Least recently used first. */
  const handles = new Map<string, Handle>();
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  const closeIdle = async (most: number): Promise<void> => {
    for (const [path, handle] of handles) {
      if (handles.size <= most) return;
      if (handle.users > 0) continue;
      handles.delete(path);
      await (await handle.file).close();
    }
  };

  const use = async <T>(path: string, call: (file: StoreFile) => Promise<T>, absent: T): Promise<T> => {
    const handle = handles.get(path) ?? { file: files.open(path, 'read'), users: 0 };
    handles.delete(path);
    handles.set(path, handle);
    handle.users += 1;
    try {
      const file = await handle.file.catch((error: unknown) => {
        if (handles.get(path) === handle) handles.delete(path);
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
        throw error;
      });
      return file === undefined ? absent : await call(file);
    } finally {
      handle.users -= 1;
      await closeIdle(maxOpen);
    }
  };

  const tracked = <T>(path: string, call: (file: StoreFile) => Promise<T>, absent: T): Promise<T> => {
    if (isClosed) return Promise.reject(new Fault('READER_CLOSED', 'The record was closed. Open it again to read.'));
    const result = use(path, call, absent).finally(() => running.delete(result));
    running.add(result);
    return result;
  };

  /** Waits for running calls and closes all files; idempotent. Later calls reject with Fault `READER_CLOSED`. */
  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.allSettled(running);
    await closeIdle(0);
  };

  return {
    /** Opens nothing before the first call; a missing file reads as empty. */
    file: (path: string): ReadableFile => ({
      read: (position, bytes, into) => tracked(path, (file) => file.read(position, bytes, into), Buffer.alloc(0)),
      size: () => tracked(path, (file) => file.size(), 0),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
