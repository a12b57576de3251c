import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { EventId } from '../../../event/ids.js';
import { unlinkIfExists } from '../../files/remove-files.js';
import type { StoreFiles } from '../../files/store-files.js';
import { makeFolderDurably } from '../../files/write-durably.js';
import { type Partition, parsePartitionFolder } from '../../record/partitions/partition-path.js';
import { readDocument, writeDocument } from '../documents/document-adapter.js';
import { indexUnusable } from '../documents/index-fault.js';
import { segmentPath } from '../documents/index-folder.js';
import { EventSegment } from './event-segment.js';
import { decodeSegment, encodeSegment } from './segment-document.js';

/** The sealed segments that a manifest covers once they are on disk. */
export interface SealedExtent {
  /** Segments numbered below this are sealed. */
  readonly segments: number;
  readonly events: number;
  /** `received_at` of the last event, 0 if none. */
  readonly cursorMicros: number;
  readonly lastEventId: EventId | null;
  /** Segments numbered below this hold only removed events and are not read. */
  readonly firstSegment: number;
  /** Events that retention removed, included in `events`. */
  readonly removedEvents: number;
  /** Rows received before this instant are removed; 0 if none. */
  readonly beforeMicros: number;
}

/** Where segments are stored, and which exist. */
export interface EventSegmentsOptions {
  files: StoreFiles;
  /** Folder of the generation. */
  folder: string;
  sealed: SealedExtent;
  /** `received_at` of the first event of each sealed segment from `firstSegment` on. */
  firstReceivedAtMicros: readonly number[];
}

const MAX_CACHED_PARTITIONS = 10_000;

/** Writes, reads and deletes sealed segments as documents. */
export class SegmentFiles {
  readonly #files: StoreFiles;
  readonly #folder: string;
  /** Begins with that of `#firstStored`. */
  readonly #firstReceivedAt: number[];
  #firstStored: number;
  /** By folder: parsing one computes a hash, and segments repeat them. */
  readonly #partitions = new LRUCache<string, Partition>({ maxSize: MAX_CACHED_PARTITIONS, sizeCalculation: () => 1 });

  constructor({ files, folder, sealed, firstReceivedAtMicros }: EventSegmentsOptions) {
    this.#files = files;
    this.#folder = folder;
    this.#firstStored = sealed.firstSegment;
    this.#firstReceivedAt = [...firstReceivedAtMicros];
  }

  /** Adds the next sealed segment. */
  add(firstReceivedAtMicros: number): void {
    this.#firstReceivedAt.push(firstReceivedAtMicros);
  }

  /** Number of the newest segment that begins at that instant or before; -1 if none. */
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

  /** Reads a segment; returns an empty one if `isRemoved` is true after the read. Rejects with `INDEX_UNUSABLE`. */
  async read(number: number, isRemoved: () => boolean): Promise<EventSegment> {
    const path = this.#pathOf(number);
    const data = await readDocument(this.#files, path, 'events');
    // Removed while a reader walked to it.
    if (isRemoved()) return new EventSegment(number);
    if (data === undefined) throw indexUnusable(path, 'is missing');
    const segment = decodeSegment(path, data, (folder) => this.#partitionAt(folder));
    if (segment.number !== number) throw indexUnusable(path, 'holds another segment');
    return segment;
  }

  /** Deletes segments below a number that no manifest names; a failure is retried by the next call. */
  async dropBelow(firstSegment: number): Promise<void> {
    for (; this.#firstStored < firstSegment; this.#firstStored += 1) {
      await unlinkIfExists(this.#files, this.#pathOf(this.#firstStored));
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
