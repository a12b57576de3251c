import { join } from 'node:path';
import { hasCode } from './system-error.js';

/** `other`: links and devices, which are never followed. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/**
 * `read`: must exist. `write`: read and write, created if missing. `create`: must not exist. `append`: as `write`, but writes go to the
 * current end, regardless of their position. Symbolic links are refused (`ELOOP`).
 */
export type OpenMode = 'read' | 'write' | 'create' | 'append';

/** What is at a path; a link is followed only if the path ends in `/`. */
export interface PathStat {
  readonly bytes: number;
  readonly kind: FolderEntry['kind'];
  /** Identifies the file under any name; may be reused once the file is removed and closed. */
  readonly identity: string;
}

export interface ReadableFile {
  /** Reads from `position`; fewer bytes only at the end of the file. Uses `into` if it is long enough. */
  read(position: number, bytes: number, into?: Buffer): Promise<Buffer>;
  size(): Promise<number>;
}

/**
 * One open file, read and written by position. Calls may overlap if their ranges do not. After a failed `sync` the system may have dropped
 * bytes: close the file, reopen it and write again. Nothing may be called after `close`.
 */
export interface StoreFile extends ReadableFile {
  /** Writes all buffers consecutively; after an error any part of them may be written. */
  write(buffers: readonly Uint8Array[], position: number): Promise<void>;
  /** Makes bytes and length durable (fdatasync). */
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  /**
   * Acquires the kernel's lock, which ends with `close` or the process. Returns false while another process holds a conflicting lock,
   * undefined if locks are unsupported. `exclusive` needs the mode `write` or `create`.
   */
  tryLock(kind: 'exclusive' | 'shared'): Promise<boolean | undefined>;
  /** As `FileStat.identity`. */
  identity(): Promise<string>;
  close(): Promise<void>;
}

/** The last bytes of a file, and how long it is. */
export interface FileEnd {
  readonly bytes: number;
  readonly end: Buffer;
}

/** All disk access of the store, by absolute paths; tests can make every step fail. Rejects with the system's errors. */
export interface StoreFiles {
  open(path: string, mode: OpenMode): Promise<StoreFile>;
  /** Undefined if the file is missing. */
  readFile(path: string): Promise<Buffer | undefined>;
  /** Undefined if nothing is at the path. */
  stat(path: string): Promise<PathStat | undefined>;
  /** As `stat`, but synchronous unless the file system is slow: for a few paths in a row. */
  statNow(path: string): Promise<PathStat | undefined>;
  /** Unordered; empty if the folder is missing. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** As `list`, but synchronous unless the file system is slow: for many small folders in a row. */
  listNow(folder: string): Promise<readonly FolderEntry[]>;
  /** Reads at most the last `bytes` of a file, undefined if it is missing; synchronous unless the file system is slow. */
  readEndNow(path: string, bytes: number): Promise<FileEnd | undefined>;
  /** Creates the folder and its parents; returns the new ones, outermost first. Sync their parents to make them durable. */
  makeFolder(folder: string): Promise<readonly string[]>;
  /** Makes the names in the folder durable. */
  syncFolder(folder: string): Promise<void>;
  /** Replaces `to` atomically. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Returns false, and changes nothing, if the folder is missing or not empty. */
  removeFolder(folder: string): Promise<boolean>;
}

export interface DataFolder {
  /** Absolute path. */
  readonly directory: string;
  readonly files: StoreFiles;
}

/** Opens a file, and closes it after `work`. */
export async function withFile<Result>(
  files: StoreFiles,
  path: string,
  mode: OpenMode,
  work: (file: StoreFile) => Promise<Result>,
): Promise<Result> {
  const file = await files.open(path, mode);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Removes a folder and its content; links are removed, not followed. */
export async function removeTree(files: StoreFiles, folder: string): Promise<void> {
  for (const { name, kind } of await files.list(folder)) {
    const path = join(folder, name);
    if (kind === 'folder') await removeTree(files, path);
    else await files.unlink(path);
  }
  await files.removeFolder(folder);
}

/** Removes a file if it exists. */
export async function unlinkIfExists(files: StoreFiles, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
