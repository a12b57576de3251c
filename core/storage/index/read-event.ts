import { join } from 'node:path';
import type { EventDetail, EventReport, EventSummary } from '../../../generated/reader-answers.js';
import type { RawAddress, SenderOrigin } from '../../contract/stages.js';
import { Fault } from '../../event/fault.js';
import { fillPayload } from '../../event/fill-payload.js';
import type { EventId, IssueId } from '../../event/ids.js';
import { isJsonObject, ownValue } from '../../event/json.js';
import type { NormalizedEvent } from '../../event/normalized-event.js';
import type { EventNote } from '../../event/note.js';
import { listedMessage, type RawPayload } from '../../event/raw-payload.js';
import { cutText } from '../../event/text.js';
import { normalize } from '../../normalize/normalize.js';
import { createEventIds } from '../record/partitions/event-id.js';
import { RAW_FILE } from '../record/partitions/partition-path.js';
import { decodeLineAt } from '../record/reader/decode-line.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { IssueState } from './content/issue-state.js';
import type { EventRow } from './segments/event-segment.js';

/** Remembered lines; beyond them the memory starts over. */
const MAX_REPORTED = 1000;

/** Reports an unreadable raw line, unless it was reported before. */
export type ReportLine = (eventId: string, fault: Fault) => void;

export function createLineReport(onFault: (fault: Fault) => void): ReportLine {
  const reported = new Set<string>();
  return (eventId, fault) => {
    if (reported.has(eventId)) return;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.add(eventId);
    onFault(fault);
  };
}

/** An event of the index with its raw line. */
export interface ReadEvent {
  readonly eventId: EventId;
  readonly issueId: IssueId;
  readonly row: EventRow;
  /** As received. */
  readonly payload: RawPayload;
  /** With what the other reports of its occurrence know. */
  readonly normalized: NormalizedEvent;
  readonly notes: EventNote[];
  /** The other reports of its occurrence. */
  readonly others: readonly RawPayload[];
}

export function eventIdOf({ partition, receivedAtMicros, line }: EventRow): EventId {
  return createEventIds(partition, receivedAtMicros)(line);
}

/** What an event has from the issue that it is shown in. */
export type IssueOfEvent = Pick<IssueState, 'issueId' | 'fingerprint'>;

/** Reads an event from its raw line; undefined if the record lacks it. Rejects with `RAW_LINE_INVALID`. */
export async function readEvent(
  record: Pick<RecordReader, 'readAt'>,
  row: EventRow,
  issue: IssueOfEvent,
): Promise<ReadEvent | undefined> {
  const rawLine = await record.readAt(row.partition, row.offset, row.bytes);
  return rawLine && eventOfLine(row, rawLine, issue);
}

/** Parses an event from its raw line; throws `RAW_LINE_INVALID`, which names the line. */
export function eventOfLine(row: EventRow, rawLine: Uint8Array, issue: IssueOfEvent): ReadEvent {
  return eventOfPayload(row, decodeLineAt(row, rawLine), issue, []);
}

/** The event of a payload; `others` are those of the other reports of its occurrence. */
export function eventOfPayload(
  row: EventRow,
  payload: RawPayload,
  { issueId, fingerprint }: IssueOfEvent,
  others: readonly RawPayload[],
): ReadEvent {
  const eventId = eventIdOf(row);
  const receipt = { eventId, fingerprint, receivedAtMicros: row.receivedAtMicros };
  const { event, notes } = normalize(fillPayload(payload, others), receipt);
  return { eventId, issueId, row, payload, normalized: event, notes, others };
}

/** `RAW_LINE_MISSING`: the index names a raw line that the record lacks. */
export function rawLineMissing({ partition, line }: EventRow): Fault {
  const where = `${partition.folder}/${RAW_FILE}, line ${line}`;
  return new Fault(
    'RAW_LINE_MISSING',
    `${where} is gone. If the partition was removed, delete the folder "index" while no collector runs: its events are forgotten then.`,
  );
}

export function summarizeEvent({ eventId, issueId, row, normalized }: ReadEvent): EventSummary {
  return {
    event_id: eventId,
    issue_id: issueId,
    timestamp: normalized.timestamp,
    level: normalized.level,
    type: normalized.type,
    app: normalized.app,
    service: normalized.service,
    env: normalized.env,
    error_name: normalized.error_name,
    message: listedMessage(normalized.message),
    route: normalized.route,
    method: normalized.method,
    status_code: normalized.status_code,
    release: normalized.release,
    user_id: normalized.user_id,
    request_id: normalized.request_id,
    session_id: normalized.session_id,
    trace_id: normalized.tags['trace_id'] ?? null,
    tags: listedTags(normalized.tags),
    ...(row.weight !== 1 && { weight: row.weight }),
  };
}

const MAX_TAGS = 16;
/** UTF-16 units. */
const MAX_KEY = 64;
const MAX_VALUE = 128;

/** As many tags as a list has columns for: the same ones in each event with the same keys. */
function listedTags(tags: Readonly<Record<string, string>>): Record<string, string> {
  const keys = Object.keys(tags).filter((key) => key.length <= MAX_KEY);
  const listed = keys.sort().slice(0, MAX_TAGS);
  return Object.fromEntries(listed.map((key) => [key, cutText(tags[key] ?? '', MAX_VALUE)]));
}

/** Describes an event in full; `root` is the absolute path of the data folder, `reports` all those of its occurrence, each by itself. */
export function detailEvent(
  root: string,
  event: ReadEvent,
  { origin, reports }: { readonly origin: SenderOrigin | undefined; readonly reports: readonly ReadEvent[] },
): EventDetail {
  const { eventId, issueId, payload, normalized, notes } = event;
  return {
    event_id: eventId,
    issue_id: issueId,
    raw: { ...rawAddress(root, event), payload },
    normalized,
    notes,
    origin: origin ?? null,
    ...(reports.length > 1 && { reports: reports.map((report) => reportOf(root, report)) }),
  };
}

function reportOf(root: string, event: ReadEvent): EventReport {
  return { kind: kindOf(event.payload), raw: rawAddress(root, event), event: summarizeEvent(event) };
}

function rawAddress(root: string, { row }: ReadEvent): RawAddress {
  return { path: join(root, row.partition.folder, RAW_FILE), line: row.line };
}

/** How people call the reports of OTLP signals. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['log', 'log record'],
  ['span_event', 'span event'],
]);

function kindOf({ tags, extra }: RawPayload): string {
  const sentry = extra === null ? undefined : ownValue(extra, 'sentry');
  if (!isJsonObject(sentry)) return KINDS.get(tags['otlp.signal'] ?? '') ?? 'event';
  // Entries of log items have neither.
  return ['event_id', 'platform'].some((key) => Object.hasOwn(sentry, key)) ? 'Sentry event' : 'Sentry log';
}
