import type { StoreFiles } from '../../../../core/storage/files/store-files.js';

/** Files that count written bytes and changes. */
export interface CountingFiles extends StoreFiles {
  readonly bytesWritten: number;
  /** The number of calls that change the disk. */
  readonly changes: number;
}

export function countingFiles(real: StoreFiles): CountingFiles {
  let bytesWritten = 0;
  let changes = 0;
  const counted = <Args extends unknown[], Result>(work: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      changes += 1;
      return work(...args);
    };
  };
  return {
    get bytesWritten() {
      return bytesWritten;
    },
    get changes() {
      return changes;
    },
    async open(path, mode) {
      if (mode !== 'read') changes += 1;
      const file = await real.open(path, mode);
      return {
        read: (position, bytes) => file.read(position, bytes),
        size: () => file.size(),
        identity: () => file.identity(),
        sync: () => file.sync(),
        close: () => file.close(),
        truncate: (bytes) => file.truncate(bytes),
        tryLock: (kind) => file.tryLock(kind),
        write: (buffers, position) => {
          for (const { length } of buffers) bytesWritten += length;
          return file.write(buffers, position);
        },
      };
    },
    readFile: (path) => real.readFile(path),
    stat: (path) => real.stat(path),
    statNow: (path) => real.statNow(path),
    list: (folder) => real.list(folder),
    listNow: (folder) => real.listNow(folder),
    readEndNow: (path, bytes) => real.readEndNow(path, bytes),
    makeFolder: counted((folder) => real.makeFolder(folder)),
    syncFolder: counted((folder) => real.syncFolder(folder)),
    rename: counted((from, to) => real.rename(from, to)),
    unlink: counted((path) => real.unlink(path)),
    removeFolder: counted((folder) => real.removeFolder(folder)),
  };
}
