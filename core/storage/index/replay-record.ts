import { Fault } from '../../event/fault.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { RecordReader, ReplayedCommit, ReplayedLine } from '../record/record-reader.js';
import type { IndexContent } from './index-content.js';
import type { DescribedFailure, IndexedEvent, IndexedFailure } from './indexed-event.js';
import { createLineReader, type LineReader } from './line-reader.js';
import type { ReplayThreads } from './replay-threads.js';

/** What is replayed into what. */
export interface ReplayOptions {
  record: Pick<RecordReader, 'replay'>;
  content: IndexContent;
  afterMicros: number;
  /** Commits received later are left for another time; default none. */
  untilMicros?: number;
  /** Groups the events whose fingerprint the record does not hold, or holds in another version; describes new issues. */
  fingerprint: (payload: RawPayload) => Fingerprint;
  /** Starts threads that group as `fingerprint` does, for a replay that turns out to be long; default: this thread does everything. */
  openThreads?: (() => ReplayThreads) | undefined;
  /** Lines that the index already holds; default none. */
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

/** Commits that are read together. */
interface Batch {
  readonly commits: { readonly receivedAtMicros: number; readonly lines: readonly ReplayedLine[] }[];
  bytes: number;
  /** In the order of the lines of all commits; missing ones are read when they are taken. */
  read: Promise<Iterable<IndexedFailure | DescribedFailure | undefined>>;
}

const NOTHING_READ: Batch['read'] = Promise.resolve([]);

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
    this.#reader = createLineReader(options.fingerprint);
  }

  async run(): Promise<void> {
    const { record, afterMicros, onFault, onProgress, untilMicros = Number.POSITIVE_INFINITY } = this.#options;
    for await (const commit of record.replay({ afterMicros, onDamage: onFault })) {
      this.#stopIfAsked();
      if (commit.receivedAtMicros > untilMicros) break;
      await this.#add(commit);
    }
    this.#send();
    while (this.#ahead.length > 0) await this.#takeNext();
    if (this.#doneEvents > 0) onProgress?.({ doneEvents: this.#doneEvents, totalEvents: this.#doneEvents });
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }

  async #add({ receivedAtMicros, events }: ReplayedCommit): Promise<void> {
    const { isKnown, openThreads } = this.#options;
    const wanted = isKnown === undefined ? events : events.filter((line) => !isKnown(line));
    const lines = wanted.map(this.#reader.withCurrentFingerprint);
    this.#batch.commits.push({ receivedAtMicros, lines });
    for (const { bytes } of lines) this.#batch.bytes += bytes;
    if (this.#seenBytes >= MIN_BYTES_FOR_THREADS) this.#threads ??= openThreads?.();
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
    if (this.#threads !== undefined) batch.read = this.#threads.read(batch.commits.flatMap(({ lines }) => lines));
    this.#ahead.push(batch);
  }

  async #takeNext(): Promise<void> {
    const batch = this.#ahead.shift();
    if (batch === undefined) return;
    this.#aheadBytes -= batch.bytes;
    const read = (await batch.read)[Symbol.iterator]();
    for (const { receivedAtMicros, lines } of batch.commits) {
      this.#stopIfAsked();
      const events: IndexedEvent[] = [];
      const linesOf: ReplayedLine[] = [];
      for (const line of lines) {
        const event = read.next().value ?? this.#readHere(line);
        if (event === undefined) continue;
        const { partition, offset, bytes } = line;
        events.push({ event, partition, line: line.line, offset, bytes, receivedAtMicros });
        linesOf.push(line);
      }
      this.#options.content.apply(events, (place) => this.#describe(linesOf[place]));
      this.#doneEvents += events.length;
      await this.#options.afterCommit?.();
      await this.#giveTurn();
    }
  }

  #describe(line: ReplayedLine | undefined): DescribedFailure {
    if (line === undefined) throw new RangeError('An event is described that is no part of its commit.');
    return this.#reader.describe(line);
  }

  #readHere(line: ReplayedLine): IndexedFailure | DescribedFailure | undefined {
    try {
      return this.#reader.read(line);
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
  return { commits: [], bytes: 0, read: NOTHING_READ };
}
