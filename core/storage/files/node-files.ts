/// <reference path="./fs-native-extensions.d.ts" />
import fs from 'node:fs';
import { dirname } from 'node:path';
import type { FileEnd, FolderEntry, OpenMode, PathStat, StoreFile, StoreFiles } from './store-files.js';
import { hasCode } from './system-error.js';

/** Events are private: only the owner writes, and the group may read. The umask restricts further. */
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW } = fs.constants;
const OPEN_FLAGS: Record<OpenMode, number> = {
  read: O_RDONLY | O_NOFOLLOW,
  write: O_RDWR | O_CREAT | O_NOFOLLOW,
  create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
  append: O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW,
};

/** After a synchronous call that took longer, the file system is slow: for SLOWNESS_MS the thread pool is used instead. */
const SLOW_CALL_MS = 5;
const SLOWNESS_MS = 1_000;
let isSlowUntilMs = Number.NEGATIVE_INFINITY;

/** Bytes that the page cache takes in less time than waking a thread of the pool. */
const MAX_SYNC_WRITE_BYTES = 128 * 1024;

/** Longer reads check the file's length first: a number from a damaged record must not allocate memory. */
const MAX_UNCHECKED_BYTES = 16 * 1024 * 1024;

type Done<T> = (error: NodeJS.ErrnoException | null, value?: T) => void;

// Callbacks on descriptors: FileHandle's promises cost more than the calls.
function call<T = void>(start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value as T))));
}

function isQuick(): boolean {
  return performance.now() >= isSlowUntilMs;
}

function callNow<T>(work: () => T): T {
  const beganMs = performance.now();
  try {
    return work();
  } finally {
    const endedMs = performance.now();
    if (endedMs - beganMs > SLOW_CALL_MS) isSlowUntilMs = endedMs + SLOWNESS_MS;
  }
}

class NodeFile implements StoreFile {
  readonly #descriptor: number;
  readonly #mode: OpenMode;

  constructor(descriptor: number, mode: OpenMode) {
    this.#descriptor = descriptor;
    this.#mode = mode;
  }

