import { resolve } from 'node:path';
import type { FailureActions, FailureChanges, FailureReader, FailureReleases } from '../contract/reader.js';
import { type EventStore, openEventStore } from './event-store.js';
import type { EventStoreOptions } from './event-store-options.js';
import { nodeFiles } from './files/node-files.js';
import { requireFolder } from './files/require-folder.js';

/** Opens the store of a folder that exists. An abort rejects with its own reason. Faults: `FOLDER_NOT_FOUND`, and those of `openEventStore`. */
export async function openExistingStore(options: EventStoreOptions): Promise<EventStore> {
  const { files = nodeFiles, signal } = options;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  return await openEventStore({ ...options, directory }).catch((error: unknown) => {
    // Not STORE_CLOSING.
    signal?.throwIfAborted();
    throw error;
  });
}

/** Opens a data folder without a collector, to read it and to act on its issues; closing releases its lock. Faults as `openExistingStore`. */
export async function openActingFolder(
  options: Pick<EventStoreOptions, 'directory' | 'onFault'>,
): Promise<FailureReader & FailureActions & FailureChanges & FailureReleases> {
  const store = await openExistingStore(options);
  return {
    ...store.reader,
    act: (issueId, request) => store.act(issueId, request),
    recordRelease: (change) => store.recordRelease(change),
    changes: (options) => store.changes(options),
    close: () => store.close(),
  };
}

/** Opens a folder without a collector, under the writer lock, calls `work`, and closes it. Faults as `openExistingStore`, and those of `work`. */
export async function regroupFolder<Result>(
  options: EventStoreOptions,
  work: (store: EventStore) => Promise<Result>,
): Promise<Result> {
  await using store = await openExistingStore(options);
  return await work(store);
}
