import { Fault } from '../../event/fault.js';
import type { EventId } from '../../event/ids.js';
import { type RawPayload, repeatsOf } from '../../event/raw-payload.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { ReplayedCommit, ReplayedLine } from '../record/commits/committed-event.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import { type EventIdParts, parseEventId } from '../record/partitions/event-id.js';
import type { Partition } from '../record/partitions/partition-path.js';
import { decodeLineAt } from '../record/reader/decode-line.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { fingerprintOfRepeat } from './content/group-repeats.js';
import {
  type DescribedFailure,
  type IndexContent,
  type IndexedEvent,
  type IndexedFailure,
  isDescribed,
} from './content/index-content.js';
import type { IssueState } from './content/issue-state.js';
import { createEventGroupers, type FindGrouper, type IndexGrouping } from './event-groupers.js';

/** What a replay reads of the record. */
export type ReplayableRecord = Pick<RecordReader, 'replay' | 'partitionOfId' | 'readLine'>;

/** Options for `replayIntoIndex`. */
export interface ReplayIntoIndexOptions {
  record: ReplayableRecord;
  content: IndexContent;
  afterMicros: number;
  /** As of `RecordReader.replay`. */
  among?: readonly Partition[] | undefined;
  /** Commits received later are skipped; default none. */
  untilMicros?: number;
  /** Groups events whose stored fingerprint is missing or does not count; describes new issues. */
  grouping: IndexGrouping;
  /** Skips lines that the index already holds; default none. */
  isKnown?: (line: ReplayedLine) => boolean;
  /** Called for each line that is not skipped, without a payload if it has none. */
  observe?: (line: ReplayedLine, payload: IndexedFailure['payload'] | undefined) => void;
  /** Awaited after each commit. */
  afterCommit?: () => Promise<void>;
  /** Called at most ten times a second and at the end. */
  onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Called with `RECORD_DAMAGED` or `RAW_LINE_INVALID` for skipped lines. */
  onFault: (fault: Error) => void;
  /** Aborts between two commits; the replay then rejects with `STORE_CLOSING`. */
  signal?: AbortSignal | undefined;
}

/** Progress of a replay; the total is unknown until its end. */
export interface ReplayProgress {
  doneEvents: number;
  totalEvents: number | undefined;
}

const PROGRESS_INTERVAL_MS = 100;

/** Replays the commits after an instant into the index, in order of arrival. */
export async function replayIntoIndex(options: ReplayIntoIndexOptions): Promise<void> {
  await new Replay(options).run();
}

class Replay {
  readonly #options: ReplayIntoIndexOptions;
  readonly #findGrouper: FindGrouper;
  readonly #slice = beginTimeSlice();
  #doneEvents = 0;
  #progressDueMs = performance.now() + PROGRESS_INTERVAL_MS;

  constructor(options: ReplayIntoIndexOptions) {
    this.#options = options;
    this.#findGrouper = createEventGroupers(options.grouping);
  }

  async run(): Promise<void> {
    const { record, afterMicros, among, untilMicros = Number.POSITIVE_INFINITY, afterCommit, onFault } = this.#options;
    for await (const commit of record.replay({ afterMicros, among, onDamage: onFault })) {
      this.#throwIfAborted();
      if (commit.receivedAtMicros > untilMicros) break;
      await this.#apply(commit);
      await afterCommit?.();
      this.#reportProgress();
      if (this.#slice.isOver) await this.#slice.next();
    }
    const doneEvents = this.#doneEvents;
    if (doneEvents > 0) this.#options.onProgress?.({ doneEvents, totalEvents: doneEvents });
  }

  async #apply({ receivedAtMicros, events: lines }: ReplayedCommit): Promise<void> {
    const { content, isKnown } = this.#options;
    const events: IndexedEvent[] = [];
    /** Issues that begin with this commit. */
    const newIssues = new Set<string>();
    for (const replayed of lines) {
      if (this.#slice.isOver) await this.#slice.next();
      if (isKnown?.(replayed)) continue;
      const grouped = await this.#group(replayed, receivedAtMicros);
      if (grouped === undefined) continue;
      const event = this.#describeIfNew(replayed, grouped, receivedAtMicros, newIssues);
      const { partition, line, offset, bytes } = replayed;
      events.push({ event, partition, line, offset, bytes, receivedAtMicros });
    }
    content.apply(events);
    this.#doneEvents += events.length;
  }

  /** The payload of a line and its fingerprint; undefined if the line is no payload, which is reported. */
  async #group(line: ReplayedLine, receivedAtMicros: number): Promise<IndexedEvent['event'] | undefined> {
    const { observe, onFault } = this.#options;
    let event: IndexedEvent['event'];
    try {
      event = this.#decode(line, receivedAtMicros);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
      observe?.(line, undefined);
      return undefined;
    }
    if (repeatsOf(event.payload.extra) !== undefined) event = await this.#regroupRepeat(event, receivedAtMicros);
    observe?.(line, event.payload);
    return event;
  }

