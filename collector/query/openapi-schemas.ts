import type { JsonObject } from '../../core/event/json.js';
import { RAW_PAYLOAD_KEYS } from '../../core/event/raw-payload.js';
import { ACTION_REQUEST_SCHEMA } from './openapi-actions.js';

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
  is_new: { ...flag, description: 'True on an open issue whose first event was received within the last 24 hours.' },
  spiking: { ...flag, description: 'True where the last hour brought more events than its own past explains.' },
  assignee: nullableText,
  snooze: { ...nullableText, description: 'What ends an ignored state: until:2026-12-24T10:00:00Z, 100x, 100x/1h.' },
  resolved_in: { ...nullableText, description: 'The release that a resolution waits for: its name, or `next`.' },
  merged: { ...list(uuid), description: 'Issues that were merged into this one.' },
  count: { ...count, description: 'Its events: those that are stored, and those for which these stand.' },
  sampled: {
    ...count,
    description: 'How many of `count` were received and not stored; 0 unless a processor samples.',
  },
  removed_events: { ...count, description: 'Events that retention removed; `count` is without them.' },
  users: {
    ...count,
    description: 'Distinct `user_id`s of its events: exact below 128, then an estimate (standard error 8.9 %).',
  },
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
  IssueCounts: {
    ...record({
      all: count,
      open: count,
      new: count,
      regressed: count,
      ignored: count,
      resolved: count,
      spiking: count,
    }),
    description: 'Each issue counts under every name that fits: new and regressed ones are open too.',
  },
  IssueDetail: record({
    ...issueSummary,
    fingerprints: { ...list(fingerprint), description: 'Of all its members, the one that stays first.' },
    fingerprint_version: count,
    basis: schema('FingerprintBasis'),
    history: list(schema('IssueHistoryEntry')),
    related: list(uuid),
  }),
  FingerprintBasis: record({ version: count, rule: text, parts: list(schema('BasisPart')) }),
  BasisPart: record({ part: text, used: flag, value: {}, reason: text }),
  GroupingComparison: record({
    same: { ...flag, description: 'Whether both are shown as one issue.' },
    a: schema('ComparedEvent'),
    b: schema('ComparedEvent'),
    equal: list(record({ part: text, value: {}, used: flag })),
    differ: list(record({ part: text, a: {}, b: {}, used_a: flag, used_b: flag, reason_a: text, reason_b: text })),
    suggestion: {
      description: 'A rule that was tried on both and does what it says; null where none does or none is needed.',
      anyOf: [schema('RuleSuggestion'), { type: 'null' }],
    },
    note: { ...nullableText, description: 'What the parts do not tell, for example a merge.' },
  }),
  ComparedEvent: record({
    id: { ...uuid, description: 'What was asked for.' },
    event_id: uuid,
    issue_id: { ...uuid, description: 'The issue that shows it.' },
    app: text,
    service: text,
    fingerprint,
    version: count,
    title: text,
    culprit: nullableText,
    rule: text,
  }),
  RuleSuggestion: record({
    purpose: { type: 'string', enum: ['join', 'separate'] },
    rule: schema('GroupingRule'),
    place: { type: 'string', enum: ['first', 'last'], description: 'Where it has to stand among the rules.' },
    why: text,
    also: nullableText,
  }),
  GroupingRule: {
    type: 'object',
    description: 'As under `grouping.rules` of a configuration.',
    required: ['name', 'query'],
    properties: {
      name: text,
      query: text,
      fingerprint: list(text),
      ignore_frames: list(schema('FrameMatcher')),
      in_app: list(schema('FrameMatcher')),
      not_in_app: list(schema('FrameMatcher')),
      patterns_off: list(text),
      patterns_on: list(text),
      split_by: list(text),
    },
  },
  FrameMatcher: { type: 'object', properties: { function: text, module: text, file: text } },
  IssueHistoryEntry: record({
    id: { ...text, description: 'Of the action; `undo` names it.' },
    issue_id: { ...uuid, description: 'The issue that it was taken on.' },
    at: { type: 'string' },
    action: text,
    actor: nullableText,
    detail: nullableText,
    reason: nullableText,
    undone: { ...flag, description: 'True where a later `undo` took it out.' },
  }),
  ActionRequest: ACTION_REQUEST_SCHEMA,
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
  EventsSummary: record({
    histogram: {
      ...record({
        from: timestamp,
        to: timestamp,
        counts: { ...list(count), minItems: 1, maxItems: 240 },
        is_complete: { ...flag, description: 'Whether all events that match are in it.' },
      }),
      description: 'Events in parts of the same length from `from` up to, and without, `to`.',
    },
    facets: list(
      record({
        field: { ...text, description: 'As a query writes it.' },
        values: {
          ...list(record({ value: text, count })),
          maxItems: 10,
          description: 'The most frequent, descending.',
        },
        others: { ...count, description: 'Events with another value.' },
        without: { ...count, description: 'Events that have none.' },
      }),
    ),
    looked_at: { ...count, description: 'Events that were examined for the facets, newest first.' },
    matched: { ...count, description: 'Those of them that match.' },
    total: { ...count, description: 'Events of the issue that are stored.' },
  }),
  EventSearchPage: record({
    events: list(schema('EventSummary')),
    next_cursor: { ...nextCursor, description: 'Opaque; null when everything was looked at.' },
    scanned: { ...schema('ScanExtent'), description: 'What this page and those before it looked at.' },
    total: { ...schema('ScanExtent'), description: 'What there was to look at when the first page was asked for.' },
    is_complete: flag,
  }),
  ScanExtent: record({ events: count, bytes: count }),
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
    sampled: { ...count, description: 'Events that were received and not stored; issues count them.' },
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
    grouping: record({ version: count, newest_version: count, key: text, is_current: flag }),
    directory: text,
    receivers: { type: 'object', additionalProperties: schema('ReceiverLedger') },
    endpoints: {
      type: 'object',
      additionalProperties: text,
      description: 'By receiver id: the URL at which it takes what is sent.',
    },
    exporters: {
      type: 'object',
      additionalProperties: schema('ExporterStats'),
      description: 'By exporter id: those that send what is stored.',
    },
  }),
  ExporterStats: record({
    destination: text,
    waiting: { ...count, description: 'Events that it has not sent yet.' },
    oldest_age_ms: { ...count, description: 'Since the oldest of them was received.' },
    sent: count,
    lost: { ...count, description: 'Refused, given up, unreadable, or removed by retention before their turn.' },
    retention_held: { ...flag, description: 'Whether retention keeps events for it.' },
    failing: { ...flag, description: 'Whether it does not get on now.' },
    last_error: { ...record({ message: text, at: text }), type: ['object', 'null'] },
  }),
  Access: record({ actions: { ...flag, description: 'Whether issues may be acted on.' } }),
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
    properties: {
      type: text,
      title: text,
      status: count,
      detail: text,
      code: text,
      parameter: text,
      column: count,
      field: text,
      errors: list(record({ field: text, detail: text })),
    },
  },
};
