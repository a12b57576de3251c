import { resolve } from 'node:path';
import type { FailureActions, FailureChanges, FailureReader, FailureReleases } from '../contract/reader.js';
import { type EventStore, openEventStore } from './event-store.js';
import type { EventStoreOptions } from './event-store-options.js';
import { nodeFiles } from './files/node-files.js';
import { requireFolder } from './files/require-folder.js';
import type { Regroup } from './regroup/regrouping.js';

/**
 * Opens a data folder without a collector, to read it and to act on its issues; closing releases its lock. Faults: `FOLDER_NOT_FOUND`, and
 * those of `openEventStore`.
 */
export async function openActingFolder(options: {
  /** The data folder; it must exist. */
  directory: string;
  /** Called for damage that was found. */
  onFault?: (fault: Error) => void;
}): Promise<FailureReader & FailureActions & FailureChanges & FailureReleases> {
  const directory = resolve(options.directory);
  await requireFolder(nodeFiles, directory);
  const store = await openEventStore({ ...options, directory });
  return {
    ...store.reader,
    act: (issueId, request) => store.act(issueId, request),
    recordRelease: (change) => store.recordRelease(change),
    changes: (options) => store.changes(options),
    close: () => store.close(),
  };
}

/**
 * Opens a folder without a collector, under the writer lock, calls `work`, and closes it. Faults: `FOLDER_NOT_FOUND`, `STORE_LOCKED` (names the
 * holder), `STORE_UNAVAILABLE`, and those of `work`.
 */
export async function regroupFolder<Result>(
  {
    onOpening,
    ...options
  }: Pick<EventStoreOptions, 'directory' | 'files' | 'groupingRules' | 'createGrouper' | 'signal' | 'onFault'> & {
    /** Called while the record is replayed into the index at the opening. */
    onOpening?: EventStoreOptions['onProgress'];
  },
  work: (regroup: Regroup, store: EventStore) => Promise<Result>,
): Promise<Result> {
  const { files = nodeFiles, signal } = options;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  const store = await openEventStore({ ...options, ...(onOpening && { onProgress: onOpening }) }).catch(
    (error: unknown) => {
      // An abort has its own reason, not STORE_CLOSING.
      signal?.throwIfAborted();
      throw error;
    },
  );
  try {
    return await work(store.regroup, store);
  } finally {
    await store.close();
  }
}
