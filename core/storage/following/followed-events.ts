import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IssueState } from '../index/content/issue-state.js';
import { createLineReport, eventIdOf, eventOfLine, type ReportLine, rawLineMissing } from '../index/read-event.js';
import { type EventRow, keyOfLine } from '../index/segments/event-segment.js';
import { settleAll } from '../record/io/settle-all.js';
import { RAW_FILE } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { FollowedEvent, FollowedLine } from './record-follower.js';
import type { FollowedRow, RowsAhead } from './rows-after.js';

export interface FollowedEventsOptions {
  readonly record: Pick<RecordReader, 'readAt'>;
  /** Called once for each unreadable line. */
  readonly onFault: (fault: Error) => void;
}

/** Makes an item of a row and its raw line; a Fault skips it. */
export type ItemOf<Item> = (row: FollowedRow, line: Buffer, issue: IssueState) => Item;

/** An event of a row; `directory` is the data folder. */
export function followedEvent(directory: string): ItemOf<FollowedEvent> {
  return ({ row, after }, line, issue) => {
    const { payload, normalized } = eventOfLine(row, line, issue);
    const { issueId, fingerprint } = issue;
    const raw = { path: join(directory, row.partition.folder, RAW_FILE), line: row.line };
    return { issueId, fingerprint, payload, normalized, receivedAtMicros: row.receivedAtMicros, raw, after };
  };
}

/** An event of a row whose line is not decoded. */
export const followedLine: ItemOf<FollowedLine> = ({ row, after }, line, { issueId }) => {
  return { eventId: eventIdOf(row), issueId, line, after };
};

/** Reads the events of rows. Unreadable ones are skipped, reported and counted. */
export class FollowedEvents {
  readonly #record: FollowedEventsOptions['record'];
  readonly #report: ReportLine;
  /** Events that were skipped. */
  unreadable = 0;

  constructor({ record, onFault }: FollowedEventsOptions) {
    this.#record = record;
    this.#report = createLineReport(onFault);
  }

  /** Undefined if rows before `removedBefore`, called after the read, are among them. Rejects with the system's error. */
  async read<Item>(
    { rows, content }: RowsAhead,
    removedBefore: () => number,
    itemOf: ItemOf<Item>,
  ): Promise<Item[] | undefined> {
    const eventRows = rows.map(({ row }) => row);
    const lines = await readRows(this.#record, eventRows);
    if (eventRows[0] !== undefined && eventRows[0].receivedAtMicros < removedBefore()) return undefined;
    const slice = beginTimeSlice();
    const items: Item[] = [];
    for (const [index, followed] of rows.entries()) {
      if (slice.isOver) await slice.next();
      const item = this.#itemOf(followed, lines[index], content.issues.inOrder[followed.row.ordinal], itemOf);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  /** Undefined if the event is unreadable. */
  #itemOf<Item>(
    followed: FollowedRow,
    line: Buffer | undefined,
    issue: IssueState | undefined,
    itemOf: ItemOf<Item>,
  ): Item | undefined {
    const { row } = followed;
    try {
      if (line === undefined || issue === undefined) throw rawLineMissing(row);
      return itemOf(followed, line, issue);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.unreadable += 1;
      this.#report(keyOfLine(row), error);
      return undefined;
    }
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
    const end = offset + bytes;
    const previous = latest.get(partition.folder);
    if (previous !== undefined && offset === previous.end + 1 && end - previous.start <= MAX_RUN_BYTES) {
      previous.end = end;
      previous.indexes.push(index);
      continue;
    }
    const run = { partition, start: offset, end, indexes: [index] };
    latest.set(partition.folder, run);
    runs.push(run);
  }
  return runs;
}
