import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { EventId } from '../../../event/ids.js';
import { makeFolderDurably } from '../../files/make-folder-durably.js';
import type { StoreFiles } from '../../files/store-files.js';
import { unlinkIfThere } from '../../files/unlink-if-there.js';
import { type Partition, parsePartitionFolder } from '../../record/partitions/partition-path.js';
import { readDocument, writeDocument } from '../documents/document-adapter.js';
import { indexUnusable } from '../documents/index-fault.js';
import { segmentPath } from '../documents/index-folder.js';
import { EventSegment } from './event-segment.js';
import { decodeSegment, encodeSegment } from './segment-document.js';

/** Sealed segments and the events in them: what a manifest can promise once they are on disk. */
export interface SealedExtent {
  /** Segments numbered below this are sealed. */
  readonly segments: number;
  readonly events: number;
  /** `received_at` of the last of these events, 0 when there is none. */
  readonly cursorMicros: number;
  readonly lastEventId: EventId | null;
  /** Segments numbered below this hold nothing that retention did not remove, and are not read any more. */
  readonly firstSegment: number;
  /** How many of these events retention removed. */
  readonly removedEvents: number;
  /** Rows received before this instant were removed, 0 when none were. */
  readonly beforeMicros: number;
}

/** Where segments lie and which are already there. */
export interface EventSegmentsOptions {
  files: StoreFiles;
  /** Folder of the generation. */
  folder: string;
  sealed: SealedExtent;
  /** `received_at` of the first event of each sealed segment from `firstSegment` on. */
  firstReceivedAtMicros: readonly number[];
}

/** Partitions that are remembered. */
const MAX_PARTITIONS = 10_000;

/** Sealed segments as documents: which there are, on disk or on their way there, and how they are written, read and removed. */
export class SegmentFiles {
  readonly #files: StoreFiles;
  readonly #folder: string;
  /** The first of them is that of `#firstStored`. */
  readonly #firstReceivedAt: number[];
  #firstStored: number;
  /** By folder: to read one costs a hash, and the same ones stand in segment after segment. */
  readonly #partitions = new LRUCache<string, Partition>({ maxSize: MAX_PARTITIONS, sizeCalculation: () => 1 });

  constructor({ files, folder, sealed, firstReceivedAtMicros }: EventSegmentsOptions) {
    this.#files = files;
    this.#folder = folder;
    this.#firstStored = sealed.firstSegment;
    this.#firstReceivedAt = [...firstReceivedAtMicros];
  }

  /** Takes note of the next sealed segment. */
  add(firstReceivedAtMicros: number): void {
    this.#firstReceivedAt.push(firstReceivedAtMicros);
  }

  /** Number of the newest segment that begins at that instant or before; -1 when none does. */
  numberAt(receivedAtMicros: number): number {
    let low = 0;
    let high = this.#firstReceivedAt.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#firstReceivedAt[middle] ?? 0) <= receivedAtMicros) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? -1 : this.#firstStored + low - 1;
  }

  async write(segment: EventSegment): Promise<void> {
    const path = this.#pathOf(segment.number);
    await makeFolderDurably(this.#files, dirname(path));
    await writeDocument(this.#files, path, 'events', encodeSegment(segment));
  }

  /** A segment from disk, an empty one where `isRemoved` says so once it was read; rejects with `INDEX_UNUSABLE`. */
  async read(number: number, isRemoved: () => boolean): Promise<EventSegment> {
    const path = this.#pathOf(number);
    const data = await readDocument(this.#files, path, 'events');
    // Removed while somebody who walked an issue's events was on the way to it.
    if (isRemoved()) return new EventSegment(number);
    if (data === undefined) throw indexUnusable(path, 'is missing');
    const segment = decodeSegment(path, data, (folder) => this.#partitionAt(folder));
    if (segment.number !== number) throw indexUnusable(path, 'holds another segment');
    return segment;
  }

  /** Removes the segments below a number, which no manifest names any more; what fails is tried again by the next call. */
  async dropBelow(firstSegment: number): Promise<void> {
    for (; this.#firstStored < firstSegment; this.#firstStored += 1) {
      await unlinkIfThere(this.#files, this.#pathOf(this.#firstStored));
      this.#firstReceivedAt.shift();
    }
  }

  #partitionAt(folder: string): Partition | undefined {
    const partition = this.#partitions.get(folder) ?? parsePartitionFolder(folder);
    this.#partitions.set(folder, partition);
    return partition;
  }

  #pathOf(number: number): string {
    const firstReceivedAtMicros = this.#firstReceivedAt[number - this.#firstStored] ?? 0;
    return segmentPath(this.#folder, { number, firstReceivedAtMicros });
  }
}
