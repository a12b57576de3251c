import { nodeFiles } from '../../core/storage/files/node-files.js';
import type { StoreFiles } from '../../core/storage/files/store-files.js';

/** The real disk without fsync, which takes most of the time of a test whose machine keeps its power. */
export const unsyncedFiles: StoreFiles = {
  ...nodeFiles,
  async open(path, mode) {
    const file = await nodeFiles.open(path, mode);
    file.sync = async () => undefined;
    return file;
  },
  syncFolder: async () => undefined,
};
