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
import type { FoundRecord, IssueIndexOptions } from './issue-index-options.js';
import { restoreCommits } from './restore-commits.js';

/**
 * Opens the index under the writer lock: loads it, restores commit records that the record lost, and replays what the index lacks. A
 * missing, torn, differently grouped or contradicting index, or one of another format, is set aside and rebuilt. Rejects with the system's
 * error.
 */
export async function openIssueIndex(options: IssueIndexOptions): Promise<IssueIndex> {
  const { directory, onFault = () => undefined } = options;
  for (;;) {
    const { loaded, found } = await loadOrStart(options, onFault);
    const ready = await options.beforeReplay?.(neededAfter(loaded), found);
    const adoptedAfterMicros = ready?.adoptedAfterMicros;
    // States may count re-dated lines by their old time.
    const isDoubtful = adoptedAfterMicros !== undefined && loaded.content.countsBeyond(adoptedAfterMicros);
    const index = new IssueIndex(options, loaded, onFault);
    try {
      if (!isDoubtful) await index.replay(ready && partitionsAfter(neededAfter(loaded), ready.inspected));
    } catch (error) {
      await index.close();
      throw error;
    }
    if (!isDoubtful && !index.content.isAheadOfRecord) return index;
    // The next index is empty and never ahead of the record: this happens once.
    await index.recover(indexAheadOfRecord(directory));
  }
}

/** The receipt after which an index needs the record. */
function neededAfter({ manifest, content }: LoadedIndex): number {
  return Math.max(manifest.cursorMicros, content.removed.beforeMicros - 1);
}

/** The partitions that may hold lines received after an instant. */
function partitionsAfter(micros: number, inspected: readonly InspectedPartition[]): Partition[] {
  const hold: Partition[] = [];
  for (const { partition, last } of inspected) {
    const lastMicros = last?.record.receivedAtMicros ?? 0;
    // A record that was changed by hand says nothing of those before it.
    const isOfHour = hourOfMicros(lastMicros) === partition.hour;
    if (lastMicros > micros || (last !== undefined && !isOfHour)) hold.push(partition);
  }
  return hold.filter(({ hour }) => hour >= hourOfMicros(micros));
}

interface FoundIndex {
  readonly loaded: LoadedIndex;
  readonly found: FoundRecord;
}

async function loadOrStart(options: IssueIndexOptions, onFault: (fault: Error) => void): Promise<FoundIndex> {
  const { directory, files, record, history } = options;
  const { id: grouping, rollsBackTo: kept } = options.grouping.plan;
  try {
    const loaded = await loadIndex({ directory, files, grouping, history });
    if (loaded !== undefined) {
      const { manifest, content } = loaded;
      const { data: closed } = options.closedHours ?? (await openClosedHours(files, directory));
      const found = await findRecord(options, loaded, closed);
      const { plan } = options.grouping;
      const inspected = await restoreCommits({ directory, files, inspected: found.inspected, content, plan, onFault });
      const listed = inspected.map(({ partition }) => partition);
      await checkLastEvent(directory, record, loaded, listed);
      await removeStrayDocuments(files, directory, manifest);
      const path = manifestPath(directory);
      const active = await openManifest(files, path);
      const isActive = active.data.manifest?.generation === manifest.generation;
      if (!isActive) await replaceData(active, { manifest });
      await removeStrayGenerations(files, directory, { shown: manifest.generation, kept });
      return { loaded, found: { ...found, inspected } };
    }
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    onFault(error);
  }
  const folder = indexFolder(directory);
  const isFolder = ((await files.stat(folder))?.kind ?? 'folder') === 'folder';
  if (!isFolder) onFault(indexUnusable(folder, 'is not a folder'));
  await setAside(files, folder);
  const empty = await beginEmptyIndex(options, grouping);
  await writeEmptyIndex(files, directory, empty);
  return { loaded: empty, found: await findRecord(options, empty, NO_CLOSED_HOURS) };
}

/** Inspects the hours that the index does not cover, and those that are not known to be closed. */
async function findRecord(
  { files, directory }: IssueIndexOptions,
  loaded: LoadedIndex,
  known: ClosedHours,
): Promise<FoundRecord> {
  const from = Math.min(known.beforeHour, hourOfMicros(neededAfter(loaded)));
  const hours = known.hours.filter(({ hour }) => hour < from);
  return { closed: { beforeHour: from, hours }, inspected: await inspectPartitions(files, directory, { from }) };
}
