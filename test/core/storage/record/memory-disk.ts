import { dirname, join } from 'node:path';
import type {
  FolderEntry,
  OpenMode,
  PathStat,
  ReadableFile,
  StoreFile,
  StoreFiles,
} from '../../../../core/storage/files/store-files.js';
import type { Operation } from './failing-files.js';
import { MemoryFile } from './memory-file.js';
import { MemoryFolder, type MemoryNode } from './memory-folder.js';
import { createSurvival, type Luck } from './survival.js';

/** How a call that changes the disk fails. */
export interface Fate {
  /** The system's error code, for example `ENOSPC`. */
  readonly code: string;
  /** The effect of the failing call. `part` writes the first half, drops the pages of a sync, and has no effect on other calls. */
  readonly effect: 'none' | 'part' | 'whole';
}

/** A disk in memory whose power failures may lose unsynced changes: pages of files, their lengths, and names in folders. */
export interface MemoryDisk {
  readonly files: StoreFiles;
  /** Called before every call that changes the disk; undefined lets it succeed. */
  fateOf: ((operation: Operation, path: string) => Fate | undefined) | undefined;
  /** Lets every later call of the current users fail; returns the disk after the power failure. */
  failPower(luck: Luck): MemoryDisk;
  /** Removes a path, as `rm -r` or `mv` to another disk; returns whether it existed. */
  pull(path: string): boolean;
  /** Cuts a file, as `truncate`. */
  cut(path: string, bytes: number): void;
  /** The content of a file; undefined if it does not exist. */
  contentOf(path: string): Buffer | undefined;
  /** A copy of the disk, including unsynced changes. */
  copy(): MemoryDisk;
  /** Like `failPower`, but only the process ends and unsynced changes stay. */
  kill(): MemoryDisk;
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** An empty disk, or one with a given tree; `time` counts its changes. */
export function createMemoryDisk(root: MemoryFolder = new MemoryFolder(), time = 0): MemoryDisk {
  let hasPower = true;
  let now = time;
  /** Holders of kernel locks, which end with the process. */
  const locks = new Map<MemoryFile, Map<StoreFile, 'exclusive' | 'shared'>>();

  const identities = new Map<MemoryNode, string>();
  const identityOf = (node: MemoryNode): string => {
    const known = identities.get(node) ?? String(identities.size);
    identities.set(node, known);
    return known;
  };
  const find = (path: string): MemoryNode | undefined => {
    if (path === '/') return root;
    if (path.endsWith('/')) return find(path.slice(0, -1));
    const above = find(dirname(path));
    return above?.kind === 'folder' ? above.names.get(nameOf(path)) : undefined;
  };
  const folderAt = (path: string): MemoryFolder => {
    const node = find(path);
    if (node?.kind !== 'folder') throw systemError('ENOENT', path);
    return node;
  };
  const fileAt = (path: string): MemoryFile => {
    const node = find(path);
    if (node?.kind !== 'file') throw systemError('ENOENT', path);
    return node;
  };
  const setName = (path: string, node: MemoryNode | undefined): void =>
    folderAt(dirname(path)).change(new Map([[nameOf(path), node]]), now);

  const run = async <T>(work: () => T): Promise<T> => {
    // Yields like a real disk, so that calls interleave.
    await new Promise((resolve) => setImmediate(resolve));
    if (!hasPower) throw systemError('EIO', 'no power');
    return work();
  };
  const change = <T>(operation: Operation, path: string, work: () => T, part?: () => void): Promise<T> =>
    run(() => {
      now += 1;
      const fate = disk.fateOf?.(operation, path);
      if (fate === undefined) return work();
      if (fate.effect === 'whole') work();
      if (fate.effect === 'part') part?.();
      throw systemError(fate.code, path);
    });

  const reading = (file: MemoryFile): ReadableFile => ({
    read: (position, bytes) => run(() => file.read(position, bytes)),
    size: () => run(() => file.length),
  });
  const handle = (file: MemoryFile, path: string, mode: OpenMode): StoreFile => ({
    ...reading(file),
    write(buffers, position) {
      const bytes = Buffer.concat(buffers);
      const half = bytes.subarray(0, bytes.length >> 1);
      const start = (): number => (mode === 'append' ? file.length : position);
      return change(
        'write',
        path,
        () => file.write(bytes, start(), now),
        () => file.write(half, start(), now),
      );
    },
    identity: () => run(() => identityOf(file)),
    sync: () =>
      change(
        'sync',
        path,
        () => file.sync(),
        () => file.failSync(),
      ),
    truncate: (bytes) => change('truncate', path, () => file.truncate(bytes, now)),
    tryLock(kind) {
      return run(() => {
        const holders = locks.get(file) ?? new Map<StoreFile, typeof kind>();
        locks.set(file, holders);
        for (const [other, held] of holders) {
          if (other !== this && (kind === 'exclusive' || held === 'exclusive')) return false;
        }
        holders.set(this, kind);
        return true;
      });
    },
    async close() {
      locks.get(file)?.delete(this);
    },
  });

  const makeFolder = (path: string): string[] => {
    if (find(path)?.kind === 'folder') return [];
    const made = makeFolder(dirname(path));
    setName(path, new MemoryFolder());
    return [...made, path];
  };
  const openForWriting = (path: string, mode: OpenMode): StoreFile => {
    const known = find(path);
    if (known?.kind === 'folder') throw systemError(mode === 'create' ? 'EEXIST' : 'EISDIR', path);
    if (mode === 'create' && known !== undefined) throw systemError('EEXIST', path);
    if (known === undefined) setName(path, new MemoryFile());
    return handle(fileAt(path), path, mode);
  };
  const stat = (path: string): Promise<PathStat | undefined> =>
    run(() => {
      const node = find(path);
      return node && { kind: node.kind, bytes: node.kind === 'file' ? node.length : 0, identity: identityOf(node) };
    });
  const list = (folder: string): Promise<FolderEntry[]> =>
    run(() => {
      const node = find(folder);
      return node?.kind === 'folder' ? [...node.names].map(([name, { kind }]) => ({ name, kind })) : [];
    });
  const rename = (from: string, to: string): void => {
    const node = find(from);
    const existing = find(to);
    if (node === undefined) throw systemError('ENOENT', from);
    if (existing?.kind === 'folder' && existing.names.size > 0) throw systemError('ENOTEMPTY', to);
    if (dirname(from) === dirname(to)) {
      const names = new Map([
        [nameOf(from), undefined],
        [nameOf(to), node],
      ]);
      folderAt(dirname(from)).change(names, now);
    } else {
      setName(to, node);
      setName(from, undefined);
    }
  };

  const files: StoreFiles = {
    open: (path, mode) =>
      mode === 'read'
        ? run(() => handle(fileAt(path), path, mode))
        : change('open', path, () => openForWriting(path, mode)),
    readFile: (path) =>
      run(() => {
        const node = find(path);
        if (node?.kind === 'folder') throw systemError('EISDIR', path);
        return node?.read(0, node.length);
      }),
    stat,
    statNow: stat,
    list,
    listNow: list,
    readEndNow: (path, bytes) =>
      run(() => {
        const node = find(path);
        if (node?.kind === 'folder') throw systemError('EISDIR', path);
        return node && { bytes: node.length, end: node.read(Math.max(0, node.length - bytes), bytes) };
      }),
    makeFolder: (folder) => change('folder', folder, () => makeFolder(folder)),
    syncFolder: (folder) => change('syncFolder', folder, () => folderAt(folder).sync()),
    rename: (from, to) => change('rename', from, () => rename(from, to)),
    unlink: (path) =>
      change('unlink', path, () => {
        fileAt(path);
        setName(path, undefined);
      }),
    removeFolder: (folder) =>
      change('removeFolder', folder, () => {
        const node = find(folder);
        if (node === undefined) return false;
        if (node.kind !== 'folder') throw systemError('ENOTDIR', folder);
        if (node.names.size > 0) return false;
        setName(folder, undefined);
        return true;
      }),
  };

  const disk: MemoryDisk = {
    files,
    fateOf: undefined,
    failPower(luck) {
      hasPower = false;
      return createMemoryDisk(root.afterPowerLoss(createSurvival(luck, now)), now);
    },
    pull(path) {
      const exists = find(path) !== undefined;
      if (exists) setName(path, undefined);
      return exists;
    },
    cut: (path, bytes) => fileAt(path).truncate(bytes, now),
    contentOf(path) {
      const node = find(path);
      return node?.kind === 'file' ? node.read(0, node.length) : undefined;
    },
    copy: () => createMemoryDisk(root.copy(), now),
    kill() {
      hasPower = false;
      return createMemoryDisk(root.copy(), now);
    },
  };
  return disk;
}

/** A folder that exists on every disk. */
export const MEMORY_ROOT = join('/', 'data');
