import type { ScanExtent } from '../../../generated/reader-answers.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { EventSegment } from '../index/segments/event-segment.js';
import { findHiddenLetters } from '../record/commits/hidden-letters.js';
import type { BufferPool } from '../record/io/buffer-pool.js';
import { settleAll } from '../record/io/settle-all.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { createRawNeedle } from './byte-search.js';
import type { SievedPiece } from './event-prefilter.js';

/** What a sieve reads. */
export type SievedRecord = Pick<RecordReader, 'readAt' | 'partitionsOf' | 'sizesOf' | 'placeAt'>;

/** Consecutive sealed segments whose bytes were searched. */
export interface SievedSegments {
  /** The oldest. */
  readonly first: EventSegment;
  /** Of all their events. */
  readonly extent: ScanExtent;
  /** No event of them can match. */
  readonly isEmpty: boolean;
  /** Whether the line of a row may hold the piece; undefined if their rows must be tested one by one. */
  readonly holds: ((segment: EventSegment, index: number) => boolean) | undefined;
}

/** Searches the files of many segments at once, before the segments are read. */
export interface TextSieve {
  /** Searches some segments from `newest` down, at most to `oldest`. */
  search(newest: number, oldest: number): Promise<SievedSegments>;
}

/** The first searches are short, because matches may be frequent. */
const FIRST_SEGMENTS = 4;
const MOST_SEGMENTS = 64;
/** More bytes are searched in fewer segments. */
const MOST_BYTES = 64 * 1024 * 1024;
/** With more lines to test, testing all is faster. */
const MAX_HITS = 2048;
/** Short reads cost more than searching what they bring. As long as the buffers of blocks, so that a pool serves both. */
const READ_BYTES = 5 * 1024 * 1024;
const PARALLEL_READS = 2;
/** Bytes of an escape such as `\u0041`. */
const ESCAPE_BYTES = 6;

/** A part of a raw file in one read. */
interface ReadPart {
  readonly partition: Partition;
  readonly offset: number;
  readonly bytes: number;
  readonly mayHide: boolean;
}

