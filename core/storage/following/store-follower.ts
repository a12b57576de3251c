import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IndexContent } from '../index/index-content.js';
import { isIndexUnusable } from '../index/index-fault.js';
import type { IndexSource } from '../index/index-source.js';
import { eventOfLine, rawLineMissing } from '../read-event.js';
import { hourOfMicros } from '../record/arrival-time.js';
import { RAW_FILE } from '../record/partition-path.js';
import type { RecordReader } from '../record/record-reader.js';
import { ReportedLines } from '../reported-lines.js';
import { ArrivalBell } from './arrival-bell.js';
import { readRows } from './read-rows.js';
import type {
  FollowedBatch,
  FollowedEvent,
  FollowPosition,
  FollowStatus,
  NextOptions,
  RecordFollower,
} from './record-follower.js';
import { type FollowedRow, rowsAfter } from './rows-after.js';

/** What a follower reads; all of it stays open. */
export interface StoreFollowerOptions {
  /** Absolute path of the data folder. */
  readonly directory: string;
  readonly index: Pick<IndexSource, 'content' | 'recover'>;
  readonly record: Pick<RecordReader, 'readAt'>;
  readonly position: FollowPosition;
  readonly holdMs: number;
  /** Keeps a position; absent: the cursor lives in memory. */
  readonly write?: ((position: FollowPosition) => Promise<void>) | undefined;
  readonly onClose: (follower: StoreFollower) => void;
  readonly onFault: (fault: Error) => void;
}

const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** A follower over the index of the writer: it holds a row for every event that is durable, in order of arrival. */
export class StoreFollower implements RecordFollower {
  readonly #options: StoreFollowerOptions;
  readonly #bell = new ArrivalBell();
  readonly #reported: ReportedLines;
  /** Up to where events were given. */
  #read: FollowPosition;
  #committed: FollowPosition;
  /** Where the events that were given and not committed stand. */
  #given: readonly FollowPosition[] = [];
  #oldestMicros: number | undefined;
  #removed = 0;
  #unreadable = 0;
  #heldHour = Number.NEGATIVE_INFINITY;
  /** The file of the rows that were read last: to join its name for each of them is garbage for each of them. */
  #rawFile: { readonly folder: string; readonly path: string } | undefined;

  constructor(options: StoreFollowerOptions) {
    this.#options = options;
    this.#read = options.position;
    this.#committed = options.position;
    this.#reported = new ReportedLines(options.onFault);
  }

  /** For how long retention waits, in milliseconds. */
  get holdMs(): number {
    return this.#options.holdMs;
  }

