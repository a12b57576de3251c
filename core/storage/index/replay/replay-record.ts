import { Fault } from '../../../event/fault.js';
import { beginTimeSlice } from '../../../time-slice.js';
import type { ReplayedCommit, ReplayedLine } from '../../record/commits/replayed-commit.js';
import type { RecordReader } from '../../record/reader/record-reader.js';
import type { IndexContent } from '../content/index-content.js';
import type { DescribedFailure, IndexedEvent, IndexedFailure } from '../content/indexed-event.js';
import type { IndexGrouping } from './event-groupers.js';
import { LineReader } from './line-reader.js';

/** What is replayed into what. */
export interface ReplayOptions {
  record: Pick<RecordReader, 'replay'>;
  content: IndexContent;
  afterMicros: number;
  /** Commits received later are left for another time; default none. */
  untilMicros?: number;
  /** Groups the events for which it does not count what grouped them on arrival, or the record does not say; describes new issues. */
  grouping: IndexGrouping;
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

/** Takes the commits after an instant into the index, in order of arrival. */
export async function replayRecord(options: ReplayOptions): Promise<void> {
  const { record, content, afterMicros, grouping, isKnown, afterCommit, onFault, onProgress, signal } = options;
  const { untilMicros = Number.POSITIVE_INFINITY } = options;
  const reader = new LineReader(grouping);
  const slice = beginTimeSlice();
  let doneEvents = 0;
  let progressDueMs = performance.now() + PROGRESS_INTERVAL_MS;

  const readOrReport = (
    line: ReplayedLine,
    receivedAtMicros: number,
  ): IndexedFailure | DescribedFailure | undefined => {
    try {
      return reader.read(line, receivedAtMicros);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
      return undefined;
    }
  };

  const take = (commit: ReplayedCommit): void => {
    const { receivedAtMicros } = commit;
    const events: IndexedEvent[] = [];
    const lines: ReplayedLine[] = [];
    for (const line of commit.events) {
      if (isKnown?.(line)) continue;
      const event = readOrReport(line, receivedAtMicros);
      if (event === undefined) continue;
      const { partition, offset, bytes } = line;
      events.push({ event, partition, line: line.line, offset, bytes, receivedAtMicros });
      lines.push(line);
    }
    content.apply(events, (place) => {
      const line = lines[place];
      if (line === undefined) throw new RangeError('An event is described that is no part of its commit.');
      return reader.describe(line, receivedAtMicros);
    });
    doneEvents += events.length;
  };

  for await (const commit of record.replay({ afterMicros, onDamage: onFault })) {
    if (signal?.aborted === true)
      throw new Fault('STORE_CLOSING', 'The store was told to close while it replayed its record.', {
        retryable: true,
      });
    if (commit.receivedAtMicros > untilMicros) break;
    take(commit);
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
