import {
  type CommitFingerprints,
  checksumOf,
  encodeCommitRecord,
  MAX_COMMIT_RAW_BYTES,
  originsText,
} from '../commits/commit-record.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import { findHiddenLetters } from '../commits/hidden-letters.js';
import type { BufferPool } from '../io/buffer-pool.js';
import { settleAll } from '../io/settle-all.js';
import { createEventIds } from '../partitions/event-id.js';
import type { PlannedPartition, PlannedRecord } from './commit-plan.js';
import type { PartitionLog } from './partition-log.js';

const NEWLINE = 0x0a;

/**
 * Appends the planned lines and their commit records and syncs both. Returns the events, and puts them into the `committed` of their
 * appends; they are valid once the commit is accepted.
 */
export async function writePartition(
  log: PartitionLog,
  planned: PlannedPartition,
  receivedAtMicros: number,
  buffers: BufferPool,
): Promise<CommittedEvent[]> {
  const { partition } = planned;
  const idOf = createEventIds(partition, receivedAtMicros);
  const committed: CommittedEvent[] = [];
  let line = log.lines;
  let offset = log.raw.goodBytes;
  for (const record of planned.records) {
    const { bytes: recordBytes, lines, batches } = record;
    // Allocating a megabyte for each commit would pile up garbage.
    const buffer = buffers.acquire(Math.max(recordBytes, MAX_COMMIT_RAW_BYTES));
    try {
      const raw = buffer.subarray(0, recordBytes);
      joinLines(record, raw);
      // Stays if the commit is taken back: then more is searched for hidden letters than must be.
      if (findHiddenLetters(raw).ascii.length > 0) log.plainFrom = offset + recordBytes;
      const encoded = encodeCommitRecord({
        line,
        lines: lines.length,
        offset,
        bytes: recordBytes,
        receivedAtMicros,
        crc32c: checksumOf(raw),
        batches,
        plainFrom: log.plainFrom,
        origins: originsText(lines.map(({ append }) => append.origin)),
        fingerprints: fingerprintsOf(record),
      });
      await settleAll(
        [
          { file: log.raw, bytes: raw },
          { file: log.commits, bytes: Buffer.from(encoded, 'utf8') },
        ],
        2,
        ({ file, bytes }) => file.append(bytes),
      );
    } finally {
      buffers.release(buffer);
    }
    for (const { event, rawLine, append, index } of lines) {
      const bytes = rawLine.length;
      const one = { eventId: idOf(line), event, partition, line, offset, bytes, receivedAtMicros };
      append.committed[index] = one;
      committed.push(one);
      line += 1;
      offset += bytes + 1;
    }
  }
  await log.onBoth((file) => file.sync());
  return committed;
}

/** All lines of a record have the same grouping version. */
function fingerprintsOf({ lines }: PlannedRecord): CommitFingerprints | undefined {
  const [first] = lines;
  if (first === undefined) return undefined;
  const { version } = first.event.fingerprint;
  return { version, values: lines.map(({ event }) => event.fingerprint.value).join('') };
}

function joinLines(record: PlannedRecord, joined: Buffer): void {
  let at = 0;
  for (const { rawLine } of record.lines) {
    joined.set(rawLine, at);
    at += rawLine.length;
    joined[at] = NEWLINE;
    at += 1;
  }
}
