import type { SinceKind } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { type EventId, type FingerprintValue, type IssueId, toEventId, toIssueId } from '../../core/event/ids.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { isNamelessError } from '../../core/fingerprint/main-error.js';
import type { SourcesReader } from '../../core/merged/source.js';
import { withoutEachTerm } from '../../core/query/without-terms.js';
import type {
  AutomaticChange,
  EventDetail,
  EventSummary,
  IssueCounts,
  IssueHistoryEntry,
  IssueSummary,
  RejectedRecord,
  ReleaseSummary,
  Releases,
  Stats,
  Suggestion,
  Suggestions,
} from '../../generated/reader-answers.js';
import { issueOrder } from '../helpers/issue-order.js';
import { serverPayload } from '../helpers/payloads.js';
import { matchingEvents, matchingIssues } from '../helpers/query-arrays.js';
import { summaryOfEvents } from '../helpers/summary-of-events.js';

/** A reader of a terminal over arrays, which a test may change at any time. */
export interface ArrayReader extends SourcesReader {
  issues: IssueSummary[];
  events: EventDetail[];
  receivers: Stats['receivers'];
  endpoints: Stats['endpoints'];
  exporters: NonNullable<Stats['exporters']>;
  addresses: NonNullable<Stats['addresses']>;
  rejected: RejectedRecord[];
  suggested: Suggestions;
  /** The one first seen last first. */
  releases: Releases['releases'];
  /** What `listIssuesSince` returns, whatever the times. */
  since: { kind: SinceKind; id: IssueId; rate: number; rate_before: number }[];
  /** The histories of issues by id. */
  readonly histories: Map<IssueId, IssueHistoryEntry[]>;
  /** Changes without an action, of issues by id. */
  readonly automatic: Map<IssueId, AutomaticChange[]>;
  /** Whether `access` allows actions; default: false. */
  canAct: boolean;
  /** Thrown by every call while it is set. */
  fault: Fault | undefined;
  /** Names of the calls, in order. */
  readonly calls: string[];
}

/** A release of which only events are known. */
export function sampleRelease(
  known: Pick<ReleaseSummary, 'name' | 'first_seen' | 'events'> & Partial<ReleaseSummary>,
): ReleaseSummary {
  const issues = { new_issues: 0, regressed_issues: 0, gone_issues: 0 };
  const calls = { created_at: null, released_at: null, url: null, commits: 0, deploys: [], health: null };
  return { last_seen: known.first_seen, users: 0, ...issues, ...calls, ...known };
}

