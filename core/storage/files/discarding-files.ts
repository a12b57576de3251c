import type { StoreFile, StoreFiles } from './store-files.js';

const FILE: StoreFile = {
  read: async () => Buffer.alloc(0),
  size: async () => 0,
  write: async () => undefined,
  sync: async () => undefined,
  truncate: async () => undefined,
  tryLock: async () => undefined,
  identity: async () => '',
  close: async () => undefined,
};

/** A disk that discards all writes: an index built over it holds its issues, but not the rows of its segments. */
export const discardingFiles: StoreFiles = {
  open: async () => FILE,
  readFile: async () => undefined,
  stat: async () => undefined,
  statNow: async () => undefined,
  list: async () => [],
  listNow: async () => [],
  readEndNow: async () => undefined,
  makeFolder: async () => [],
  syncFolder: async () => undefined,
  rename: async () => undefined,
  unlink: async () => undefined,
  removeFolder: async () => false,
};
