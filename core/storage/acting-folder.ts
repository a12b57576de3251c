import { resolve } from 'node:path';
import type { ActionRequest, IssueDetail, ReleaseSummary } from '../../generated/reader-answers.js';
import { ForwardingReader } from '../contract/forwarding-reader.js';
import type {
  ChangeOptions,
  ChangePosition,
  FailureActions,
  FailureChanges,
  FailureReleases,
  IssueChange,
  ReleaseChange,
} from '../contract/reader.js';
import type { IssueId } from '../event/ids.js';
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
): Promise<ActingFolder> {
  return new ActingFolder(await openExistingStore(options));
}

/** A folder that this process reads and whose issues it changes. */
class ActingFolder extends ForwardingReader implements FailureActions, FailureChanges, FailureReleases {
  readonly #store: EventStore;

  constructor(store: EventStore) {
    super(store.reader);
    this.#store = store;
  }

  act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    return this.#store.act(issueId, request);
  }

  recordRelease(change: ReleaseChange): Promise<ReleaseSummary> {
    return this.#store.recordRelease(change);
  }

  changes(options?: ChangeOptions): AsyncIterable<IssueChange | ChangePosition> {
    return this.#store.changes(options);
  }

  override close(): Promise<void> {
    return this.#store.close();
  }
}

/** Opens a folder without a collector, under the writer lock, calls `work`, and closes it. Faults as `openExistingStore`, and those of `work`. */
export async function regroupFolder<Result>(
  options: EventStoreOptions,
  work: (store: EventStore) => Promise<Result>,
): Promise<Result> {
  await using store = await openExistingStore(options);
  return await work(store);
}