/** Creates a reader over arrays, with the real query language; without `nowMs`, `last_seen` sorts by exact times. */
export function createArrayReader(
  given: { issues?: IssueSummary[]; events?: EventDetail[]; nowMs?: number } = {},
): ArrayReader {
  const respond = async <T>(call: string, make: () => T): Promise<T> => {
    reader.calls.push(call);
    if (reader.fault !== undefined) throw reader.fault;
    return make();
  };
  const countOf = (query: string, me: string | undefined): IssueCounts => {
    const matching = matchingIssues(reader.issues, query);
    const count = (fits: (issue: IssueSummary) => boolean): number => matching.filter(fits).length;
    return {
      all: matching.length,
      open: count(({ status }) => status === 'open'),
      review: count(({ status, ...one }) => status === 'open' && (one.regressed || one.spiking || one.is_new)),
      mine: count(({ status, assignee }) => status === 'open' && assignee === (me ?? '')),
      new: count(({ is_new }) => is_new),
      regressed: count(({ regressed }) => regressed),
      ignored: count(({ status }) => status === 'ignored'),
      resolved: count(({ status }) => status === 'resolved'),
      spiking: count(({ spiking }) => spiking),
    };
  };
  const reader: ArrayReader = {
    issues: given.issues ?? [],
    events: given.events ?? [],
    receivers: {},
    endpoints: {},
    exporters: {},
    addresses: {},
    rejected: [],
    suggested: { suggestions: [], decided: [] },
    releases: [],
    since: [],
    histories: new Map(),
    automatic: new Map(),
    canAct: false,
    fault: undefined,
    calls: [],
    listIssues: ({ query = '', sort = 'last_seen', limit = 50, cursor } = {}) =>
      respond('listIssues', () => {
        const matching = matchingIssues(reader.issues, query).sort(issueOrder(sort, given.nowMs));
        const page = pageBehind(matching, limit, cursor, ({ issue_id }) => issue_id);
        return { issues: page.rows, next_cursor: page.next, total: matching.length };
      }),
    countIssues: ({ query = '', me, terms = false } = {}) =>
      respond('countIssues', () => {
        const without = terms
          ? withoutEachTerm(query).map(({ term, others }) => ({ term, counts: countOf(others, me) }))
          : undefined;
        return { ...countOf(query, me), ...(without !== undefined && { without }) };
      }),
    listRejected: ({ query = '', limit = 50, cursor } = {}) =>
      respond('listRejected', () => {
        const matching = reader.rejected.filter((one) =>
          JSON.stringify(one).toLowerCase().includes(query.toLowerCase()),
        );
        const page = pageBehind(matching, limit, cursor, ({ id = '' }) => id);
        return { rejected: page.rows, next_cursor: page.next, damaged: 0 };
      }),
    listValues: ({ field, prefix = '', query = '', limit = 50 }) =>
      respond('listValues', () => {
        const matching = new Set(matchingIssues(reader.issues, query));
        const counts = new Map<string, number>();
        for (const issue of reader.issues) {
          const values = { ...issue, env: issue.environments, release: issue.releases }[field];
          for (const value of [values].flat()) {
            if (typeof value !== 'string' || !value.startsWith(prefix)) continue;
            counts.set(value, (counts.get(value) ?? 0) + (matching.has(issue) ? 1 : 0));
          }
        }
        const values = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
        return { values: values.slice(0, limit), total: values.length };
      }),
    listIssuesSince: ({ kind = 'new', limit = 50 }) =>
      respond('listIssuesSince', () => {
        const counts = { new: 0, came_back: 0, more: 0, quiet: 0 };
        for (const one of reader.since) counts[one.kind] += 1;
        const rows = reader.since.filter((one) => one.kind === kind).slice(0, limit);
        const issues = rows.flatMap(({ id, rate, rate_before }) => {
          const issue = reader.issues.find(({ issue_id }) => issue_id === id);
          return issue === undefined ? [] : [{ issue, rate, rate_before }];
        });
        return { issues, counts };
      }),
    getRelease: (name) =>
      respond('getRelease', () => {
        const release = reader.releases.find((one) => one.name === name);
        return release && { ...release, commit_list: [] };
      }),
    listReleases: ({ limit = 50 } = {}) =>
      respond('listReleases', () => ({ releases: reader.releases.slice(0, limit), total: reader.releases.length })),
    getIssue: (issueId) =>
      respond('getIssue', () => {
        const issue = reader.issues.find(({ issue_id }) => issue_id === issueId);
        if (issue === undefined) return undefined;
        const basis = { version: 1, rule: 'message', parts: [] };
        const history = reader.histories.get(issueId) ?? [];
        const automatic_history = reader.automatic.get(issueId) ?? [];
        return {
          ...issue,
          fingerprints: [issue.fingerprint],
          members: issue.merged.map((issue_id, index) => ({
            issue_id,
            title: `Member ${index}: <n> of them`,
            culprit: null,
            error_name: `Member ${index}`,
            message: `${index + 1}00 of them`,
            count: index + 1,
          })),
          fingerprint_version: 1,
          basis,
          history,
          automatic_history,
          related: [],
        };
      }),
    listEvents: (issueId, { query = '', limit = 50, cursor } = {}) =>
      respond('listEvents', () => {
        if (!reader.issues.some(({ issue_id }) => issue_id === issueId)) return undefined;
        const events = matchingEvents(
          reader.events.filter(({ issue_id }) => issue_id === issueId),
          reader.issues,
          query,
        ).toReversed();
        const page = pageOf(events.map(summaryOf), limit, cursor, ({ event_id }) => event_id);
        return { events: page.rows, next_cursor: page.next };
      }),
    summarizeEvents: (issueId, options = {}) =>
      respond('summarizeEvents', () => {
        const issue = reader.issues.find(({ issue_id }) => issue_id === issueId);
        const events = reader.events.filter(({ issue_id }) => issue_id === issueId);
        const matching = matchingEvents(events, reader.issues, options.query ?? '');
        return issue && { ...summaryOfEvents(issue, matching, { ...options, query: '' }), total: events.length };
      }),
    searchEvents: ({ query = '', limit = 50, cursor } = {}) =>
      respond('searchEvents', () => {
        const matching = matchingEvents(reader.events, reader.issues, query).toReversed();
        const page = pageOf(matching.map(summaryOf), limit, cursor, ({ event_id }) => event_id);
        const total = { events: reader.events.length, bytes: reader.events.length };
        return { events: page.rows, next_cursor: page.next, scanned: total, total, is_complete: page.next === null };
      }),
    getEvent: (eventId) => respond('getEvent', () => reader.events.find(({ event_id }) => event_id === eventId)),
    explain: () => Promise.reject(new Fault('EXPLAIN_NOT_FOUND', 'arrays are not explained')),
    suggestions: () => respond('suggestions', () => reader.suggested),
    stats: () =>
      respond('stats', () => ({
        events: reader.events.length,
        sampled: reader.issues.reduce((sum, { sampled }) => sum + sampled, 0),
        issues: reader.issues.length,
        partitions: 1,
        raw_bytes: 0,
        checkpoint_lag_events: 0,
        removed: { events: 0, partitions: 0, raw_bytes: 0, before: null },
        dead_letters: { records: reader.rejected.length, bytes: 0, lost: 0 },
        grouping: { version: 2, newest_version: 2, key: '0123456789abcdef', is_current: true },
        directory: '/data',
        receivers: reader.receivers,
        endpoints: reader.endpoints,
        exporters: reader.exporters,
        addresses: reader.addresses,
        retention: 'for 30 days, at most 10 GiB',
      })),
    access: () => respond('access', () => ({ actions: reader.canAct })),
    sources: () => [],
    ownersOf: () => [],
    async close() {},
  };
  return reader;
}

