import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import type { DataFolder } from '../files/store-files.js';
import { temporaryOf, writeTemporary } from '../files/write-durably.js';
import type { IssueRemoval, RemovalHistory, RemovedTotals } from '../index/content/removal.js';
import { AppendFile } from '../record/io/append-file.js';
import type { PartitionFolder } from '../record/partitions/partition-path.js';
import { encodeIssueLine } from './issue-line.js';
import { readRemovals } from './ledger-history.js';
import {
  type ClosingLine,
  encodeClosing,
  encodeDone,
  encodeLine,
  LEDGER_FILE,
  type RemovalNote,
  type RemovedPartition,
} from './ledger-line.js';

/** Small enough to encode within a few milliseconds. */
const CHUNK_BYTES = 128 * 1024;

/** Lines of an entry without the last, their bytes with newlines, and their checksum. */
type EntrySize = Pick<ClosingLine, 'lines' | 'bytes' | 'crc32c'>;

/** Encodes an entry in chunks; `close` returns the last line. */
function* encodeEntry(lines: Iterable<object>, close: (size: EntrySize) => string): Generator<Buffer> {
  const size = { lines: 0, bytes: 0, crc32c: 0 };
  let chunk = '';
  const flush = (): Buffer => {
    const bytes = Buffer.from(chunk, 'utf8');
    chunk = '';
    size.bytes += bytes.length;
    size.crc32c = crc32c(bytes, size.crc32c);
    return bytes;
  };
  for (const line of lines) {
    chunk += encodeLine(line);
    size.lines += 1;
    if (chunk.length >= CHUNK_BYTES) yield flush();
  }
  if (chunk !== '') yield flush();
  yield Buffer.from(close(size), 'utf8');
}

function* linesOf(issues: Iterable<IssueRemoval>, partitions: readonly RemovedPartition[] = []): Generator<object> {
  for (const issue of issues) yield encodeIssueLine(issue);
  for (const { partition, rawBytes } of partitions) {
    yield { kind: 'partition', folder: partition.folder, raw_bytes: rawBytes };
  }
}

interface NewRemoval extends RemovalNote {
  readonly beforeMicros: number;
  readonly throughMicros: number;
  readonly issues: Iterable<IssueRemoval>;
  readonly partitions: readonly RemovedPartition[];
}

/** State of a ledger after its last entry. */
export interface LedgerState {
  readonly totals: RemovedTotals;
  readonly issueLines: number;
  readonly bytes: number;
  /** Partitions of entries that are not done. */
  readonly pending: readonly PartitionFolder[];
}

/** Smaller files are not compacted. */
const LEAST_COMPACT_BYTES = 4 * 1024 * 1024;

export type RetentionLedger = ReturnType<typeof createRetentionLedger>;

/** Creates functions that append to `retention.ndjson`, always synced, one call at a time; a failed append is rolled back by the next at the latest. */
export function createRetentionLedger({ files, directory }: DataFolder, atOpen: LedgerState) {
  const path = join(directory, LEDGER_FILE);
  const fileOf = (goodBytes: number): AppendFile => new AppendFile(files, path, { goodBytes, durable: true });
  let state = atOpen;
  let file = fileOf(state.bytes);

  async function append(chunks: Iterable<Buffer>): Promise<void> {
    try {
      await file.commit(chunks);
    } catch (error) {
      // If this fails too, the next append truncates the file first.
      await file.rollback().catch(() => undefined);
      throw error;
    }
  }

  return {
    /** Removed partitions whose files may still exist. */
    get pending() {
      return state.pending;
    },
    get totals() {
      return state.totals;
    },
    history: {
      totals: async () => state.totals,
      removals: () => readRemovals(files, directory),
    } satisfies RemovalHistory,
    /** Makes a removal durable; a restart then finishes it. */
    async add(removal: NewRemoval): Promise<RemovedTotals> {
      const { totals, pending } = state;
      const { partitions, beforeMicros, throughMicros } = removal;
      const after: RemovedTotals = {
        events: totals.events + removal.events,
        partitions: totals.partitions + partitions.length,
        rawBytes: partitions.reduce((sum, { rawBytes }) => sum + rawBytes, totals.rawBytes),
        beforeMicros,
      };
      let { issueLines } = state;
      const entry = encodeEntry(linesOf(removal.issues, partitions), (size) => {
        issueLines += size.lines - partitions.length;
        return encodeClosing({ kind: 'removed', throughMicros, ...size, totals: after, issueLines }, removal);
      });
      await append(entry);
      const added = partitions.map(({ partition }) => partition);
      state = { totals: after, issueLines, bytes: file.goodBytes, pending: [...pending, ...added] };
      return after;
    },
    /** Marks all pending partitions as deleted. */
    async finish(): Promise<void> {
      await append([Buffer.from(encodeDone(state), 'utf8')]);
      state = { ...state, bytes: file.goodBytes, pending: [] };
    },
    /** Whether more than half of the issue lines are superseded; `issues` is the number of issues that lost events. */
    isWorthCompacting: (issues: number): boolean =>
      state.pending.length === 0 && state.bytes > LEAST_COMPACT_BYTES && state.issueLines > 2 * issues,
    /** Rewrites the file with one line for each issue that lost events. The index on disk must include all removals. */
    async compact(issues: Iterable<IssueRemoval>): Promise<void> {
      const { totals } = state;
      let issueLines = 0;
      const entry = encodeEntry(linesOf(issues), (size) => {
        issueLines = size.lines;
        return encodeClosing({ kind: 'summary', totals, throughMicros: 0, ...size, issueLines });
      });
      await file.closeHandle();
      await writeTemporary(files, path, entry);
      const bytes = (await files.stat(temporaryOf(path)))?.bytes ?? 0;
      await files.rename(temporaryOf(path), path);
      state = { totals, issueLines, bytes, pending: [] };
      file = fileOf(bytes);
      await files.syncFolder(directory);
    },
    async close(): Promise<void> {
      if (file.isDirty) await file.rollback();
      await file.closeHandle();
    },
  };
}
