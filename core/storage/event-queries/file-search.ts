import type { ScanExtent } from '../../../generated/reader-answers.js';
import type { RawPiece } from '../../query/raw-pieces.js';
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

/** The part of the record that a search reads. */
export type SearchedRecord = Pick<RecordReader, 'readAt' | 'partitions' | 'sizesOf' | 'placeAt'>;

/** Consecutive sealed segments whose bytes were searched. */
interface SearchedSegments {
  /** The oldest. */
  readonly first: EventSegment;
  /** Of all their events. */
  readonly extent: ScanExtent;
  /** Whether no line of them holds the piece. */
  readonly isEmpty: boolean;
}

/** Searches the files of some segments, before the segments are read, from number `newest` down, at most to `oldest`. */
export type SearchFiles = (newest: number, oldest: number) => Promise<SearchedSegments>;

/** The first searches are short, because a page may be full soon. */
const FIRST_SEGMENTS = 4;
const MOST_SEGMENTS = 256;
/** More bytes are searched in fewer segments. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Short reads cost more than searching what they bring. As long as the buffers of blocks, so that a pool serves both. */
const READ_BYTES = 5 * 1024 * 1024;
const PARALLEL_READS = 3;
/** Bytes of an escape such as `\u0041`. */
const ESCAPE_BYTES = 6;

type Boundary = ReturnType<typeof boundaryAt>;

/** A part of a raw file in one read. */
interface ReadPart {
  readonly partition: Partition;
  readonly offset: number;
  readonly bytes: number;
  readonly mayHide: boolean;
}

/** Creates the search for a piece of text that the raw lines of all matches hold. */
export function createFileSearch(
  { segments }: Pick<IndexContent, 'segments'>,
  { record, buffers }: { record: SearchedRecord; buffers: BufferPool },
  piece: RawPiece,
): SearchFiles {
  const needle = createRawNeedle(piece);
  const overlap = needle.length + ESCAPE_BYTES;
  const slice = beginTimeSlice();
  const sizes = new Map<string, Awaited<ReturnType<RecordReader['sizesOf']>>>();
  let most = FIRST_SEGMENTS;
  let listed: { hours: string; partitions: readonly Partition[] } | undefined;

  const partitionsOf = async (fromHour: number, toHour: number): Promise<readonly Partition[]> => {
    const hours = `${fromHour}-${toHour}`;
    if (listed?.hours !== hours)
      listed = { hours, partitions: await record.partitions({ from: fromHour, to: toHour }) };
    return listed.partitions;
  };

  /** The parts of a partition between two segments, and how many lines these have. */
  const partsOf = async (partition: Partition, older: Boundary, newer: Boundary) => {
    const known = sizes.get(partition.folder) ?? (await record.sizesOf(partition));
    sizes.set(partition.folder, known);
    const start = older.places.get(partition.folder) ?? (await record.placeAt(partition, older.micros)).after;
    const end = newer.places.get(partition.folder) ?? (await record.placeAt(partition, newer.micros)).next ?? known.end;
    const until = newer.places.get(partition.folder) === undefined && end === known.end ? known.rawBytes : end.offset;
    const parts: ReadPart[] = [];
    for (let offset = start.offset; offset < until; offset += READ_BYTES - overlap) {
      const bytes = Math.min(READ_BYTES, until - offset);
      parts.push({ partition, offset, bytes, mayHide: !piece.isAscii || offset < known.plainFrom });
      if (offset + bytes === until) break;
    }
    return { parts, events: end.line - start.line, bytes: end.offset - start.offset };
  };

  /** False also if bytes are missing. */
  const isAbsentIn = async (parts: readonly ReadPart[]): Promise<boolean> => {
    let isAbsent = true;
    await settleAll(parts, PARALLEL_READS, async ({ partition, offset, bytes, mayHide }) => {
      if (!isAbsent) return;
      const buffer = buffers.acquire(READ_BYTES);
      const found = await record.readAt(partition, offset, bytes, buffer);
      if (slice.isOver) await slice.next();
      if (found === undefined) isAbsent = false;
      else {
        needle.search(found, 0, bytes, () => {
          isAbsent = false;
          return bytes;
        });
        const hidden = isAbsent && mayHide ? findHiddenLetters(found) : undefined;
        if (hidden !== undefined) isAbsent = (piece.isAscii ? hidden.ascii : hidden.others).length === 0;
      }
      buffers.release(buffer);
    });
    return isAbsent;
  };

  return async (newest, oldest) => {
    const [first, after] = await Promise.all([
      segments.get(Math.max(oldest, newest - most + 1)),
      segments.get(newest + 1),
    ]);
    const parts: ReadPart[] = [];
    const extent = { events: 0, bytes: 0 };
    // Without a later event, the end of their bytes is unknown.
    if (after.rows === 0) return { first, extent, isEmpty: false };
    const [older, newer] = [boundaryAt(first), boundaryAt(after)];
    for (const partition of await partitionsOf(hourOfMicros(older.micros), hourOfMicros(newer.micros))) {
      const own = await partsOf(partition, older, newer);
      parts.push(...own.parts);
      extent.events += own.events;
      extent.bytes += own.bytes;
    }
    most = extent.bytes > MOST_BYTES ? Math.ceil(most / 2) : Math.min(2 * most, MOST_SEGMENTS);
    return { first, extent, isEmpty: await isAbsentIn(parts) };
  };
}

/** A segment with the first line of each partition in it, by folder. */
function boundaryAt(segment: EventSegment) {
  const places = new Map<string, { line: number; offset: number }>();
  for (let index = segment.rows - 1; index >= 0; index -= 1) {
    const folder = segment.partitions[segment.partitionAt(index)]?.folder ?? '';
    places.set(folder, { line: segment.lineAt(index), offset: segment.offsetAt(index) });
  }
  return { micros: segment.firstReceivedAtMicros, places };
}
