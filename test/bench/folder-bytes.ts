import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the size of all files below a folder. */
export function folderBytes(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
