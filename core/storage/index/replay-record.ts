import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import { canBeRead } from '../record/commit-record.js';
import type { RecordReader, ReplayedLine, UnreadCommit, UnreadInstant } from '../record/record-reader.js';
import type { IndexGrouping } from './event-groupers.js';
import type { IndexContent } from './index-content.js';
import type { DescribedFailure, IndexedEvent, IndexedFailure } from './indexed-event.js';
import { createLineReader, type LineReader } from './line-reader.js';
import { PackedAnswer, type PackedCommit } from './packed-commit.js';
import type { PackedLines } from './packed-lines.js';
import type { ReplayThreads, ThreadCommit } from './replay-threads.js';

/** What is replayed into what. */
export interface ReplayOptions {
  record: Pick<RecordReader, 'replayUnread'>;
  content: IndexContent;
  afterMicros: number;
  /** Commits received later are left for another time; default none. */
  untilMicros?: number;
  /** Groups the events for which it does not count what grouped them on arrival, or the record does not say; describes new issues. */
  grouping: IndexGrouping;
  /**
   * Starts threads that read the record from the disk themselves and group by the same plan, for a replay that turns out to be long; default: this
   * thread does everything.
   */
  openThreads?: (() => ReplayThreads) | undefined;
  /** Lines that the index already holds; default none. Not asked in a replay with threads. */
  isKnown?: (line: ReplayedLine) => boolean;
  /** Called after each commit, which waits for it. */
  afterCommit?: () => Promise<void>;
  /** Called with the events taken so far, at most ten times a second and at the end. */
  onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Called with `RECORD_DAMAGED` or `RAW_LINE_INVALID` for what could not be taken. */
  onFault: (fault: Error) => void;
  /** Ends the replay between two commits: it then rejects with Fault `STORE_CLOSING`. */
  signal?: AbortSignal | undefined;
}

/** How far a replay is; the total is not known beforehand. */
export interface ReplayProgress {
  doneEvents: number;
  totalEvents: number | undefined;
}

const PROGRESS_INTERVAL_MS = 100;
/** A thread costs a tenth of a second to start: less than this is read faster without. */
const MIN_BYTES_FOR_THREADS = 4 * 1024 * 1024;
/** Commits travel to a thread together, up to about this. */
const BATCH_BYTES = 256 * 1024;
/** Bytes of lines that threads may have before them: what waits longer outlives a collection of young objects. */
const AHEAD_BYTES = 2 * 1024 * 1024;

/** Takes the commits after an instant into the index, in order of arrival. */
export async function replayRecord(options: ReplayOptions): Promise<void> {
  const replay = new Replay(options);
  try {
    await replay.run();
  } finally {
    await replay.close();
  }
}

/** Instants whose commits are read together. */
interface Batch {
  readonly instants: UnreadInstant[];
  bytes: number;
  /** What a thread read; undefined where there is none. */
  read: Promise<PackedLines | undefined>;
}

const NOTHING_READ: Batch['read'] = Promise.resolve(undefined);

