import { setImmediate as nextMacrotask } from 'node:timers/promises';
import { Fault } from '../../event/fault.js';
import type { EventId } from '../../event/ids.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import type { CommittedEvent } from '../committed-event.js';
import { decodeLineAt } from '../decode-line-at.js';
import { createEventIds } from '../record/event-id.js';
import type { Partition } from '../record/partition.js';
import type { RecordReader, ReplayedCommit, ReplayedLine } from '../record/record-reader.js';
import type { IndexContent } from './index-content.js';

/** What is replayed into what. */
export interface ReplayOptions {
  record: Pick<RecordReader, 'replay'>;
  content: IndexContent;
  afterMicros: number;
  /** Commits received later are left for another time; default none. */
  untilMicros?: number;
  /** Groups the events again. */
  fingerprint: (payload: RawPayload) => Fingerprint;
  /** Lines that the index already holds; default none. */
  isKnown?: (line: ReplayedLine) => boolean;
  /** Called after each commit, which waits for it. */
  afterCommit?: () => Promise<void>;
  /** Called with the events taken so far, at most ten times a second and at the end. */
  onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Called with `RECORD_DAMAGED` or `RAW_LINE_INVALID` for what could not be taken. */
  onFault: (fault: Error) => void;
}

/** How far a replay is; the total is not known beforehand. */
export interface ReplayProgress {
  doneEvents: number;
  totalEvents: number | undefined;
}

/** Time that replay may take before others get their turn. */
const MAX_TURN_MS = 5;
const PROGRESS_INTERVAL_MS = 100;

/** Takes the commits after an instant into the index, in order of arrival. */
export async function replayRecord(options: ReplayOptions): Promise<void> {
  const { record, content, afterMicros, onFault, onProgress, untilMicros = Number.POSITIVE_INFINITY } = options;
  let doneEvents = 0;
  let turnEndsMs = performance.now() + MAX_TURN_MS;
  let progressDueMs = performance.now() + PROGRESS_INTERVAL_MS;
  for await (const commit of record.replay({ afterMicros, onDamage: onFault })) {
    if (commit.receivedAtMicros > untilMicros) break;
    const events = committedEvents(commit, options);
    content.apply(events);
    doneEvents += events.length;
    await options.afterCommit?.();
    if (performance.now() >= progressDueMs) {
      onProgress?.({ doneEvents, totalEvents: undefined });
      progressDueMs = performance.now() + PROGRESS_INTERVAL_MS;
    }
    if (performance.now() >= turnEndsMs) {
      await nextMacrotask();
      turnEndsMs = performance.now() + MAX_TURN_MS;
    }
  }
  if (doneEvents > 0) onProgress?.({ doneEvents, totalEvents: doneEvents });
}

function committedEvents(commit: ReplayedCommit, options: ReplayOptions): CommittedEvent[] {
  const events: CommittedEvent[] = [];
  const idsOf = new Map<Partition, (line: number) => EventId>();
  for (const line of commit.events) {
    if (options.isKnown?.(line)) continue;
    const payload = readPayload(line, options.onFault);
    if (payload === undefined) continue;
    const { receivedAtMicros } = commit;
    const idOf = idsOf.get(line.partition) ?? createEventIds(line.partition, receivedAtMicros);
    idsOf.set(line.partition, idOf);
    events.push({
      eventId: idOf(line.line),
      event: { payload, fingerprint: options.fingerprint(payload) },
      partition: line.partition,
      line: line.line,
      offset: line.offset,
      bytes: line.bytes,
      receivedAtMicros,
    });
  }
  return events;
}

function readPayload(line: ReplayedLine, onFault: (fault: Error) => void): RawPayload | undefined {
  try {
    return decodeLineAt(line, line.rawLine);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    onFault(error);
    return undefined;
  }
}
