import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { EventId } from '../../event/ids.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IssueState } from '../index/content/issue-state.js';
import { createLineReport, eventOfLine, type ReportLine, rawLineMissing } from '../index/read-event.js';
import type { EventRow } from '../index/segments/event-segment.js';
import { settleAll } from '../record/io/settle-all.js';
import { createEventIds } from '../record/partitions/event-id.js';
import { RAW_FILE } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { FollowedEvent, FollowedLine } from './record-follower.js';
import type { FollowedRow, RowsAhead } from './rows-after.js';

export interface FollowedEventsOptions {
  readonly directory: string;
  readonly record: Pick<RecordReader, 'readAt'>;
  /** Called once for each unreadable line. */
  readonly onFault: (fault: Error) => void;
}

/** Reads the events of rows. Unreadable ones are skipped, reported and counted. */
export class FollowedEvents {
  readonly #options: FollowedEventsOptions;
  readonly #report: ReportLine;
  unreadable = 0;
  /** Path of the last row's file: joining it for each row would allocate. */
  #rawFile: { readonly folder: string; readonly path: string } | undefined;

  constructor(options: FollowedEventsOptions) {
    this.#options = options;
    this.#report = createLineReport(options.onFault);
  }

  /**
   * Undefined if rows before `removedBefore`, called after the read, are among them: they may be incomplete. Rejects with the system's
   * error.
   */
  async read(ahead: RowsAhead, removedBefore: () => number): Promise<FollowedEvent[] | undefined> {
    return await this.#read(ahead, removedBefore, ({ row, after }, line, issue) => {
      const { payload, normalized } = eventOfLine(row, line, issue);
      const { issueId, fingerprint } = issue;
      const raw = { path: this.#pathOf(row.partition.folder), line: row.line };
      return { issueId, fingerprint, payload, normalized, receivedAtMicros: row.receivedAtMicros, raw, after };
    });
  }

  /** As `read`, without decoding the lines. */
  async readLines(ahead: RowsAhead, removedBefore: () => number): Promise<FollowedLine[] | undefined> {
    let idOf: ((line: number) => EventId) | undefined;
    let before: EventRow | undefined;
    return await this.#read(ahead, removedBefore, ({ row, after }, line, issue) => {
      const isSame = before?.partition === row.partition && before.receivedAtMicros === row.receivedAtMicros;
      if (!isSame || idOf === undefined) idOf = createEventIds(row.partition, row.receivedAtMicros);
      before = row;
      return { eventId: idOf(row.line), issueId: issue.issueId, line, after };
    });
  }

  async #read<Item>(
    { rows, content }: RowsAhead,
    removedBefore: () => number,
    itemOf: (row: FollowedRow, line: Buffer, issue: IssueState) => Item,
  ): Promise<Item[] | undefined> {
    const lines = await readRows(
      this.#options.record,
      rows.map(({ row }) => row),
    );
    if (rows[0] !== undefined && rows[0].row.receivedAtMicros < removedBefore()) return undefined;
    const slice = beginTimeSlice();
    const items: Item[] = [];
    for (const [index, row] of rows.entries()) {
      if (slice.isOver) await slice.next();
      const item = this.#itemOf(row, lines[index], content, itemOf);
      lines[index] = undefined;
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  #itemOf<Item>(
    followed: FollowedRow,
    line: Buffer | undefined,
    { issues }: RowsAhead['content'],
    itemOf: (row: FollowedRow, line: Buffer, issue: IssueState) => Item,
  ): Item | undefined {
    const { row } = followed;
    const issue = issues.inOrder[row.ordinal];
    try {
      if (line === undefined || issue === undefined) throw rawLineMissing(row);
      return itemOf(followed, line, issue);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.unreadable += 1;
      this.#report(`${row.partition.folder}:${row.line}`, error);
      return undefined;
    }
  }

  #pathOf(folder: string): string {
    if (this.#rawFile?.folder !== folder) {
      this.#rawFile = { folder, path: join(this.#options.directory, folder, RAW_FILE) };
    }
    return this.#rawFile.path;
  }
}

/** Adjacent lines of one file that are read at once. */
interface Run {
  readonly partition: EventRow['partition'];
  readonly start: number;
  end: number;
  readonly indexes: number[];
}

const MAX_RUN_BYTES = 1024 * 1024;
const PARALLEL_READS = 4;

/** Reads the raw lines of rows, adjacent ones at once; undefined if the record lacks one. Rejects with the system's error. */
async function readRows(
  record: Pick<RecordReader, 'readAt'>,
  rows: readonly EventRow[],
): Promise<(Buffer | undefined)[]> {
  const lines = new Array<Buffer | undefined>(rows.length).fill(undefined);
  await settleAll(runsOf(rows), PARALLEL_READS, async ({ partition, start, end, indexes }) => {
    const block = await record.readAt(partition, start, end - start);
    for (const index of indexes) {
      const row = rows[index];
      if (row === undefined) continue;
      const at = row.offset - start;
      lines[index] =
        block === undefined
          ? await record.readAt(partition, row.offset, row.bytes)
          : block.subarray(at, at + row.bytes);
    }
  });
  return lines;
}

function runsOf(rows: readonly EventRow[]): Run[] {
  const runs: Run[] = [];
  const latest = new Map<string, Run>();
  for (const [index, { partition, offset, bytes }] of rows.entries()) {
    const known = latest.get(partition.folder);
    const end = offset + bytes;
    if (known !== undefined && offset === known.end + 1 && end - known.start <= MAX_RUN_BYTES) {
      known.end = end;
      known.indexes.push(index);
      continue;
    }
    const run = { partition, start: offset, end, indexes: [index] };
    latest.set(partition.folder, run);
    runs.push(run);
  }
  return runs;
}
