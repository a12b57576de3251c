import { hash } from 'node:crypto';
import type { FailureReader } from '../../../core/contract/reader.js';
import type { StoredEvent } from '../../../core/contract/stages.js';
import type { FingerprintValue } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import type { StoreFiles } from '../../../core/storage/files/store-files.js';
import { groupsBy } from '../../helpers/grouping.js';
import { serverPayload } from '../../helpers/payloads.js';
import { temporaryFolder } from '../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../helpers/unsynced-files.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from './record/memory-disk.js';
import { TEN_O_CLOCK_MS } from './ten-o-clock.js';

/** Groups by error name only, so that tests decide which events are one issue. */
function groupByName(payload: RawPayload): Fingerprint {
  const parts = [{ part: 'error_name', used: true, value: payload.error_name, reason: payload.message }];
  return {
    value: hash('sha256', payload.error_name).slice(0, 32) as FingerprintValue,
    version: 4,
    title: `${payload.error_name}: title`,
    culprit: 'run (main.js)',
    basis: { version: 4, rule: 'message', parts },
  };
}

/** Creates the grouper of the stores under test. */
export const createTestGrouper = groupsBy(groupByName);

/** A store with a clock that the test sets. */
export interface StoreUnderTest {
  readonly store: EventStore;
  readonly reader: FailureReader;
  readonly directory: string;
  readonly faults: Error[];
  readonly clock: { nowMs: number };
  /** Appends one commit of server events with these changes. */
  append(...changes: Partial<RawPayload>[]): Promise<readonly StoredEvent[]>;
}

const opened: EventStore[] = [];

/** Opens a store, in a new folder unless one is given; `closeStores` closes it after the test. */
export async function storeUnderTest(folder?: string): Promise<StoreUnderTest> {
  return await open(folder ?? (await temporaryFolder()), unsyncedFiles);
}

/** Opens a store on a disk in memory, which takes a third of the time; `closeStores` closes it after the test. */
export async function storeInMemory(disk: MemoryDisk = createMemoryDisk()): Promise<StoreUnderTest> {
  return await open(MEMORY_ROOT, disk.files);
}

async function open(directory: string, files: StoreFiles): Promise<StoreUnderTest> {
  const faults: Error[] = [];
  const clock = { nowMs: TEN_O_CLOCK_MS };
  const store = await openEventStore({
    directory,
    files,
    durability: 'os',
    createGrouper: createTestGrouper,
    nowMs: () => clock.nowMs,
    onFault: (fault) => faults.push(fault),
  });
  opened.push(store);
  const append = (...changes: Partial<RawPayload>[]) => {
    const payloads = changes.map((change) => serverPayload({ timestamp: null, ...change }));
    return store.append(payloads.map((payload) => ({ payload, fingerprint: groupByName(payload) })));
  };
  return { store, reader: store.reader, directory, faults, clock, append };
}

/** For `afterEach`. */
export async function closeStores(): Promise<void> {
  for (const store of opened.splice(0)) await store.close();
}