class Replay {
  readonly #options: ReplayOptions;
  readonly #reader: LineReader;
  /** Batches that threads are reading. */
  readonly #ahead: Batch[] = [];
  #batch = emptyBatch();
  #threads: ReplayThreads | undefined;
  #seenBytes = 0;
  #aheadBytes = 0;
  #doneEvents = 0;
  readonly #slice = beginTimeSlice();
  #progressDueMs = performance.now() + PROGRESS_INTERVAL_MS;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#reader = createLineReader(options.grouping);
  }

  async run(): Promise<void> {
    const { record, afterMicros, onFault, onProgress, untilMicros = Number.POSITIVE_INFINITY } = this.#options;
    for await (const instant of record.replayUnread({ afterMicros, onDamage: onFault })) {
      this.#stopIfAsked();
      if (instant.receivedAtMicros > untilMicros) break;
      await this.#add(instant);
    }
    this.#send();
    while (this.#ahead.length > 0) await this.#takeNext();
    if (this.#doneEvents > 0) onProgress?.({ doneEvents: this.#doneEvents, totalEvents: this.#doneEvents });
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }

  async #add(instant: UnreadInstant): Promise<void> {
    this.#batch.instants.push(instant);
    for (const { record } of instant.commits) if (canBeRead(record)) this.#batch.bytes += record.bytes;
    if (this.#seenBytes >= MIN_BYTES_FOR_THREADS) this.#threads ??= this.#options.openThreads?.();
    // Without threads nothing is gained by reading ahead.
    if (this.#threads !== undefined && this.#batch.bytes < BATCH_BYTES) return;
    this.#send();
    const mayWait = this.#threads === undefined ? 0 : AHEAD_BYTES;
    while (this.#ahead.length > 0 && this.#aheadBytes >= mayWait) await this.#takeNext();
  }

  #send(): void {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    this.#seenBytes += batch.bytes;
    this.#aheadBytes += batch.bytes;
    const commits = batch.instants.flatMap((instant) => instant.commits.filter(({ record }) => canBeRead(record)));
    if (this.#threads !== undefined) batch.read = this.#threads.read(commits.map((commit) => this.#toThread(commit)));
    this.#ahead.push(batch);
  }

  #toThread({ path, record }: UnreadCommit): ThreadCommit {
    const { offset, bytes, lines, crc32c, receivedAtMicros, fingerprints } = record;
    const storedVersion = typeof fingerprints === 'object' ? fingerprints.version : undefined;
    const values = this.#reader.countedValues(record);
    return { path, offset, bytes, lines, crc32c, receivedAtMicros, storedVersion, values };
  }

  async #takeNext(): Promise<void> {
    const batch = this.#ahead.shift();
    if (batch === undefined) return;
    this.#aheadBytes -= batch.bytes;
    const read = await batch.read;
    const answer = read && new PackedAnswer(read);
    for (const instant of batch.instants) {
      this.#stopIfAsked();
      // To the end of the instant, also where it is then read here.
      const packed =
        answer && instant.commits.map((commit) => answer.next(commit, this.#reader.versionOf(commit.record)));
      if (packed === undefined || !this.#takePacked(instant, packed)) await this.#takeHere(instant);
      await this.#options.afterCommit?.();
      await this.#giveTurn();
    }
  }

  /** False where a thread has not read all of it: then nothing was taken. */
  #takePacked({ commits }: UnreadInstant, packed: readonly (PackedCommit | undefined)[]): boolean {
    const taken: PackedCommit[] = [];
    for (const [place, commit] of commits.entries()) {
      const read = packed[place];
      if (commit.isGone) continue;
      if (read === undefined) return false;
      taken.push(read);
    }
    if (!this.#options.content.applyPacked(taken)) return false;
    for (const commit of commits) if (!commit.isGone) commit.accept();
    for (const { lines } of taken) this.#doneEvents += lines;
    return true;
  }

  async #takeHere({ receivedAtMicros, commits }: UnreadInstant): Promise<void> {
    const { content, isKnown } = this.#options;
    const parts: (readonly ReplayedLine[])[] = [];
    for (const commit of commits) parts.push(await commit.read());
    const events: IndexedEvent[] = [];
    const lines: ReplayedLine[] = [];
    for (const line of parts.flat()) {
      if (isKnown?.(line)) continue;
      const event = this.#readHere(line, receivedAtMicros);
      if (event === undefined) continue;
      const { partition, offset, bytes } = line;
      events.push({ event, partition, line: line.line, offset, bytes, receivedAtMicros });
      lines.push(line);
    }
    content.apply(events, (place) => this.#describe(lines[place], receivedAtMicros));
    this.#doneEvents += events.length;
  }

  #describe(line: ReplayedLine | undefined, receivedAtMicros: number): DescribedFailure {
    if (line === undefined) throw new RangeError('An event is described that is no part of its commit.');
    return this.#reader.describe(line, receivedAtMicros);
  }

  #readHere(line: ReplayedLine, receivedAtMicros: number): IndexedFailure | DescribedFailure | undefined {
    try {
      return this.#reader.read(line, receivedAtMicros);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#options.onFault(error);
      return undefined;
    }
  }

  async #giveTurn(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs >= this.#progressDueMs) {
      this.#options.onProgress?.({ doneEvents: this.#doneEvents, totalEvents: undefined });
      this.#progressDueMs = nowMs + PROGRESS_INTERVAL_MS;
    }
    if (this.#slice.isOver) await this.#slice.next();
  }

  #stopIfAsked(): void {
    if (this.#options.signal?.aborted !== true) return;
    throw new Fault('STORE_CLOSING', 'The store was told to close while it replayed its record.', { retryable: true });
  }
}

function emptyBatch(): Batch {
  return { instants: [], bytes: 0, read: NOTHING_READ };
}
