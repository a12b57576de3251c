import type { StoreFile, StoreFiles } from '../../../../core/storage/files/store-files.js';

/** Error codes of a failing disk. */
export const REFUSALS = ['ENOSPC', 'EIO', 'EMFILE', 'EROFS', 'EDQUOT', 'EACCES'] as const;

/** Every way in which the store touches the disk; `short` is a write of which half arrives. */
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
  /** The first call that is refused, counted from zero since `arm`; undefined: none. */
  readonly from: number;
  /** How many from there on; infinity: for good. */
  readonly times: number;
  /** Only calls that change the disk are counted and refused; default all. */
  readonly onlyChanges?: boolean;
  /** Only calls on what lies in this folder are counted and refused; default all. */
  readonly inFolder?: string;
}

/** A disk that fails on configured calls, and counts calls that a program must not make. */
export interface RefusingFiles {
  readonly files: StoreFiles;
  /** Calls since `arm`. */
  readonly calls: number;
  /** Calls that were refused, since the beginning. */
  readonly refused: number;
  readonly openFiles: number;
  /** Syncs of a handle that had failed to sync before. */
  readonly resyncs: number;
  /** Calls on a handle that was closed. */
  readonly usesAfterClose: number;
  /** Starts to count again, towards a refusal or none. */
  arm(refusal?: Refusal): void;
}

/** Wraps a disk. */
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
  const no = (call: DiskCall, path: string): Error => {
    const code = refusal?.code ?? 'EIO';
    return Object.assign(new Error(`${code}: no, ${call} '${path}'`), { code, errno: -5, syscall: call });
  };
  const ask = async <T>(call: DiskCall, path: string, work: () => Promise<T>): Promise<T> => {
    if (isRefused(call, path)) throw no(call, path);
    return await work();
  };

  const watched = (file: StoreFile, path: string): StoreFile => {
    let hasFailedSync = false;
    let isOpen = true;
    seen.openFiles += 1;
    const use = <T>(call: DiskCall, work: () => Promise<T>): Promise<T> => {
      if (!isOpen) seen.usesAfterClose += 1;
      return ask(call, path, work);
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
          throw no('short', path);
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
      watched(await ask(mode === 'read' ? 'openToRead' : 'open', path, () => real.open(path, mode)), path),
    readFile: (path) => ask('readFile', path, () => real.readFile(path)),
    stat: (path) => ask('stat', path, () => real.stat(path)),
    statNow: (path) => ask('stat', path, () => real.statNow(path)),
    list: (folder) => ask('list', folder, () => real.list(folder)),
    makeFolder: (folder) => ask('folder', folder, () => real.makeFolder(folder)),
    syncFolder: (folder) => ask('syncFolder', folder, () => real.syncFolder(folder)),
    rename: (from, to) => ask('rename', from, () => real.rename(from, to)),
    unlink: (path) => ask('unlink', path, () => real.unlink(path)),
    removeFolder: (folder) => ask('removeFolder', folder, () => real.removeFolder(folder)),
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
