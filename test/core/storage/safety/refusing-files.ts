import type { StoreFile, StoreFiles } from '../../../../core/storage/files/store-files.js';

/** Error codes of a failing disk. */
export const REFUSALS = ['ENOSPC', 'EIO', 'EMFILE', 'EROFS', 'EDQUOT', 'EACCES'] as const;

/** Calls of a disk; `short` is a write that stores half of its bytes. */
type DiskCall = keyof typeof CHANGES;

/** Whether a call changes the disk. */
const CHANGES = {
  open: true,
  openToRead: false,
  read: false,
  size: false,
  identity: false,
  readFile: false,
  stat: false,
  list: false,
  write: true,
  short: true,
  sync: true,
  truncate: true,
  folder: true,
  syncFolder: true,
  rename: true,
  unlink: true,
  removeFolder: true,
} as const;

/** Which calls are refused. */
export interface Refusal {
  readonly code: string;
  /** The first call that fails, counted from zero since `arm`. */
  readonly from: number;
  /** The number of failing calls. */
  readonly times: number;
  /** Only calls that change the disk are counted and fail; default false. */
  readonly onlyChanges?: boolean;
  /** Only calls on paths in this folder are counted and fail; default all. */
  readonly inFolder?: string;
}

/** A disk that fails configured calls, and counts calls that a program must not make. */
export interface RefusingFiles {
  readonly files: StoreFiles;
  /** Calls since `arm`. */
  readonly calls: number;
  /** Failed calls, since creation. */
  readonly refused: number;
  readonly openFiles: number;
  /** Syncs of a file handle after a failed sync. */
  readonly resyncs: number;
  /** Calls on a closed file handle. */
  readonly usesAfterClose: number;
  /** Restarts counting, with another refusal or none. */
  arm(refusal?: Refusal): void;
}

export function refusingFiles(real: StoreFiles): RefusingFiles {
  let refusal: Refusal | undefined;
  const seen = { calls: 0, refused: 0, openFiles: 0, resyncs: 0, usesAfterClose: 0 };

  const isRefused = (call: DiskCall, path: string): boolean => {
    if (refusal?.inFolder !== undefined && !path.startsWith(`${refusal.inFolder}/`)) return false;
    if (refusal?.onlyChanges === true && !CHANGES[call]) return false;
    const number = seen.calls;
    seen.calls += 1;
    if (refusal === undefined || number < refusal.from || number >= refusal.from + refusal.times) return false;
    seen.refused += 1;
    return true;
  };
  const refusalError = (call: DiskCall, path: string): Error => {
    const code = refusal?.code ?? 'EIO';
    return Object.assign(new Error(`${code}: no, ${call} '${path}'`), { code, errno: -5, syscall: call });
  };
  const attempt = async <T>(call: DiskCall, path: string, work: () => Promise<T>): Promise<T> => {
    if (isRefused(call, path)) throw refusalError(call, path);
    return await work();
  };

  const watched = (file: StoreFile, path: string): StoreFile => {
    let hasFailedSync = false;
    let isOpen = true;
    seen.openFiles += 1;
    const use = <T>(call: DiskCall, work: () => Promise<T>): Promise<T> => {
      if (!isOpen) seen.usesAfterClose += 1;
      return attempt(call, path, work);
    };
    return {
      read: (position, bytes) => use('read', () => file.read(position, bytes)),
      size: () => use('size', () => file.size()),
      identity: () => use('identity', () => file.identity()),
      write: (buffers, position) =>
        use('write', async () => {
          if (!isRefused('short', path)) return await file.write(buffers, position);
          const bytes = Buffer.concat(buffers);
          await file.write([bytes.subarray(0, bytes.length >> 1)], position);
          throw refusalError('short', path);
        }),
      sync: () => {
        if (hasFailedSync) seen.resyncs += 1;
        hasFailedSync = true;
        return use('sync', async () => {
          await file.sync();
          hasFailedSync = false;
        });
      },
      truncate: (bytes) => use('truncate', () => file.truncate(bytes)),
      tryLock: (kind) => file.tryLock(kind),
      async close() {
        if (!isOpen) seen.usesAfterClose += 1;
        else seen.openFiles -= 1;
        isOpen = false;
        await file.close();
      },
    };
  };

  const files: StoreFiles = {
    open: async (path, mode) =>
      watched(await attempt(mode === 'read' ? 'openToRead' : 'open', path, () => real.open(path, mode)), path),
    readFile: (path) => attempt('readFile', path, () => real.readFile(path)),
    stat: (path) => attempt('stat', path, () => real.stat(path)),
    statNow: (path) => attempt('stat', path, () => real.statNow(path)),
    list: (folder) => attempt('list', folder, () => real.list(folder)),
    listNow: (folder) => attempt('list', folder, () => real.listNow(folder)),
    readEndNow: (path, bytes) => attempt('openToRead', path, () => real.readEndNow(path, bytes)),
    makeFolder: (folder) => attempt('folder', folder, () => real.makeFolder(folder)),
    syncFolder: (folder) => attempt('syncFolder', folder, () => real.syncFolder(folder)),
    rename: (from, to) => attempt('rename', from, () => real.rename(from, to)),
    unlink: (path) => attempt('unlink', path, () => real.unlink(path)),
    removeFolder: (folder) => attempt('removeFolder', folder, () => real.removeFolder(folder)),
  };
  return {
    files,
    get calls() {
      return seen.calls;
    },
    get refused() {
      return seen.refused;
    },
    get openFiles() {
      return seen.openFiles;
    },
    get resyncs() {
      return seen.resyncs;
    },
    get usesAfterClose() {
      return seen.usesAfterClose;
    },
    arm(next) {
      refusal = next;
      seen.calls = 0;
    },
  };
}
