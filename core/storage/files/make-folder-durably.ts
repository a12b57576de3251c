import { dirname } from 'node:path';
import type { StoreFiles } from './store-files.js';

/** Makes a folder and those above it so that they are there after a crash. */
export async function makeFolderDurably(files: StoreFiles, folder: string): Promise<void> {
  for (const made of await files.makeFolder(folder)) await files.syncFolder(dirname(made));
}