  /** Computes the fingerprint only if the stored one is missing or does not count. */
  #decode(line: ReplayedLine, receivedAtMicros: number): IndexedEvent['event'] {
    const { fingerprint } = line;
    const { keepsStored, grouper } = this.#findGrouper(receivedAtMicros, fingerprint?.version);
    const payload = decodeLineAt(line, line.rawLine);
    if (fingerprint !== undefined && keepsStored) return { payload, fingerprint };
    return { payload, fingerprint: grouper.fingerprint(payload) };
  }

  /** Describes the first event of a new issue, which needs a title. Titles are not stored. */
  #describeIfNew(
    line: ReplayedLine,
    event: IndexedEvent['event'],
    receivedAtMicros: number,
    newIssues: Set<string>,
  ): IndexedEvent['event'] {
    const { app, service } = event.payload;
    const { value } = event.fingerprint;
    if (this.#options.content.issues.find(app, service, value) !== undefined) return event;
    const issue = JSON.stringify([app, service, value]);
    const isFirst = !newIssues.has(issue);
    newIssues.add(issue);
    return isFirst && !isDescribed(event) ? this.#describe(line, event, receivedAtMicros) : event;
  }

  #describe(line: ReplayedLine, { fingerprint }: IndexedFailure, receivedAtMicros: number): DescribedFailure {
    const { grouper } = this.#findGrouper(receivedAtMicros, fingerprint.version);
    const payload = decodeLineAt(line, line.rawLine);
    const { title, culprit } = grouper.fingerprint(payload);
    // The fingerprint from arrival is on the record and wins.
    return { payload, fingerprint: { ...fingerprint, title, culprit } };
  }

  /**
   * Groups an event that repeats another, unless its fingerprint from arrival counts. It follows only events of the same hour, which
   * retention removes together, so that a rebuilt index groups it in the same way.
   */
  async #regroupRepeat(event: IndexedEvent['event'], receivedAtMicros: number): Promise<IndexedEvent['event']> {
    const repeats = repeatsOf(event.payload.extra);
    const id = repeats && parseEventId(repeats);
    if (repeats === undefined || id === undefined || !isDescribed(event)) return event;
    if (id.hour !== hourOfMicros(receivedAtMicros) || id.receivedAtMicros >= receivedAtMicros) return event;
    const counting = await this.#countingEvent(repeats, id);
    if (counting === undefined) return event;
    const stacks = { own: event.payload.stack, counted: counting.payload.stack };
    return { ...event, fingerprint: await fingerprintOfRepeat(event, counting.issue, async () => stacks) };
  }

  /** An event of the record that counts an occurrence, with its issue; undefined if it repeats one or cannot be read. */
  async #countingEvent(
    eventId: EventId,
    { line, receivedAtMicros }: EventIdParts,
  ): Promise<{ readonly payload: RawPayload; readonly issue: IssueState } | undefined> {
    const { record, content } = this.#options;
    try {
      const partition = await record.partitionOfId(eventId);
      const rawLine = partition && (await record.readLine(partition, line));
      if (partition === undefined || rawLine === undefined) return undefined;
      const payload = decodeLineAt({ partition, line }, rawLine);
      if (repeatsOf(payload.extra) !== undefined) return undefined;
      const { value } = this.#findGrouper(receivedAtMicros, undefined).grouper.fingerprint(payload);
      const issue = content.issues.find(payload.app, payload.service, value);
      return issue && { payload, issue };
    } catch (error) {
      // The replay reports damage at the line itself.
      if (error instanceof Fault && error.code !== 'READER_CLOSED') return undefined;
      throw error;
    }
  }

  #reportProgress(): void {
    const nowMs = performance.now();
    if (nowMs < this.#progressDueMs) return;
    this.#options.onProgress?.({ doneEvents: this.#doneEvents, totalEvents: undefined });
    this.#progressDueMs = nowMs + PROGRESS_INTERVAL_MS;
  }

  #throwIfAborted(): void {
    if (this.#options.signal?.aborted !== true) return;
    const sentence = 'The store is closing and stopped replaying its record.';
    throw new Fault('STORE_CLOSING', sentence, { retryable: true });
  }
}
