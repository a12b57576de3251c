import { join } from 'node:path';

/** Folders that are remembered as durable; beyond it they are simply synced again. */
const MAX_REMEMBERED = 20_000;

/** Knows which folders of the raw tree still have to be synced before what lies in them survives a crash. */
export interface DurableFolders {
  /** Absolute paths of folders to sync: those that name a part of this partition's path, and the one that names its files. */
  missing(partitionFolder: string): readonly string[];
  /** They were synced while the partition's files existed. */
  remember(partitionFolder: string): void;
}

/** Knows nothing at first: what another process made may not have been synced by it. */
export function createDurableFolders(directory: string): DurableFolders {
  // A folder is in here when its name is durable in the folder above; a partition ends in `/` for the names of its files.
  let durable = new Set<string>();
  const steps = (partitionFolder: string): string[] => {
    const parts = partitionFolder.split('/');
    return [...parts.map((_, index) => parts.slice(0, index + 1).join('/')), `${partitionFolder}/`];
  };
  return {
    missing(partitionFolder) {
      if (durable.has(`${partitionFolder}/`)) return [];
      return steps(partitionFolder)
        .filter((step) => !durable.has(step))
        .map((step) => join(directory, step.slice(0, Math.max(0, step.lastIndexOf('/')))));
    },
    remember(partitionFolder) {
      if (durable.has(`${partitionFolder}/`)) return;
      if (durable.size >= MAX_REMEMBERED) durable = new Set();
      for (const step of steps(partitionFolder)) durable.add(step);
    },
  };
}
