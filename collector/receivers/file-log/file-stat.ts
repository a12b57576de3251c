import type { BigIntStats } from 'node:fs';

/** What the file system says of a file. */
export interface FileStat {
  /** Device and inode: the same for all names of a file. */
  readonly key: string;
  readonly device: string;
  readonly inode: string;
  /** When the inode was made, nanoseconds since the epoch; empty where the file system does not say. */
  readonly born: string;
  /** Bytes. */
  readonly size: number;
  /** Time of the last change of its content, nanoseconds since the epoch. */
  readonly modified: bigint;
  /** True when it has no name any more. */
  readonly isDeleted: boolean;
}

/** What counts of a file; undefined for folders, pipes, sockets and devices. */
export function fileStatOf(stats: BigIntStats): FileStat | undefined {
  if (!stats.isFile()) return undefined;
  const [device, inode] = [String(stats.dev), String(stats.ino)];
  // Where the system knows no time of birth it is zero, or that of the last change.
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
