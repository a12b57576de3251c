import { Fault } from '../../event/fault.js';
import type { PathStat, StoreFiles } from './store-files.js';

/** Returns the data folder, which may be a link to a folder. Throws `FOLDER_NOT_FOUND`. */
export async function requireFolder(files: StoreFiles, directory: string): Promise<PathStat> {
  const stat = await files.stat(`${directory}/`);
  if (stat?.kind === 'folder') return stat;
  throw new Fault('FOLDER_NOT_FOUND', notFolder(directory));
}

/** The sentence for a path at which a data folder is expected. */
export function notFolder(path: string): string {
  return `${path} is not a folder. Set --data to the collector's data folder.`;
}
