import { dirname, join } from 'node:path';
import type { ReadableFile, StoreFile, StoreFiles } from '../../../../core/storage/files/store-files.js';

interface FileNode {
  kind: 'file';
  bytes: Buffer;
  /** What a power failure leaves for certain. */
  synced: Buffer;
}

interface FolderNode {
  kind: 'folder';
  names: Map<string, FileNode | FolderNode>;
  synced: Map<string, FileNode | FolderNode>;
}

/** How much of what was never synced a power failure leaves, from 0 (nothing) to 1 (all); asked for each file and each name. */
export type Luck = () => number;

/** A disk in memory that forgets what was not synced when its power fails: file contents, and names in folders. */
export interface MemoryDisk {
  readonly files: StoreFiles;
  /** Every later call by those who use the disk now fails; answers the disk as it is found afterwards. */
  failPower(luck: Luck): MemoryDisk;
  /** Another disk that holds the same, with the same still to be synced. */
  copy(): MemoryDisk;
  /** Like `failPower`, but only the process ends: the system keeps what it was given. */
  kill(): MemoryDisk;
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

const newFolder = (): FolderNode => ({ kind: 'folder', names: new Map(), synced: new Map() });

export function createMemoryDisk(root: FolderNode = newFolder()): MemoryDisk {
  let hasPower = true;

  const find = (path: string): FileNode | FolderNode | undefined => {
    if (path === '/') return root;
    const above = find(dirname(path));
    return above?.kind === 'folder' ? above.names.get(path.slice(path.lastIndexOf('/') + 1)) : undefined;
  };
  const folderOf = (path: string): FolderNode => {
    const above = find(dirname(path));
    if (above?.kind !== 'folder') throw systemError('ENOENT', path);
    return above;
  };
  const fileAt = (path: string): FileNode => {
    const node = find(path);
    if (node?.kind !== 'file') throw systemError('ENOENT', path);
    return node;
  };
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  const powered = async <T>(work: () => T): Promise<T> => {
    // A turn of the loop, as with a real disk, so that calls mix.
    await new Promise((resolve) => setImmediate(resolve));
    if (!hasPower) throw systemError('EIO', 'no power');
    return work();
  };

  const read = (file: FileNode): ReadableFile => ({
    read: (position, bytes) => powered(() => Buffer.from(file.bytes.subarray(position, position + bytes))),
    size: () => powered(() => file.bytes.length),
  });
  const handle = (file: FileNode): StoreFile => ({
    ...read(file),
    write: (buffers, position) =>
      powered(() => {
        const added = Buffer.concat(buffers);
        const grown = Buffer.alloc(Math.max(file.bytes.length, position + added.length));
        file.bytes.copy(grown);
        added.copy(grown, position);
        file.bytes = grown;
      }),
    sync: () =>
      powered(() => {
        file.synced = file.bytes;
      }),
    truncate: (bytes) =>
      powered(() => {
        file.bytes = Buffer.from(file.bytes.subarray(0, bytes));
      }),
    close: async () => undefined,
  });

  const makeFolder = (path: string): string[] => {
    if (find(path)?.kind === 'folder') return [];
    const made = makeFolder(dirname(path));
    folderOf(path).names.set(nameOf(path), newFolder());
    return [...made, path];
  };

  const files: StoreFiles = {
    open: (path, mode) =>
      powered(() => {
        const known = find(path);
        if (mode === 'create' && known !== undefined) throw systemError('EEXIST', path);
        if (known === undefined && mode !== 'read') {
          folderOf(path).names.set(nameOf(path), { kind: 'file', bytes: Buffer.alloc(0), synced: Buffer.alloc(0) });
        }
        return handle(fileAt(path));
      }),
    readFile: (path) =>
      powered(() => {
        const node = find(path);
        return node?.kind === 'file' ? Buffer.from(node.bytes) : undefined;
      }),
    stat: (path) =>
      powered(() => {
        const node = find(path);
        return node && { kind: node.kind, bytes: node.kind === 'file' ? node.bytes.length : 0 };
      }),
    list: (folder) =>
      powered(() => {
        const node = find(folder);
        return node?.kind === 'folder' ? [...node.names].map(([name, { kind }]) => ({ name, kind })) : [];
      }),
    makeFolder: (folder) => powered(() => makeFolder(folder)),
    syncFolder: (folder) =>
      powered(() => {
        const node = find(folder);
        if (node?.kind !== 'folder') throw systemError('ENOENT', folder);
        node.synced = new Map(node.names);
      }),
    rename: (from, to) =>
      powered(() => {
        folderOf(to).names.set(nameOf(to), fileAt(from));
        folderOf(from).names.delete(nameOf(from));
      }),
    link: (from, to) =>
      powered(() => {
        if (find(to) !== undefined) throw systemError('EEXIST', to);
        folderOf(to).names.set(nameOf(to), fileAt(from));
      }),
    unlink: (path) =>
      powered(() => {
        fileAt(path);
        folderOf(path).names.delete(nameOf(path));
      }),
  };

  return {
    files,
    failPower(luck) {
      hasPower = false;
      return createMemoryDisk(folderAfter(root, luck));
    },
    copy: () => createMemoryDisk(copyFolder(root)),
    kill() {
      hasPower = false;
      return createMemoryDisk(copyFolder(root));
    },
  };
}

function copyFolder(folder: FolderNode, copies = new Map<FileNode | FolderNode, FileNode | FolderNode>()): FolderNode {
  const copied = newFolder();
  const copyOf = (node: FileNode | FolderNode): FileNode | FolderNode => {
    const known = copies.get(node);
    if (known !== undefined) return known;
    // Contents are replaced as a whole and never changed in place, so both may share them.
    const copy = node.kind === 'file' ? { ...node } : copyFolder(node, copies);
    copies.set(node, copy);
    return copy;
  };
  for (const [name, node] of folder.names) copied.names.set(name, copyOf(node));
  for (const [name, node] of folder.synced) copied.synced.set(name, copyOf(node));
  return copied;
}

function folderAfter(folder: FolderNode, luck: Luck): FolderNode {
  const found = newFolder();
  for (const name of new Set([...folder.names.keys(), ...folder.synced.keys()])) {
    const node = luck() > 0.5 ? folder.names.get(name) : folder.synced.get(name);
    if (node === undefined) continue;
    found.names.set(name, node.kind === 'file' ? fileAfter(node, luck) : folderAfter(node, luck));
  }
  found.synced = new Map(found.names);
  return found;
}

/** Some length between the two states, and where bytes never arrived, zeros. */
function fileAfter({ bytes, synced }: FileNode, luck: Luck): FileNode {
  const shorter = Math.min(bytes.length, synced.length);
  const longer = bytes.length > synced.length ? bytes : synced;
  const end = shorter + Math.round(luck() * (longer.length - shorter));
  const found = Buffer.from(longer.subarray(0, end));
  const same = commonLength(bytes, synced);
  if (luck() < 0.3 && end > same) found.fill(0, same + Math.floor(luck() * (end - same)), end);
  return { kind: 'file', bytes: found, synced: found };
}

function commonLength(a: Buffer, b: Buffer): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length += 1;
  return length;
}

/** A folder on every disk. */
export const MEMORY_ROOT = join('/', 'data');