export function createTextSieve(
  { segments }: Pick<IndexContent, 'segments'>,
  { record, buffers }: { record: SievedRecord; buffers: BufferPool },
  { piece }: SievedPiece,
  isTitled: boolean,
): TextSieve {
  const needle = createRawNeedle(piece);
  const overlap = needle.length + ESCAPE_BYTES;
  const slice = beginTimeSlice();
  const sizes = new Map<string, Awaited<ReturnType<RecordReader['sizesOf']>>>();
  let most = FIRST_SEGMENTS;
  let listed: { hours: string; partitions: readonly Partition[] } | undefined;

  const partitionsOf = async (fromHour: number, toHour: number): Promise<readonly Partition[]> => {
    const hours = `${fromHour}-${toHour}`;
    if (listed?.hours !== hours) listed = { hours, partitions: await record.partitionsOf(fromHour, toHour) };
    return listed.partitions;
  };

  /** The parts of a partition between two segments, and how many lines these have. */
  const partsOf = async (partition: Partition, older: Boundary, newer: Boundary) => {
    const known = sizes.get(partition.folder) ?? (await record.sizesOf(partition));
    sizes.set(partition.folder, known);
    const start = older.placeOf(partition) ?? (await record.placeAt(partition, older.micros)).after;
    const end = newer.placeOf(partition) ?? (await record.placeAt(partition, newer.micros)).next ?? known.end;
    const until = newer.placeOf(partition) === undefined && end === known.end ? known.rawBytes : end.offset;
    const parts: ReadPart[] = [];
    for (let offset = start.offset; offset < until; offset += READ_BYTES - overlap) {
      const bytes = Math.min(READ_BYTES, until - offset);
      parts.push({ partition, offset, bytes, mayHide: !piece.isAscii || offset < known.plainFrom });
      if (offset + bytes === until) break;
    }
    return { parts, events: end.line - start.line, bytes: end.offset - start.offset };
  };

  /** Offsets that lines to test hold, by folder; undefined if they are too many, or bytes are missing. */
  const hitsIn = async (parts: readonly ReadPart[]): Promise<Map<string, number[]> | undefined> => {
    const hits = new Map<string, number[]>();
    let count = 0;
    let isUnknown = false;
    await settleAll(parts, PARALLEL_READS, async ({ partition, offset, bytes, mayHide }) => {
      if (isUnknown) return;
      const buffer = buffers.acquire(READ_BYTES);
      const found = await record.readAt(partition, offset, bytes, buffer);
      if (slice.isOver) await slice.next();
      if (found !== undefined) {
        const own: number[] = [];
        needle.search(found, 0, bytes, (at) => {
          own.push(offset + at);
          return count + own.length > MAX_HITS ? bytes : at + 1;
        });
        if (mayHide) {
          const hidden = findHiddenLetters(found);
          for (const at of piece.isAscii ? hidden.ascii : hidden.others) own.push(offset + at);
        }
        count += own.length;
        if (own.length > 0) hits.set(partition.folder, [...(hits.get(partition.folder) ?? []), ...own]);
      }
      buffers.release(buffer);
      isUnknown ||= found === undefined || count > MAX_HITS;
    });
    for (const offsets of hits.values()) offsets.sort((one, other) => one - other);
    return isUnknown ? undefined : hits;
  };

  return {
    async search(newest, oldest) {
      const [first, after] = await Promise.all([
        segments.get(Math.max(oldest, newest - most + 1)),
        segments.get(newest + 1),
      ]);
      const parts: ReadPart[] = [];
      const extent = { events: 0, bytes: 0 };
      // Nobody knows yet where their files continue.
      if (after.rows === 0) return { first, extent, isEmpty: false, holds: undefined };
      const [older, newer] = [new Boundary(first), new Boundary(after)];
      for (const partition of await partitionsOf(hourOfMicros(older.micros), hourOfMicros(newer.micros))) {
        const own = await partsOf(partition, older, newer);
        parts.push(...own.parts);
        extent.events += own.events;
        extent.bytes += own.bytes;
      }
      most = extent.bytes > MOST_BYTES ? Math.ceil(most / 2) : Math.min(2 * most, MOST_SEGMENTS);
      const hits = await hitsIn(parts);
      return { first, extent, isEmpty: hits?.size === 0 && !isTitled, holds: hits && rowTest(hits) };
    },
  };
}

/** Where partitions continue in a segment. */
class Boundary {
  readonly micros: number;
  readonly #places = new Map<string, { line: number; offset: number }>();

  constructor(segment: EventSegment) {
    this.micros = segment.firstReceivedAtMicros;
    for (let index = segment.rows - 1; index >= 0; index -= 1) {
      const folder = segment.partitions[segment.partitionAt(index)]?.folder ?? '';
      this.#places.set(folder, { line: segment.lineAt(index), offset: segment.offsetAt(index) });
    }
  }

  /** The first line of a partition; undefined if the segment has none of it. */
  placeOf({ folder }: Partition): { line: number; offset: number } | undefined {
    return this.#places.get(folder);
  }
}

function rowTest(hits: ReadonlyMap<string, readonly number[]>): NonNullable<SievedSegments['holds']> {
  let known: EventSegment | undefined;
  let ofPartitions: (readonly number[] | undefined)[] = [];
  return (segment, index) => {
    if (segment !== known) {
      known = segment;
      ofPartitions = segment.partitions.map(({ folder }) => hits.get(folder));
    }
    const offsets = ofPartitions[segment.partitionAt(index)];
    if (offsets === undefined) return false;
    const start = segment.offsetAt(index);
    let low = 0;
    let high = offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((offsets[middle] ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return (offsets[low] ?? Number.POSITIVE_INFINITY) < start + segment.bytesAt(index);
  };
}
