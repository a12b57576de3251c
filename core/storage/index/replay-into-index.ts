import { Fault } from '../../event/fault.js';
import type { EventId } from '../../event/ids.js';
import { repeatsOf } from '../../event/raw-payload.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { ReplayedCommit, ReplayedLine } from '../record/commits/replayed-commit.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import { type EventIdParts, parseEventId } from '../record/partitions/event-id.js';
import type { Partition } from '../record/partitions/partition-path.js';
import { decodeLineAt } from '../record/reader/decode-line-at.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { fingerprintOfRepeat } from './content/group-repeats.js';
import type { IndexContent } from './content/index-content.js';
import { type DescribedFailure, type IndexedEvent, type IndexedFailure, isDescribed } from './content/indexed-event.js';
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
  const { record, content, afterMicros, grouping, isKnown, afterCommit, onFault, onProgress, signal } = options;
  const { untilMicros = Number.POSITIVE_INFINITY, observe } = options;
  const findGrouper = createEventGroupers(grouping);
  const slice = beginTimeSlice();
  let doneEvents = 0;
  let progressDueMs = performance.now() + PROGRESS_INTERVAL_MS;

  /** Computes the fingerprint only if the stored one is missing or does not count. */
  const decodeOrReport = (line: ReplayedLine, receivedAtMicros: number): IndexedEvent['event'] | undefined => {
    try {
      // Read once: the getter slices the commit record.
      const { fingerprint } = line;
      const { keepsStored, grouper } = findGrouper(receivedAtMicros, fingerprint?.version);
      const payload = decodeLineAt(line, line.rawLine);
      const isKept = fingerprint !== undefined && keepsStored;
      return { payload, fingerprint: isKept ? fingerprint : grouper.fingerprint(payload) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
      observe?.(line, undefined);
      return undefined;
    }
  };

  /** A new issue needs a title, which is not stored; describing costs as much as grouping the event again. */
  const describe = (
    line: ReplayedLine,
    { fingerprint }: IndexedFailure,
    receivedAtMicros: number,
  ): DescribedFailure => {
    const { grouper } = findGrouper(receivedAtMicros, fingerprint.version);
    const payload = decodeLineAt(line, line.rawLine);
    const { title, culprit } = grouper.fingerprint(payload);
    // The fingerprint from arrival is on the record and wins.
    return { payload, fingerprint: { ...fingerprint, title, culprit } };
  };

  const apply = async (commit: ReplayedCommit): Promise<void> => {
    const { receivedAtMicros } = commit;
    const events: IndexedEvent[] = [];
    /** Issues that begin with this commit. */
    const newIssues = new Set<string>();
    for (const line of commit.events) {
      if (slice.isOver) await slice.next();
      if (isKnown?.(line)) continue;
      let event = decodeOrReport(line, receivedAtMicros);
      if (event === undefined) continue;
      if (repeatsOf(event.payload.extra) !== undefined) {
        event = await regroupRepeat({ findGrouper, record, content }, event, receivedAtMicros);
      }
      observe?.(line, event.payload);
      const { app, service } = event.payload;
      const { value } = event.fingerprint;
      if (content.issues.find(app, service, value) === undefined) {
        const issue = JSON.stringify([app, service, value]);
        if (!newIssues.has(issue) && !isDescribed(event)) event = describe(line, event, receivedAtMicros);
        newIssues.add(issue);
      }
      const { partition, offset, bytes } = line;
      events.push({ event, partition, line: line.line, offset, bytes, receivedAtMicros });
    }
    content.apply(events);
    doneEvents += events.length;
  };

  for await (const commit of record.replay({ afterMicros, among: options.among, onDamage: onFault })) {
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

interface RegroupSource {
  readonly findGrouper: FindGrouper;
  readonly record: ReplayableRecord;
  readonly content: IndexContent;
}

/**
 * Groups an event that repeats another, unless its fingerprint from arrival counts. It follows only events of the same hour, which retention
 * removes together, so that a rebuilt index groups it in the same way.
 */
async function regroupRepeat(
  source: RegroupSource,
  failure: IndexedEvent['event'],
  receivedAtMicros: number,
): Promise<IndexedEvent['event']> {
  const repeats = repeatsOf(failure.payload.extra);
  const id = repeats && parseEventId(repeats);
  if (repeats === undefined || id === undefined || !isDescribed(failure)) return failure;
  if (id.hour !== hourOfMicros(receivedAtMicros) || id.receivedAtMicros >= receivedAtMicros) return failure;
  const counted = await countingIssue(source, repeats, id);
  return counted === undefined ? failure : { ...failure, fingerprint: fingerprintOfRepeat(failure, counted) };
}

/** The issue of an event of the record that counts an occurrence; undefined if it repeats one or cannot be read. */
async function countingIssue(
  { findGrouper, record, content }: RegroupSource,
  eventId: EventId,
  { line, receivedAtMicros }: EventIdParts,
): Promise<IssueState | undefined> {
  try {
    const partition = await record.partitionOfId(eventId);
    const rawLine = partition && (await record.readLine(partition, line));
    if (partition === undefined || rawLine === undefined) return undefined;
    const payload = decodeLineAt({ partition, line }, rawLine);
    if (repeatsOf(payload.extra) !== undefined) return undefined;
    const { value } = findGrouper(receivedAtMicros, undefined).grouper.fingerprint(payload);
    return content.issues.find(payload.app, payload.service, value);
  } catch (error) {
    // The replay reports damage at the line itself.
    if (error instanceof Fault && error.code !== 'READER_CLOSED') return undefined;
    throw error;
  }
}