/** The page after the row that the cursor names. */
function pageBehind<Row>(rows: Row[], limit: number, cursor: string | undefined, nameOf: (row: Row) => string) {
  const from = cursor === undefined ? 0 : rows.findIndex((row) => nameOf(row) === cursor) + 1;
  const page = rows.slice(from, from + limit);
  const last = page.at(-1);
  return { rows: page, next: rows.length > from + limit && last !== undefined ? nameOf(last) : null };
}

/** The page after the position in the cursor; positions descend. */
function pageOf<Row>(rows: Row[], limit: number, cursor: string | undefined, placeOf: (row: Row) => string) {
  const after = cursor === undefined ? rows : rows.filter((row) => placeOf(row) < cursor);
  const page = after.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: after.length > limit && last !== undefined ? placeOf(last) : null };
}

const START_MS = Date.parse('2026-11-20T10:00:00Z');

/** The time this number of seconds after the start of the sample data. */
export function sampleTime(seconds: number): string {
  return new Date(START_MS + seconds * 1_000).toISOString().replace('Z', '000000+00:00');
}

export function sampleIssueId(number: number): IssueId {
  const id = toIssueId(`00000000-0000-5000-8000-${number.toString(16).padStart(12, '0')}`);
  if (id === undefined) throw new Error('not a UUID');
  return id;
}

export function sampleEventId(number: number): EventId {
  const id = toEventId(`019a3c5e-0000-7000-8000-${number.toString(16).padStart(12, '0')}`);
  if (id === undefined) throw new Error('not a UUID');
  return id;
}

const FINGERPRINT = 'c0ffee00c0ffee00c0ffee00c0ffee00' as FingerprintValue;

