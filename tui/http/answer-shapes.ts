import { type FingerprintValue, toEventId, toIssueId } from '../../core/event/ids.js';
import type { JsonObject, JsonValue } from '../../core/event/json.js';
import type { NormalizedEvent } from '../../core/event/normalized-event.js';
import type { EventNote } from '../../core/event/note.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import type { FingerprintBasis } from '../../core/fingerprint/fingerprint.js';
import type {
  DeadLetterStats,
  EventDetail,
  EventPage,
  EventSummary,
  IssueDetail,
  IssuePage,
  IssueSummary,
  ReceiverLedger,
  RemovedStats,
  Stats,
} from '../../core/reader.js';
import {
  type Check,
  isBoolean,
  isNumber,
  isObject,
  isOneOf,
  isParsed,
  isString,
  listOf,
  mapOf,
  orNull,
  recordOf,
  type Shape,
} from './check.js';

const FINGERPRINT = /^[0-9a-f]{32}$/;

const isIssueId = isParsed(toIssueId, 'a UUID');
const isEventId = isParsed(toEventId, 'a UUID');
const isFingerprint: Check<FingerprintValue> = (value, at, mismatch): value is FingerprintValue =>
  (typeof value === 'string' && FINGERPRINT.test(value)) || mismatch.at(at, '32 hexadecimal characters');
const isJsonObject: Check<JsonObject> = (value, at, mismatch): value is JsonObject =>
  isObject(value) || mismatch.at(at, 'an object');
/** Whatever `JSON.parse` makes is a JSON value; only an absent key is none. */
const isJsonValue: Check<JsonValue> = (value, at, mismatch): value is JsonValue =>
  value !== undefined || mismatch.at(at, 'present');
const isText = orNull(isString);

const ISSUE_SUMMARY: Shape<IssueSummary> = {
  issue_id: isIssueId,
  fingerprint: isFingerprint,
  app: isString,
  service: isString,
  title: isString,
  culprit: isText,
  error_name: isString,
  message: isString,
  level: isString,
  type: isString,
  status: isOneOf('open', 'resolved', 'ignored'),
  regressed: isBoolean,
  count: isNumber,
  removed_events: isNumber,
  first_seen: isString,
  last_seen: isString,
  environments: listOf(isString),
  releases: listOf(isString),
  trend: listOf(isNumber),
};

const isBasis = recordOf<FingerprintBasis>({
  version: isNumber,
  rule: isString,
  parts: listOf(recordOf({ part: isString, used: isBoolean, value: isJsonValue, reason: isString })),
});

const EVENT_SUMMARY: Shape<EventSummary> = {
  event_id: isEventId,
  issue_id: isIssueId,
  timestamp: isString,
  level: isString,
  type: isString,
  app: isString,
  service: isString,
  env: isString,
  error_name: isString,
  message: isString,
  route: isString,
  method: isText,
  status_code: orNull(isNumber),
  release: isText,
  user_id: isText,
  request_id: isText,
};

const isRawPayload = recordOf<RawPayload>({
  app: isString,
  env: isString,
  error_name: isString,
  extra: orNull(isJsonObject),
  level: isText,
  message: isString,
  method: isText,
  release: isText,
  request_id: isText,
  route: isString,
  service: isString,
  session_id: isText,
  stack: isText,
  status_code: orNull(isNumber),
  tags: mapOf(isString),
  timestamp: isText,
  user_id: isText,
});

const isNormalizedEvent = recordOf<NormalizedEvent>({
  app: isString,
  env: isString,
  error_name: isString,
  event_id: isEventId,
  extra: isJsonObject,
  fingerprint: isFingerprint,
  level: isString,
  message: isString,
  method: isText,
  release: isText,
  request_id: isText,
  route: isString,
  service: isString,
  session_id: isText,
  stack: isText,
  status_code: orNull(isNumber),
  tags: mapOf(isString),
  timestamp: isString,
  type: isOneOf('log', 'exception'),
  user_id: isText,
});

const isNote = recordOf<EventNote>({ code: isString, field: isString, reason: isString });

/** `GET /issues`. */
export const isIssuePage = recordOf<IssuePage>({
  issues: listOf(recordOf(ISSUE_SUMMARY)),
  next_cursor: isText,
  total: isNumber,
});

/** `GET /issues/{issue_id}`. */
export const isIssueDetail = recordOf<IssueDetail>({
  ...ISSUE_SUMMARY,
  fingerprint_version: isNumber,
  basis: isBasis,
  history: listOf(recordOf({ at: isString, action: isString, actor: isText, detail: isText })),
  related: listOf(isIssueId),
});

/** `GET /issues/{issue_id}/events`. */
export const isEventPage = recordOf<EventPage>({ events: listOf(recordOf(EVENT_SUMMARY)), next_cursor: isText });

/** `GET /events/{event_id}`. */
export const isEventDetail = recordOf<EventDetail>({
  event_id: isEventId,
  issue_id: isIssueId,
  raw: recordOf<EventDetail['raw']>({ path: isString, line: isNumber, payload: isRawPayload }),
  normalized: isNormalizedEvent,
  notes: listOf(isNote),
});

/** `GET /stats`. */
export const isStats = recordOf<Stats>({
  events: isNumber,
  issues: isNumber,
  partitions: isNumber,
  raw_bytes: isNumber,
  checkpoint_lag_events: isNumber,
  removed: recordOf<RemovedStats>({ events: isNumber, partitions: isNumber, raw_bytes: isNumber, before: isText }),
  dead_letters: recordOf<DeadLetterStats>({ records: isNumber, bytes: isNumber, lost: isNumber }),
  directory: isString,
  receivers: mapOf(
    recordOf<ReceiverLedger>({
      received: isNumber,
      stored: isNumber,
      rejected: isNumber,
      filtered: isNumber,
      sampled: isNumber,
      refused: isNumber,
      reasons: mapOf(isNumber),
      cuts: mapOf(isNumber),
      lost_by_clients: mapOf(isNumber),
    }),
  ),
});
