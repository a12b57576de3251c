import type { NormalizedEvent } from '../../core/event/normalized-event.js';
import type { EventNote } from '../../core/event/note.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import type { EventDetail, EventPage, EventSearchPage, EventSummary, ScanExtent } from '../../core/reader.js';
import { isBoolean, isNumber, isOneOf, isString, listOf, mapOf, orNull, recordOf, type Shape } from './check.js';
import { isEventId, isFingerprint, isIssueId, isJsonObject, isText } from './value-checks.js';

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

/** `GET /issues/{issue_id}/events`. */
export const isEventPage = recordOf<EventPage>({ events: listOf(recordOf(EVENT_SUMMARY)), next_cursor: isText });

const isScanExtent = recordOf<ScanExtent>({ events: isNumber, bytes: isNumber });

/** `GET /events`. */
export const isEventSearchPage = recordOf<EventSearchPage>({
  events: listOf(recordOf(EVENT_SUMMARY)),
  next_cursor: isText,
  scanned: isScanExtent,
  total: isScanExtent,
  is_complete: isBoolean,
});

/** `GET /events/{event_id}`. */
export const isEventDetail = recordOf<EventDetail>({
  event_id: isEventId,
  issue_id: isIssueId,
  raw: recordOf<EventDetail['raw']>({ path: isString, line: isNumber, payload: isRawPayload }),
  normalized: isNormalizedEvent,
  notes: listOf(isNote),
});