/** Issue n was last seen n seconds after the start. */
export function sampleIssue(number: number, changes: Partial<IssueSummary> = {}): IssueSummary {
  const { releases = ['v1.4.2'] } = changes;
  const { error_name: name = `Failure${number}`, message = `the number ${number} did not answer` } = changes;
  return {
    issue_id: sampleIssueId(number),
    fingerprint: FINGERPRINT,
    app: 'shop',
    service: 'api',
    title: isNamelessError(name) ? message : `${name}: ${message}`,
    culprit: 'CartService.setLine in cart-service.js',
    error_name: name,
    message,
    level: 'error',
    type: 'exception',
    status: 'open',
    regressed: false,
    is_new: false,
    spiking: false,
    assignee: null,
    snooze: null,
    snooze_left: null,
    resolved_in: null,
    state_at: null,
    state_by: null,
    merged: [],
    count: 1,
    sampled: 0,
    removed_events: 0,
    users: 0,
    first_seen: sampleTime(0),
    last_seen: sampleTime(number),
    environments: ['production'],
    releases,
    first_release: releases[0] ?? null,
    last_release: releases.at(-1) ?? null,
    regressed_in: null,
    trend: Array.from({ length: 24 }, () => 0),
    ...changes,
  };
}

/** Rejected payload n, n seconds before the start. */
export function sampleRejected(number: number, changes: Partial<RejectedRecord> = {}): RejectedRecord {
  return {
    id: String(number),
    rejected_at: sampleTime(-number),
    receiver: 'events',
    code: 'EVENT_INVALID',
    field: '/message',
    reason: 'must be a string',
    bytes: 71,
    payload: { message: 5, service: [], app: 1 },
    ...changes,
  };
}

/** A suggestion about the first issues. */
export function sampleSuggestion(number: number, changes: Partial<Suggestion> = {}): Suggestion {
  return {
    id: number.toString(16).padStart(16, '0'),
    purpose: 'join',
    app: 'shop',
    service: 'payments',
    pattern: 'unknown currency * of the card',
    varies: 'the word after `currency`',
    values: ['USD', 'CHF', 'EUR', 'GBP', 'zloty'],
    values_total: 14,
    issues_total: 14,
    issue_ids: Array.from({ length: 14 }, (_, index) => sampleIssueId(index + 1)),
    events_total: 12_345,
    rule: {
      name: 'unknown currency * of the card',
      query: 'service:payments app:shop type:CurrencyError message:"unknown currency * of the card"',
      fingerprint: ['{{ error_name }}', '{{ file }}', '{{ function }}', 'unknown currency * of the card'],
    },
    ...changes,
  };
}

/** Event n of an issue, n seconds after the start. */
export function sampleEvent(issueNumber: number, number: number, changes: Partial<RawPayload> = {}): EventDetail {
  const payload = serverPayload(changes);
  const { level, extra, timestamp: _timestamp, ...copied } = payload;
  const eventId = sampleEventId(number);
  return {
    event_id: eventId,
    issue_id: sampleIssueId(issueNumber),
    raw: { path: '/var/lib/faultline/raw/production/api/shop/2026/11/20/10/raw.ndjson', line: number, payload },
    normalized: {
      ...copied,
      event_id: eventId,
      fingerprint: FINGERPRINT,
      level: level ?? 'error',
      extra: extra ?? {},
      timestamp: sampleTime(number),
      type: 'exception',
    },
    notes: [],
  };
}

function summaryOf({ event_id, issue_id, normalized }: EventDetail): EventSummary {
  const { timestamp, level, type, app, service, env, error_name, message, route, method, status_code, release } =
    normalized;
  const { user_id, request_id, session_id, tags } = normalized;
  return {
    event_id,
    issue_id,
    timestamp,
    level,
    type,
    app,
    service,
    env,
    error_name,
    message: message.slice(0, 512),
    route,
    method,
    status_code,
    release,
    user_id,
    request_id,
    session_id,
    trace_id: tags['trace_id'] ?? null,
    tags,
  };
}
