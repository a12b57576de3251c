import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../../core/storage/files/system-error.js';
import type { FileCheckpoint } from './checkpoint-file.js';

/** Identity and state of a log file. */
export interface LogFileStat {
  /** Device and inode: the same for all names of a file. */
  readonly key: string;
  readonly device: string;
  readonly inode: string;
  /** Birth time of the inode, nanoseconds since the epoch; empty if unknown. */
  readonly born: string;
  /** Bytes. */
  readonly size: number;
  /** Time of the last change of its content, nanoseconds since the epoch. */
  readonly modified: bigint;
  /** True if the file has no name left. */
  readonly isDeleted: boolean;
}

/** Returns undefined for folders, pipes, sockets and devices. */
export function toLogFileStat(stats: BigIntStats): LogFileStat | undefined {
  if (!stats.isFile()) return undefined;
  const [device, inode] = [String(stats.dev), String(stats.ino)];
  // An unknown birth time is zero or equals the time of the last change.
  const isBornKnown = stats.birthtimeNs > 0n && stats.birthtimeNs !== stats.ctimeNs;
  return {
    key: `${device}-${inode}`,
    device,
    inode,
    born: isBornKnown ? String(stats.birthtimeNs) : '',
    size: Number(stats.size),
    modified: stats.mtimeNs,
    isDeleted: stats.nlink === 0n,
  };
}

/** Returns the sorted absolute paths of the files that globs name. */
export async function findLogFiles(include: readonly string[], exclude: readonly string[]): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  return (await glob(include, { ignore: exclude, absolute: true, expandDirectories: false })).sort();
}

/** Names of a folder that are searched for a renamed file. */
const MAX_NAMES_SEARCHED = 10_000;

/** Follows links; undefined if the file does not exist. Throws other system errors. */
export async function statLogFile(path: string): Promise<LogFileStat | undefined> {
  try {
    return toLogFileStat(await stat(path, { bigint: true }));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}

/** Returns the new path of a file that was renamed within its folder, or undefined. */
export async function findRenamed({ path, device, inode }: FileCheckpoint): Promise<string | undefined> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.slice(0, MAX_NAMES_SEARCHED)) {
    const found = await statLogFile(join(folder, name)).catch(() => undefined);
    if (found?.device === device && found.inode === inode) return join(folder, name);
  }
  return undefined;
}
