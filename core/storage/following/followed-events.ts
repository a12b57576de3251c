import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import { eventOfLine, rawLineMissing } from '../read-event.js';
import { RAW_FILE } from '../record/partition-path.js';
import type { RecordReader } from '../record/record-reader.js';
import { ReportedLines } from '../reported-lines.js';
import type { RowsAhead } from './read-ahead.js';
import { readRows } from './read-rows.js';
import type { FollowedEvent } from './record-follower.js';
import type { FollowedRow } from './rows-after.js';

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
