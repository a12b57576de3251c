import { resolve } from 'node:path';
import type { FailureActions, FailureReader } from '../contract/reader.js';
import { openEventStore } from './event-store.js';
import { nodeFiles } from './files/node-files.js';
import { requireFolder } from './files/require-folder.js';

/**
 * Opens a data folder without a collector, to read it and to act on its issues; closing releases its lock. Faults: `FOLDER_NOT_FOUND`, and
 * those of `openEventStore`.
 */
export async function openActingFolder(options: {
  /** The data folder; it must exist. */
  directory: string;
  /** Called for damage that was found. */
  onFault?: (fault: Error) => void;
}): Promise<FailureReader & FailureActions> {
  const directory = resolve(options.directory);
  await requireFolder(nodeFiles, directory);
  const store = await openEventStore({ ...options, directory });
  return {
    ...store.reader,
    act: (issueId, request) => store.act(issueId, request),
    close: () => store.close(),
  };
}
