import { Fault } from '../../event/fault.js';
import { repeatsOf } from '../../event/raw-payload.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { ReplayedCommit, ReplayedLine } from '../record/commits/replayed-commit.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { IndexContent } from './content/index-content.js';
import type { DescribedFailure, IndexedEvent, IndexedFailure } from './content/indexed-event.js';
import { type IndexGrouping, LineDecoder, type ReadableLines } from './event-groupers.js';

/** Options for `replayRecord`. */
export interface ReplayIntoIndexOptions {
  record: ReadableLines & Pick<RecordReader, 'replay'>;
  content: IndexContent;
  afterMicros: number;
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
  const { record, content, afterMicros, grouping, isKnown, afterCommit, onFault, onProgress, signal } = options;
  const { untilMicros = Number.POSITIVE_INFINITY, observe } = options;
  const reader = new LineDecoder(grouping, record);
  const slice = beginTimeSlice();
  let doneEvents = 0;
  let progressDueMs = performance.now() + PROGRESS_INTERVAL_MS;

  const readOrReport = (
    line: ReplayedLine,
    receivedAtMicros: number,
  ): IndexedFailure | DescribedFailure | undefined => {
    try {
      return reader.decode(line, receivedAtMicros);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
      observe?.(line, undefined);
      return undefined;
    }
  };

  const apply = async (commit: ReplayedCommit): Promise<void> => {
    const { receivedAtMicros } = commit;
    const events: IndexedEvent[] = [];
    const lines: ReplayedLine[] = [];
    for (const line of commit.events) {
      if (isKnown?.(line)) continue;
      let event = readOrReport(line, receivedAtMicros);
      if (event === undefined) continue;
      if (repeatsOf(event.payload.extra) !== undefined) {
        event = await reader.regroupRepeat(event, content.removed.beforeMicros);
      }
      observe?.(line, event.payload);
      const { partition, offset, bytes } = line;
      events.push({ event, partition, line: line.line, offset, bytes, receivedAtMicros });
      lines.push(line);
    }
    content.apply(events, (index) => {
      const line = lines[index];
      if (line === undefined) throw new RangeError('The described event is not in its commit.');
      return reader.describe(line, receivedAtMicros);
    });
    doneEvents += events.length;
  };

  for await (const commit of record.replay({ afterMicros, onDamage: onFault })) {
    if (signal?.aborted === true)
      throw new Fault('STORE_CLOSING', 'The store is closing and stopped replaying its record.', {
        retryable: true,
      });
    if (commit.receivedAtMicros > untilMicros) break;
    await apply(commit);
    await afterCommit?.();
    const nowMs = performance.now();
    if (nowMs >= progressDueMs) {
      onProgress?.({ doneEvents, totalEvents: undefined });
      progressDueMs = nowMs + PROGRESS_INTERVAL_MS;
    }
    if (slice.isOver) await slice.next();
  }
  if (doneEvents > 0) onProgress?.({ doneEvents, totalEvents: doneEvents });
}
