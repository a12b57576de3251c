/** What a name in a folder is; links and devices are `other`, and nobody follows them. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/**
 * How a file is opened: `read` must exist, `write` reads and writes and makes it when absent, `create` must not exist, `append` is `write` whose writes
 * go to the end that the file has at that moment, whatever their position. A symbolic link is not opened (`ELOOP`).
 */
export type OpenMode = 'read' | 'write' | 'create' | 'append';

/** What lies at a path; links are not followed, except behind a path that ends in `/`. */
export interface FileStat {
  /** Length. */
  readonly bytes: number;
  readonly kind: FolderEntry['kind'];
  /** Which file it is, whatever its name; another one may have it once this one is removed and closed. */
  readonly identity: string;
}

/** What can be asked of a file by those who only read. */
export interface ReadableFile {
  /** Bytes from `position` on; fewer than asked only where the file ends. `into`, if it is at least as long, may hold the answer, and saves memory of its own. */
  read(position: number, bytes: number, into?: Buffer): Promise<Buffer>;
  /** Length in bytes. */
  size(): Promise<number>;
}

/**
 * One open file, read and written by position. Calls may overlap where their ranges do not.
 * After a failed `sync` the operating system may have dropped the bytes: close the file, open it anew and write again.
 * `close` comes last; no call may follow it.
 */
export interface StoreFile extends ReadableFile {
  /** Writes all buffers one after the other from `position` on, whole; after an error any part of them may be written. */
  write(buffers: readonly Uint8Array[], position: number): Promise<void>;
  /** Returns when bytes and length are on the disk (fdatasync). */
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  /**
   * Takes the kernel's lock of the file, which ends with `close` or the process. Returns false while somebody else holds it (an exclusive one, or any
   * when `exclusive` is asked for), undefined where the kernel or the file system has no such locks. `exclusive` needs the mode `write` or `create`.
   */
  tryLock(kind: 'exclusive' | 'shared'): Promise<boolean | undefined>;
  /** As `FileStat.identity`, whatever its name is by now. */
  identity(): Promise<string>;
  close(): Promise<void>;
}

/**
 * The one way in which the storage room touches the disk, so that tests can make every step fail.
 * Paths are absolute. Rejections are the system's errors with their `code` (`ENOENT`, `ENOSPC`, …).
 */
export interface StoreFiles {
  open(path: string, mode: OpenMode): Promise<StoreFile>;
  /** The whole file; undefined when there is none. */
  readFile(path: string): Promise<Buffer | undefined>;
  /** Undefined when there is nothing. */
  stat(path: string): Promise<FileStat | undefined>;
  /** The same without leaving the thread unless the file system is slow: for a few paths, because nobody has a turn between them. */
  statNow(path: string): Promise<FileStat | undefined>;
  /** Names in a folder, in no order; empty when there is no such folder. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Makes the folder and those above it; answers the new ones, outermost first. They are durable once their parents are synced. */
  makeFolder(folder: string): Promise<readonly string[]>;
  /** Returns when the names in the folder are on the disk. */
  syncFolder(folder: string): Promise<void>;
  /** Replaces `to` in one step. */
  rename(from: string, to: string): Promise<void>;
  /** Removes the name of a file. */
  unlink(path: string): Promise<void>;
  /** Removes one empty folder; answers false where it is not empty or not there, and then nothing changed. */
  removeFolder(folder: string): Promise<boolean>;
}

/** A data folder, and the disk on which it lies. */
export interface DataFolder {
  /** Absolute path. */
  readonly directory: string;
  readonly files: StoreFiles;
}
