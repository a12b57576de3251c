import { replaceData } from '../files/durable-document.js';
import { setAside } from '../files/write-durably.js';
import { type InspectedPartition, inspectPartitions } from '../record/inspect-partitions.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import type { Partition } from '../record/partitions/partition-path.js';
import {
  beginEmptyIndex,
  checkLastEvent,
  type LoadedIndex,
  loadIndex,
  writeEmptyIndex,
} from './checkpoint/load-index.js';
import { openManifest } from './checkpoint/manifest.js';
import { removeStrayDocuments, removeStrayGenerations } from './checkpoint/remove-strays.js';
import { type ClosedHours, NO_CLOSED_HOURS, openClosedHours } from './documents/hours-document.js';
import { indexAheadOfRecord, indexUnusable, isIndexUnusable } from './documents/index-fault.js';
import { indexFolder, manifestPath } from './documents/index-folder.js';
import { IssueIndex } from './issue-index.js';
import type { InspectedRecord, IssueIndexOptions, ReadyRecord } from './issue-index-options.js';
import { restoreCommits } from './restore-commits.js';

/**
 * Opens the index under the writer lock: loads it, restores commit records that the record lost, and replays what the index lacks. A
 * missing, torn, differently grouped or contradicting index, or one of another format, is set aside and rebuilt. Rejects with the system's
 * error.
 */
export async function openIssueIndex(options: IssueIndexOptions): Promise<IssueIndex> {
  const { directory, onFault = () => undefined } = options;
  for (;;) {
    const { loaded, record } = await loadOrBegin(options, onFault);
    const ready = await options.beforeReplay?.(neededAfter(loaded), record);
    const index = new IssueIndex(options, loaded, onFault);
    if (await bringUpToDate(index, loaded, ready)) return index;
    // The next index is empty and never ahead of the record: this happens once.
    await index.recover(indexAheadOfRecord(directory));
  }
}

/** Replays what an index lacks; returns false if it counts events that the record lacks or dates otherwise. */
async function bringUpToDate(index: IssueIndex, loaded: LoadedIndex, ready: ReadyRecord | undefined): Promise<boolean> {
  const adoptedAfterMicros = ready?.adoptedAfterMicros;
  // States may count re-dated lines by their old time.
  if (adoptedAfterMicros !== undefined && loaded.content.countsBeyond(adoptedAfterMicros)) return false;
  try {
    await index.replay(ready && partitionsAfter(neededAfter(loaded), ready.inspected));
  } catch (error) {
    await index.close();
    throw error;
  }
  return !index.content.isAheadOfRecord;
}

/** The receipt after which an index needs the record. */
function neededAfter({ manifest, content }: LoadedIndex): number {
  return Math.max(manifest.cursorMicros, content.removed.beforeMicros - 1);
}

/** The partitions that may hold lines received after an instant. */
function partitionsAfter(micros: number, inspected: readonly InspectedPartition[]): Partition[] {
  const partitions: Partition[] = [];
  for (const { partition, last } of inspected) {
    const lastMicros = last?.record.receivedAtMicros ?? 0;
    // A record that was changed by hand says nothing of those before it.
    const isOfHour = hourOfMicros(lastMicros) === partition.hour;
    if (lastMicros > micros || (last !== undefined && !isOfHour)) partitions.push(partition);
  }
  return partitions.filter(({ hour }) => hour >= hourOfMicros(micros));
}

/** An index, and what was inspected of the record for it. */
interface BegunIndex {
  readonly loaded: LoadedIndex;
  readonly record: InspectedRecord;
}

/** Loads the index; if it is missing or unusable, sets what is there aside and begins an empty one. */
async function loadOrBegin(options: IssueIndexOptions, onFault: (fault: Error) => void): Promise<BegunIndex> {
  try {
    const index = await loadAndCheck(options, onFault);
    if (index !== undefined) return index;
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    onFault(error);
  }
  return await beginAgain(options, onFault);
}

/** Loads the index, restores commit records from it, and removes what it does not name; undefined without an index. */
async function loadAndCheck(
  options: IssueIndexOptions,
  onFault: (fault: Error) => void,
): Promise<BegunIndex | undefined> {
  const { directory, files, record, history } = options;
  const { plan } = options.grouping;
  const loaded = await loadIndex({ directory, files, grouping: plan.id, history });
  if (loaded === undefined) return undefined;
  const { manifest, content } = loaded;
  const { data: closedHours } = options.closedHours ?? (await openClosedHours(files, directory));
  const before = await inspectRecord(options, loaded, closedHours);
  const inspected = await restoreCommits({ directory, files, inspected: before.inspected, content, plan, onFault });
  const listed = inspected.map(({ partition }) => partition);
  await checkLastEvent(directory, record, loaded, listed);
  await removeStrayDocuments(files, directory, manifest);
  const active = await openManifest(files, manifestPath(directory));
  if (active.data.manifest?.generation !== manifest.generation) await replaceData(active, { manifest });
  await removeStrayGenerations(files, directory, { shown: manifest.generation, kept: plan.rollsBackTo });
  return { loaded, record: { ...before, inspected } };
}

async function beginAgain(options: IssueIndexOptions, onFault: (fault: Error) => void): Promise<BegunIndex> {
  const { directory, files } = options;
  const folder = indexFolder(directory);
  const isFolder = ((await files.stat(folder))?.kind ?? 'folder') === 'folder';
  if (!isFolder) onFault(indexUnusable(folder, 'is not a folder'));
  await setAside(files, folder);
  const loaded = await beginEmptyIndex(options, options.grouping.plan.id);
  await writeEmptyIndex(files, directory, loaded);
  return { loaded, record: await inspectRecord(options, loaded, NO_CLOSED_HOURS) };
}

/** Inspects the hours that the index does not cover, and those that are not known to be closed. */
async function inspectRecord(
  { files, directory }: IssueIndexOptions,
  loaded: LoadedIndex,
  closed: ClosedHours,
): Promise<InspectedRecord> {
  const from = Math.min(closed.beforeHour, hourOfMicros(neededAfter(loaded)));
  const hours = closed.hours.filter(({ hour }) => hour < from);
  return { closed: { beforeHour: from, hours }, inspected: await inspectPartitions(files, directory, { from }) };
}
