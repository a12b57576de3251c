import type { StoreFile, StoreFiles } from '../../../../core/storage/files/store-files.js';

/** Which calls fail, and how. */
export interface Failure {
  /** The system's error code, for example `ENOSPC`. */
  code: string;
  /** Which calls are counted; default: all that change the disk. */
  only?: readonly Operation[];
  /** The first counted call that fails, from zero. */
  at: number;
  /** How many calls fail from there on, default 1. */
  times?: number;
}

/** Calls that change the disk. */
export type Operation =
  | 'open'
  | 'write'
  | 'sync'
  | 'truncate'
  | 'folder'
  | 'syncFolder'
  | 'rename'
  | 'unlink'
  | 'removeFolder';

/** Files with injected failures; a failing write stores half of its bytes. */
export interface FailingFiles extends StoreFiles {
  /** Counted calls so far. */
  readonly calls: number;
  /** Files that are open. */
  readonly openFiles: number;
  /** Handles that were synced again after their sync failed. */
  readonly resyncs: number;
  /** Restarts counting, with another failure or none. */
  arm(failure?: Failure): void;
}

export function failingFiles(real: StoreFiles): FailingFiles {
  let failure: Failure | undefined;
  let calls = 0;
  let openFiles = 0;
  let resyncs = 0;

  const fails = (operation: Operation): boolean => {
    if (failure?.only !== undefined && !failure.only.includes(operation)) return false;
    const call = calls;
    calls += 1;
    return failure !== undefined && call >= failure.at && call < failure.at + (failure.times ?? 1);
  };
  const refusal = (operation: Operation): Error =>
    Object.assign(new Error(`${failure?.code ?? 'EIO'}: ${operation}`), { code: failure?.code ?? 'EIO' });
  const step = async <T>(operation: Operation, work: () => Promise<T>): Promise<T> => {
    if (fails(operation)) throw refusal(operation);
    return await work();
  };

  const wrap = (file: StoreFile): StoreFile => {
    let hasFailedSync = false;
    openFiles += 1;
    return {
      read: (position, bytes) => file.read(position, bytes),
      size: () => file.size(),
      async write(buffers, position) {
        if (!fails('write')) return await file.write(buffers, position);
        const bytes = Buffer.concat(buffers);
        await file.write([bytes.subarray(0, bytes.length >> 1)], position);
        throw refusal('write');
      },
      async sync() {
        if (hasFailedSync) resyncs += 1;
        if (fails('sync')) {
          hasFailedSync = true;
          throw refusal('sync');
        }
        await file.sync();
      },
      identity: () => file.identity(),
      truncate: (bytes) => step('truncate', () => file.truncate(bytes)),
      tryLock: (kind) => file.tryLock(kind),
      async close() {
        openFiles -= 1;
        await file.close();
      },
    };
  };

  return {
    get calls() {
      return calls;
    },
    get openFiles() {
      return openFiles;
    },
    get resyncs() {
      return resyncs;
    },
    arm(next) {
      failure = next;
      calls = 0;
    },
    open: async (path, mode) =>
      wrap(mode === 'read' ? await real.open(path, mode) : await step('open', () => real.open(path, mode))),
    readFile: (path) => real.readFile(path),
    stat: (path) => real.stat(path),
    statNow: (path) => real.statNow(path),
    list: (folder) => real.list(folder),
    listNow: (folder) => real.listNow(folder),
    readEndNow: (path, bytes) => real.readEndNow(path, bytes),
    makeFolder: (folder) => step('folder', () => real.makeFolder(folder)),
    syncFolder: (folder) => step('syncFolder', () => real.syncFolder(folder)),
    rename: (from, to) => step('rename', () => real.rename(from, to)),
    unlink: (path) => step('unlink', () => real.unlink(path)),
    removeFolder: (folder) => step('removeFolder', () => real.removeFolder(folder)),
  };
}
