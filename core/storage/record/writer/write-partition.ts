import {
  COMMIT_SLICE_BYTES,
  type CommitFingerprints,
  checksumOf,
  encodeCommitRecord,
} from '../commits/commit-record.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import { settleAll } from '../io/settle-all.js';
import { createEventIds } from '../partitions/event-id.js';
import type { PlannedPartition, PlannedSlice } from './commit-plan.js';
import type { PartitionLog } from './partition-log.js';

const NEWLINE = 0x0a;

/**
 * Appends the planned lines and their commit records and syncs both. Answers the events as they are once the commit is accepted, and
 * puts them into the `committed` of their appends.
 */
export async function writePartition(
  log: PartitionLog,
  planned: PlannedPartition,
  receivedAtMicros: number,
  buffers: JoinBuffers,
): Promise<CommittedEvent[]> {
  const { partition } = planned;
  const idOf = createEventIds(partition, receivedAtMicros);
  const committed: CommittedEvent[] = [];
  let line = log.lines;
  let offset = log.raw.goodBytes;
  for (const slice of planned.slices) {
    const place = { line, lines: slice.lines.length, offset, bytes: slice.bytes };
    await buffers.with(slice.bytes, async (raw) => {
      joinLines(slice, raw);
      const crc32c = checksumOf(raw);
      const { marks } = slice;
      const record = encodeCommitRecord({
        ...place,
        receivedAtMicros,
        crc32c,
        marks,
        fingerprints: fingerprintsOf(slice),
      });
      await settleAll(
        [
          { file: log.raw, bytes: raw },
          { file: log.commits, bytes: Buffer.from(record, 'utf8') },
        ],
        2,
        ({ file, bytes }) => file.append(bytes),
      );
    });
    for (const { event, rawLine, append, index } of slice.lines) {
      const bytes = rawLine.length;
      const one = { eventId: idOf(line), event, partition, line, offset, bytes, receivedAtMicros };
      append.committed[index] = one;
      committed.push(one);
      line += 1;
      offset += bytes + 1;
    }
  }
  await log.sync();
  return committed;
}

/** The lines of a slice were grouped by the same rules. */
function fingerprintsOf({ lines }: PlannedSlice): CommitFingerprints | undefined {
  const [first] = lines;
  if (first === undefined) return undefined;
  const { version } = first.event.fingerprint;
  return { version, values: lines.map(({ event }) => event.fingerprint.value).join('') };
}

/** Writes the bytes of a slice as they lie in the raw file. */
function joinLines(slice: PlannedSlice, joined: Buffer): void {
  let at = 0;
  for (const { rawLine } of slice.lines) {
    joined.set(rawLine, at);
    at += rawLine.length;
    joined[at] = NEWLINE;
    at += 1;
  }
}

/** Buffers that are kept between commits. */
const MAX_KEPT = 4;

/**
 * Memory in which the lines of a slice are joined for one write. It is used again: fresh buffers of a megabyte for each commit would lie about
 * until the next collection of garbage, more than a hundred megabytes of them under load.
 */
export class JoinBuffers {
  readonly #kept: Buffer[] = [];

  /** Hands `use` a buffer of that many bytes, filled with anything; when its promise settles, the buffer is somebody else's. */
  async with<Result>(bytes: number, use: (buffer: Buffer) => Promise<Result>): Promise<Result> {
    // A line that is longer than a slice is alone in it, and rare.
    if (bytes > COMMIT_SLICE_BYTES) return await use(Buffer.allocUnsafe(bytes));
    const buffer = this.#kept.pop() ?? Buffer.allocUnsafe(COMMIT_SLICE_BYTES);
    try {
      return await use(buffer.subarray(0, bytes));
    } finally {
      if (this.#kept.length < MAX_KEPT) this.#kept.push(buffer);
    }
  }
}