  async read(position: number, wanted: number, into?: Buffer): Promise<Buffer> {
    const bytes =
      wanted <= MAX_UNCHECKED_BYTES ? wanted : Math.min(wanted, Math.max(0, (await this.size()) - position));
    const buffer = into !== undefined && into.length >= bytes ? into.subarray(0, bytes) : Buffer.allocUnsafe(bytes);
    let filled = 0;
    while (filled < bytes) {
      const start = filled;
      const count = await call<number>((done) =>
        fs.read(this.#descriptor, buffer, start, bytes - start, position + start, done),
      );
      if (count === 0) break;
      filled += count;
    }
    return filled === bytes ? buffer : buffer.subarray(0, filled);
  }

  async write(buffers: readonly Uint8Array[], position: number): Promise<void> {
    let rest = buffers.filter((buffer) => buffer.length > 0);
    let at = position;
    const isSmall = rest.reduce((bytes, buffer) => bytes + buffer.length, 0) <= MAX_SYNC_WRITE_BYTES;
    while (rest.length > 0) {
      // On some systems a position overrides append mode.
      const start = this.#mode === 'append' ? null : at;
      const written =
        isSmall && isQuick()
          ? callNow(() => fs.writevSync(this.#descriptor, rest, start ?? undefined))
          : await call<number>((done) => fs.writev(this.#descriptor, rest, start, done));
      at += written;
      rest = withoutFirst(rest, written);
    }
  }

  sync(): Promise<void> {
    return call((done) => fs.fdatasync(this.#descriptor, done));
  }

  truncate(bytes: number): Promise<void> {
    return call((done) => fs.ftruncate(this.#descriptor, bytes, done));
  }

  async tryLock(kind: 'exclusive' | 'shared'): Promise<boolean | undefined> {
    try {
      // A native module that only writers need.
      const { tryLock } = await import('fs-native-extensions');
      return tryLock(this.#descriptor, { shared: kind === 'shared' });
    } catch {
      // Unsupported system (musl), or a file system without locks (ENOLCK, ENOTSUP).
      return undefined;
    }
  }

  // Synchronous: fstat does not block, and the thread pool would be slower.
  async size(): Promise<number> {
    return fs.fstatSync(this.#descriptor).size;
  }

  async identity(): Promise<string> {
    return fileStat(fs.fstatSync(this.#descriptor)).identity;
  }

  close(): Promise<void> {
    return call((done) => fs.close(this.#descriptor, done));
  }
}

function withoutFirst(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  const rest: Uint8Array[] = [];
  for (const buffer of buffers) {
    if (skip < buffer.length) rest.push(skip === 0 ? buffer : buffer.subarray(skip));
    skip = Math.max(0, skip - buffer.length);
  }
  return rest;
}

function kindOf(entry: fs.Dirent | fs.Stats): FolderEntry['kind'] {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'other';
}

function entriesOf(entries: readonly fs.Dirent[] = []): FolderEntry[] {
  return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
}

function fileStat(stats: fs.Stats): PathStat {
  return { bytes: stats.size, kind: kindOf(stats), identity: `${stats.dev}:${stats.ino}` };
}

async function open(path: string, mode: OpenMode): Promise<number> {
  try {
    return await call<number>((done) => fs.open(path, OPEN_FLAGS[mode], FILE_MODE, done));
  } catch (cause) {
    if (!hasCode(cause, 'ELOOP')) throw cause;
    const sentence = `ELOOP: ${path} is a symbolic link, and links are not followed: put the file itself there`;
    throw Object.assign(new Error(sentence, { cause }), { code: 'ELOOP' });
  }
}

/** Calls fstat and close synchronously, which halves the trips to the thread pool when an index is loaded. */
async function readWhole(path: string): Promise<Buffer> {
  const descriptor = await open(path, 'read');
  try {
    return await new NodeFile(descriptor, 'read').read(0, fs.fstatSync(descriptor).size);
  } finally {
    fs.closeSync(descriptor);
  }
}

function readEndSync(path: string, most: number): FileEnd {
  const descriptor = fs.openSync(path, OPEN_FLAGS.read);
  try {
    const bytes = fs.fstatSync(descriptor).size;
    const end = Buffer.allocUnsafe(Math.min(bytes, most));
    const read = fs.readSync(descriptor, end, 0, end.length, bytes - end.length);
    return { bytes, end: end.subarray(0, read) };
  } finally {
    fs.closeSync(descriptor);
  }
}

async function readEnd(path: string, most: number): Promise<FileEnd> {
  const file = new NodeFile(await open(path, 'read'), 'read');
  try {
    const bytes = await file.size();
    const wanted = Math.min(bytes, most);
    return { bytes, end: await file.read(bytes - wanted, wanted) };
  } finally {
    await file.close();
  }
}

async function orUndefined<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Attempts if a parent disappears meanwhile: emptying a store removes empty folders. */
const MAX_MAKING_TRIES = 3;

/** Returns the created folders, outermost first. Not `recursive`: Node.js 20 loops forever below a folder such as `/proc`. */
async function makeFolders(folder: string): Promise<readonly string[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await makeOneFolder(folder);
    } catch (error) {
      const above = dirname(folder);
      if (!hasCode(error, 'ENOENT') || above === folder) throw error;
      const made = await makeFolders(above);
      try {
        return [...made, ...(await makeOneFolder(folder))];
      } catch (again) {
        if (!hasCode(again, 'ENOENT') || tries === MAX_MAKING_TRIES) throw again;
      }
    }
  }
}

/** Returns nothing if the folder exists. */
async function makeOneFolder(folder: string): Promise<readonly string[]> {
  try {
    await call((done) => fs.mkdir(folder, { mode: FOLDER_MODE }, done));
    return [folder];
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw error;
    const stat = await orUndefined(call<fs.Stats>((done) => fs.stat(folder, done)));
    // A read-only file system may report another error for an existing folder.
    if (stat?.isDirectory() === true) return [];
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const descriptor = await call<number>((done) => fs.open(folder, fs.constants.O_RDONLY, done));
  try {
    await call((done) => fs.fsync(descriptor, done));
  } finally {
    await call((done) => fs.close(descriptor, done));
  }
}

/** The real file system. */
export const nodeFiles: StoreFiles = {
  async open(path, mode) {
    return new NodeFile(await open(path, mode), mode);
  },
  readFile: (path) => orUndefined(readWhole(path)),
  stat: (path) => orUndefined(call<fs.Stats>((done) => fs.lstat(path, done)).then(fileStat)),
  async statNow(path) {
    if (!isQuick()) return await nodeFiles.stat(path);
    return await orUndefined((async () => callNow(() => fileStat(fs.lstatSync(path))))());
  },
  async list(folder) {
    return entriesOf(await orUndefined(call<fs.Dirent[]>((done) => fs.readdir(folder, { withFileTypes: true }, done))));
  },
  async listNow(folder) {
    if (!isQuick()) return await nodeFiles.list(folder);
    return entriesOf(await orUndefined((async () => callNow(() => fs.readdirSync(folder, { withFileTypes: true })))()));
  },
  async readEndNow(path, bytes) {
    try {
      if (isQuick()) return callNow(() => readEndSync(path, bytes));
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      // The other way of reading names the error.
    }
    return await orUndefined(readEnd(path, bytes));
  },
  makeFolder: makeFolders,
  syncFolder,
  rename: (from, to) => call((done) => fs.rename(from, to, done)),
  unlink: (path) => call((done) => fs.unlink(path, done)),
  async removeFolder(folder) {
    try {
      await call((done) => fs.rmdir(folder, done));
      return true;
    } catch (error) {
      // POSIX allows EEXIST instead of ENOTEMPTY.
      if (hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) return false;
      throw error;
    }
  },
};
