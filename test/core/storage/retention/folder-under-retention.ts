import { join } from 'node:path';
import type { FailureReader } from '../../../../core/contract/reader.js';
import type { StoredEvent } from '../../../../core/contract/stages.js';
import type { IssueId } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { type EventStore, openEventStore } from '../../../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../../../core/storage/event-store-options.js';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { openFolderReader } from '../../../../core/storage/folder-reader.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../../fingerprint/compute-fingerprint.js';
import { MEMORY_ROOT } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

export const HOUR_MS = 3_600_000;
/** Longer than any test: only a test starts removals. */
const NEVER_MS = 2 ** 30;

/** A store with a clock that the test sets. */
export interface FolderUnderRetention {
  readonly store: EventStore;
  readonly faults: Error[];
  readonly clock: { nowMs: number };
  /** Appends one commit of these kinds of failures, `hours` after ten o'clock. */
  at(hour: number, kinds: readonly number[], changes?: Partial<RawPayload>): Promise<readonly StoredEvent[]>;
  /** Sets the clock to `hours` after ten o'clock. */
  turnTo(hour: number): void;
}

export async function openFolder(
  files: StoreFiles,
  options: Partial<EventStoreOptions> = {},
  clock: { nowMs: number } = { nowMs: TEN_O_CLOCK_MS },
): Promise<FolderUnderRetention> {
  const faults: Error[] = [];
  const store = await openEventStore({
    directory: MEMORY_ROOT,
    files,
    checkpointIntervalMs: NEVER_MS,
    retentionIntervalMs: NEVER_MS,
    nowMs: () => clock.nowMs,
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  const turnTo = (hour: number): void => {
    clock.nowMs = TEN_O_CLOCK_MS + hour * HOUR_MS;
  };
  return {
    store,
    faults,
    clock,
    turnTo,
    async at(hour, kinds, changes = {}) {
      turnTo(hour);
      const payloads = kinds.map((kind) => kindOfFailure(kind, { timestamp: null, ...changes }));
      return await store.append(payloads.map((payload) => ({ payload, fingerprint: computeFingerprint(payload) })));
    },
  };
}

/** Returns everything that a reader returns, and every event of every issue. */
export async function everything(reader: FailureReader) {
  const { issues, total } = await reader.listIssues({ limit: 500, sort: 'first_seen' });
  const details = await Promise.all(issues.map((issue) => reader.getIssue(issue.issue_id)));
  const events: Record<string, string[]> = {};
  for (const { issue_id } of issues) events[issue_id] = await eventIdsOf(reader, issue_id);
  const { checkpoint_lag_events: _, ...stats } = await reader.stats();
  return { issues, total, details, events, stats };
}

export async function eventIdsOf(reader: FailureReader, issueId: IssueId): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await reader.listEvents(issueId, { limit: 3, ...(cursor == null ? {} : { cursor }) });
    ids.push(...(page?.events ?? []).map((event) => event.event_id));
    cursor = page?.next_cursor;
  } while (cursor != null);
  return ids;
}

/** Reads the folder without its index, at the time of a clock. */
export async function rebuilt(
  files: StoreFiles,
  clock?: { readonly nowMs: number },
): Promise<Awaited<ReturnType<typeof everything>>> {
  if ((await files.stat(join(MEMORY_ROOT, 'index'))) !== undefined) {
    await removeTree(files, join(MEMORY_ROOT, 'index'));
  }
  const faults: Error[] = [];
  const reader = await openFolderReader({
    directory: MEMORY_ROOT,
    files,
    onFault: (fault) => faults.push(fault),
    ...(clock !== undefined && { nowMs: () => clock.nowMs }),
  });
  const found = await everything(reader);
  await reader.close();
  expect(faults).toEqual([]);
  return found;
}

async function removeTree(files: StoreFiles, folder: string): Promise<void> {
  for (const { name, kind } of await files.list(folder)) {
    if (kind === 'folder') await removeTree(files, join(folder, name));
    else await files.unlink(join(folder, name));
  }
  await files.removeFolder(folder);
}

/** Lists all files below a folder, relative to it, without the copy of the folder's id that lies beside the partitions. */
export async function filesBelow(files: StoreFiles, folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await files.list(folder)) {
    if (kind === 'file' && name !== '@folder-id.json') found.push(name);
    else if (kind === 'folder')
      found.push(...(await filesBelow(files, join(folder, name))).map((path) => `${name}/${path}`));
  }
  return found.sort();
}
