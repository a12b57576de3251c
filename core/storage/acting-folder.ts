import { resolve } from 'node:path';
import { Fault } from '../event/fault.js';
import type { FailureActions, FailureReader } from '../reader.js';
import { openEventStore } from './event-store.js';
import { nodeFiles } from './files/node-files.js';

/**
 * Opens a data folder that no collector is using, to read it and to act on its issues; closing gives it free. Faults: `FOLDER_NOT_FOUND`, and those of
 * `openEventStore`.
 */
export async function openActingFolder(options: {
  /** The data folder; it must exist. */
  directory: string;
  /** Called for damage that was met. */
  onFault?: (fault: Error) => void;
}): Promise<FailureReader & FailureActions> {
  const directory = resolve(options.directory);
  if ((await nodeFiles.stat(directory))?.kind !== 'folder') {
    throw new Fault('FOLDER_NOT_FOUND', `${directory} is no folder; name the collector's data folder with --data.`);
  }
  const store = await openEventStore({ ...options, directory });
  return {
    ...store.reader,
    act: (issueId, request) => store.act(issueId, request),
    close: () => store.close(),
  };
}
