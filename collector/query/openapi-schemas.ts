import type { JsonObject } from '../../core/event/json.js';
import { RAW_PAYLOAD_KEYS } from '../../core/event/raw-payload.js';

const text = { type: 'string' };
const nullableText = { type: ['string', 'null'] };
const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 0 };
const uuid = { type: 'string', format: 'uuid' };
const fingerprint = { type: 'string', pattern: '^[0-9a-f]{32}$' };
const timestamp = {
  type: 'string',
  description: 'UTC with nanoseconds, for example 2026-11-21T10:00:00.000000000+00:00.',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{9}\\+00:00$',
};
const counts = { type: 'object', additionalProperties: count };
const tags = { type: 'object', additionalProperties: text };
const nextCursor = { type: ['string', 'null'], description: 'Opaque; null on the last page.' };

const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const schema = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
/** An object whose keys are always all there. */
const record = (properties: JsonObject): JsonObject => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const issueSummary: JsonObject = {
  issue_id: uuid,
  fingerprint,
  app: text,
  service: text,
  title: { ...text, description: 'Error name and parameterized message of the first event.' },
  culprit: { ...nullableText, description: 'Function and file of the frame that decided the grouping.' },
  error_name: text,
  message: text,
  level: text,
  type: text,
  status: { type: 'string', enum: ['open', 'resolved', 'ignored'] },
  regressed: { ...flag, description: 'True on an open issue that came back after it had been resolved.' },
  count,
  removed_events: { ...count, description: 'Events that retention removed; `count` is without them.' },
  first_seen: timestamp,
  last_seen: timestamp,
  environments: list(text),
  releases: list(text),
  trend: {
    ...list(count),
    description: 'Events per hour of the last 24 hours, oldest first.',
    minItems: 24,
    maxItems: 24,
  },
};

const copiedFields: JsonObject = {
  app: text,
  env: text,
  error_name: text,
  message: text,
  method: nullableText,
  release: nullableText,
  request_id: nullableText,
  route: text,
  service: text,
  session_id: nullableText,
  stack: nullableText,
  status_code: { type: ['integer', 'null'] },
  tags,
  user_id: nullableText,
};

/** The shapes of `core/reader.ts` as JSON Schema 2020-12, by the names under which the document refers to them. */
export const OPENAPI_SCHEMAS: JsonObject = {
  IssueSummary: record(issueSummary),
  IssuePage: record({ issues: list(schema('IssueSummary')), next_cursor: nextCursor, total: count }),
  IssueDetail: record({
    ...issueSummary,
    fingerprint_version: count,
    basis: schema('FingerprintBasis'),
    history: list(schema('IssueHistoryEntry')),
    related: list(uuid),
  }),
  FingerprintBasis: record({ version: count, rule: text, parts: list(schema('BasisPart')) }),
  BasisPart: record({ part: text, used: flag, value: {}, reason: text }),
  IssueHistoryEntry: record({ at: { type: 'string' }, action: text, actor: nullableText, detail: nullableText }),
  EventSummary: record({
    event_id: uuid,
    issue_id: uuid,
    timestamp,
    level: text,
    type: text,
    app: text,
    service: text,
    env: text,
    error_name: text,
    message: text,
    route: text,
    method: nullableText,
    status_code: { type: ['integer', 'null'] },
    release: nullableText,
    user_id: nullableText,
    request_id: nullableText,
  }),
  EventPage: record({ events: list(schema('EventSummary')), next_cursor: nextCursor }),
  EventDetail: record({
    event_id: uuid,
    issue_id: uuid,
    raw: record({ path: text, line: count, payload: schema('RawPayload') }),
    normalized: schema('NormalizedEvent'),
    notes: list(schema('EventNote')),
  }),
  EventNote: record({ code: text, field: text, reason: text }),
  RawPayload: {
    ...record({ ...copiedFields, extra: { type: ['object', 'null'] }, level: nullableText, timestamp: nullableText }),
    required: [...RAW_PAYLOAD_KEYS],
  },
  NormalizedEvent: record({
    ...copiedFields,
    event_id: uuid,
    extra: { type: 'object' },
    fingerprint,
    level: text,
    timestamp,
    type: { type: 'string', enum: ['log', 'exception'] },
  }),
  Stats: record({
    events: count,
    issues: count,
    partitions: count,
    raw_bytes: count,
    checkpoint_lag_events: count,
    removed: record({
      events: count,
      partitions: count,
      raw_bytes: count,
      before: { ...nullableText, description: 'Everything received before this instant was removed.' },
    }),
    dead_letters: record({ records: count, bytes: count, lost: count }),
    directory: text,
    receivers: { type: 'object', additionalProperties: schema('ReceiverLedger') },
  }),
  ReceiverLedger: {
    ...record({
      received: count,
      stored: count,
      rejected: count,
      filtered: count,
      sampled: count,
      refused: count,
      reasons: counts,
      cuts: counts,
      lost_by_clients: counts,
    }),
    description: 'received = stored + rejected + filtered + sampled + refused.',
  },
  Problem: {
    type: 'object',
    description: 'RFC 9457, with a stable code.',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: { type: text, title: text, status: count, detail: text, code: text, parameter: text, column: count },
  },
};