  get #content(): IndexContent {
    return this.#options.index.content;
  }

  /** Looks at what waits already. Rejects as `next` does. */
  async begin(): Promise<void> {
    this.#passRemoved();
    await this.#findOldest();
  }

  /** So many events became durable, the first of them at that instant. */
  arrived(events: number, receivedAtMicros: number): void {
    this.#oldestMicros ??= receivedAtMicros;
    this.#bell.ring(events);
  }

  async next({ maxEvents, maxBytes = DEFAULT_MAX_BYTES, waitMs, signal }: NextOptions): Promise<FollowedBatch> {
    const bounds = { maxEvents, maxBytes };
    while (!signal.aborted && !this.#bell.isClosed) {
      const heard = this.#bell.listen();
      let rows = await this.#rows(bounds);
      if (rows.length === 0) {
        this.#caughtUp();
        await heard.untilRung(1, undefined, signal);
        continue;
      }
      if (
        rows.length < maxEvents &&
        waitMs > 0 &&
        rows.at(-1)?.row.receivedAtMicros === this.#content.lastReceivedAtMicros
      ) {
        await heard.untilRung(maxEvents - rows.length, waitMs, signal);
        rows = await this.#rows(bounds);
      }
      const batch = await this.#readEvents(rows);
      if (batch === undefined) continue;
      this.#read = batch.after;
      if (batch.events.length === 0) continue;
      this.#given = rows.map(({ after }) => after);
      return batch;
    }
    return { events: [], after: this.#read };
  }

  async commit(position: FollowPosition): Promise<void> {
    await this.#options.write?.(position);
    this.#committed = position;
    await this.#findOldest();
  }

  status(): FollowStatus {
    this.#passRemoved();
    const waiting = this.#waiting;
    return {
      waiting,
      oldestMicros: waiting === 0 ? undefined : this.#oldestMicros,
      removed: this.#removed,
      unreadable: this.#unreadable,
      isHeldFor: this.lacks(this.#heldHour),
    };
  }

  async close(): Promise<void> {
    this.#bell.close();
    this.#options.onClose(this);
  }

  /** Whether events up to the end of an hour wait for it. */
  lacks(hour: number): boolean {
    return this.#waiting > 0 && this.#oldestMicros !== undefined && hourOfMicros(this.#oldestMicros) <= hour;
  }

  /** Says up to which hour retention keeps events for it now. */
  heldThrough(hour: number): void {
    this.#heldHour = hour;
  }

  /** Events that ever came. */
  get #total(): number {
    const { segments, removed } = this.#content;
    return removed.events + segments.events;
  }

  get #waiting(): number {
    return Math.max(0, this.#total - Math.max(this.#committed.passed, this.#content.removed.events));
  }

  /** After what was given. */
  async #rows(bounds: { maxEvents: number; maxBytes: number }): Promise<FollowedRow[]> {
    for (;;) {
      this.#passRemoved();
      const content = this.#content;
      try {
        return await rowsAfter(content, this.#read, bounds);
      } catch (error) {
        if (!isIndexUnusable(error) || !(await this.#options.index.recover(error, content))) throw error;
      }
    }
  }

  /** What retention removed behind its back is lost for it. */
  #passRemoved(): void {
    const { beforeMicros, events } = this.#content.removed;
    if (this.#read.receivedAtMicros >= beforeMicros) return;
    this.#removed += Math.max(0, events - this.#read.passed);
    this.#read = { receivedAtMicros: beforeMicros, taken: 0, passed: Math.max(events, this.#read.passed) };
    if (this.#oldestMicros !== undefined) this.#oldestMicros = Math.max(this.#oldestMicros, beforeMicros);
  }

  /** Whatever was counted before: nothing is left. Hours that somebody moved away would count for ever otherwise. */
  #caughtUp(): void {
    const isDone = samePlace(this.#committed, this.#read);
    this.#read = { ...this.#read, passed: this.#total };
    if (!isDone && this.#given.length > 0) return;
    this.#committed = this.#read;
    this.#oldestMicros = undefined;
  }

  /** Undefined where retention took some of them away meanwhile. */
  async #readEvents(rows: readonly FollowedRow[]): Promise<FollowedBatch | undefined> {
    const lines = await readRows(
      this.#options.record,
      rows.map(({ row }) => row),
    );
    if ((rows[0]?.row.receivedAtMicros ?? 0) < this.#content.removed.beforeMicros) return undefined;
    const slice = beginTimeSlice();
    const events: FollowedEvent[] = [];
    for (const [place, row] of rows.entries()) {
      if (slice.isOver) await slice.next();
      const event = this.#readEvent(row, lines[place]);
      lines[place] = undefined;
      if (event !== undefined) events.push(event);
    }
    return { events, after: rows.at(-1)?.after ?? this.#read };
  }

  #readEvent({ row, after }: FollowedRow, line: Buffer | undefined): FollowedEvent | undefined {
    const issue = this.#content.issues.inOrder[row.ordinal];
    try {
      if (line === undefined || issue === undefined) throw rawLineMissing(row);
      const { payload, normalized } = eventOfLine(row, line, issue);
      return {
        issueId: issue.issueId,
        fingerprint: issue.fingerprint,
        payload,
        normalized,
        receivedAtMicros: row.receivedAtMicros,
        raw: { path: this.#pathOf(row.partition.folder), line: row.line },
        after,
      };
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

  async #findOldest(): Promise<void> {
    this.#given = this.#given.filter(({ passed }) => passed > this.#committed.passed);
    if (this.#waiting === 0) {
      this.#oldestMicros = undefined;
      return;
    }
    try {
      const [first] = await rowsAfter(this.#content, this.#committed, { maxEvents: 1, maxBytes: 1 });
      this.#oldestMicros = first?.row.receivedAtMicros ?? this.#content.lastReceivedAtMicros;
    } catch (error) {
      // `next` meets the same, and says so.
      if (!isIndexUnusable(error)) throw error;
      this.#oldestMicros ??= this.#content.lastReceivedAtMicros;
    }
  }
}

function samePlace(one: FollowPosition, other: FollowPosition): boolean {
  return one.receivedAtMicros === other.receivedAtMicros && one.taken === other.taken;
}
