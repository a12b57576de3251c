import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import { eventOfLine, rawLineMissing } from '../events/read-event.js';
import { ReportedLines } from '../events/reported-lines.js';
import type { EventRow } from '../index/segments/event-segment.js';
import { settleAll } from '../record/io/settle-all.js';
import { RAW_FILE } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { FollowedEvent } from './record-follower.js';
import type { FollowedRow, RowsAhead } from './rows-after.js';

/** Where events are read from. */
export interface FollowedEventsOptions {
  /** Absolute path of the data folder. */
  readonly directory: string;
  readonly record: Pick<RecordReader, 'readAt'>;
  /** Told of each line that cannot be read, once. */
  readonly onFault: (fault: Error) => void;
}

/** Turns rows into events. What cannot be read is passed over, told and counted. */
export class FollowedEvents {
  readonly #options: FollowedEventsOptions;
  readonly #reported: ReportedLines;
  #unreadable = 0;
  /** The file of the rows that were read last: to join its name for each of them is garbage for each of them. */
  #rawFile: { readonly folder: string; readonly path: string } | undefined;

  constructor(options: FollowedEventsOptions) {
    this.#options = options;
    this.#reported = new ReportedLines(options.onFault);
  }

  /** Events that could not be read so far. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Undefined where those before `removedBefore`, which is asked once they were read, are among them: they may be half gone. Rejects with the system's error. */
  async read({ rows, content }: RowsAhead, removedBefore: () => number): Promise<FollowedEvent[] | undefined> {
    const lines = await readRows(
      this.#options.record,
      rows.map(({ row }) => row),
    );
    if (rows[0] !== undefined && rows[0].row.receivedAtMicros < removedBefore()) return undefined;
    const slice = beginTimeSlice();
    const events: FollowedEvent[] = [];
    for (const [place, row] of rows.entries()) {
      if (slice.isOver) await slice.next();
      const event = this.#event(row, lines[place], content);
      lines[place] = undefined;
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  #event({ row, after }: FollowedRow, line: Buffer | undefined, { issues }: RowsAhead['content']) {
    const issue = issues.inOrder[row.ordinal];
    try {
      if (line === undefined || issue === undefined) throw rawLineMissing(row);
      const { payload, normalized } = eventOfLine(row, line, issue);
      const { issueId, fingerprint } = issue;
      const raw = { path: this.#pathOf(row.partition.folder), line: row.line };
      return { issueId, fingerprint, payload, normalized, receivedAtMicros: row.receivedAtMicros, raw, after };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#unreadable += 1;
      this.#reported.report(`${row.partition.folder}:${row.line}`, error);
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

/** Lines of one file that lie side by side and are read at once. */
interface Run {
  readonly partition: EventRow['partition'];
  readonly start: number;
  end: number;
  readonly places: number[];
}

const MAX_RUN_BYTES = 1024 * 1024;
const PARALLEL_READS = 4;

/** The raw lines of rows, at the same places; undefined where the record does not hold one. Neighbours are read at once. Rejects with the system's error. */
async function readRows(
  record: Pick<RecordReader, 'readAt'>,
  rows: readonly EventRow[],
): Promise<(Buffer | undefined)[]> {
  const lines = new Array<Buffer | undefined>(rows.length).fill(undefined);
  await settleAll(runsOf(rows), PARALLEL_READS, async ({ partition, start, end, places }) => {
    const block = await record.readAt(partition, start, end - start);
    for (const place of places) {
      const row = rows[place];
      if (row === undefined) continue;
      const at = row.offset - start;
      lines[place] =
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
  for (const [place, { partition, offset, bytes }] of rows.entries()) {
    const known = latest.get(partition.folder);
    const end = offset + bytes;
    if (known !== undefined && offset === known.end + 1 && end - known.start <= MAX_RUN_BYTES) {
      known.end = end;
      known.places.push(place);
      continue;
    }
    const run = { partition, start: offset, end, places: [place] };
    latest.set(partition.folder, run);
    runs.push(run);
  }
  return runs;
}
