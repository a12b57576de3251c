import type { SourceState } from '../../../core/merged/source.js';
import { withShares } from '../../../core/storage/releases/summarize-release.js';
import type {
  IssueDetail,
  ReleaseDeploy,
  ReleaseHealth,
  Stats,
  Suggestions,
} from '../../../generated/reader-answers.js';
import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import { allowActions } from '../allow-actions.js';
import {
  type ArrayReader,
  createArrayReader,
  sampleIssueId,
  sampleRejected,
  sampleRelease,
  sampleSuggestion,
} from '../array-reader.js';
import { SHOP, shopEvents } from './shop-events.js';
import { shopIssues } from './shop-issues.js';
import { SHOP_NOW_MS } from './shop-time.js';

/** A shop with many failures, which accepts actions. */
export function openShop(): ArrayReader {
  const reader = allowActions(createArrayReader({ issues: shopIssues(), events: shopEvents(), nowMs: SHOP_NOW_MS }));
  const { getIssue, stats } = reader;
  reader.getIssue = async (issueId) => {
    const issue = await getIssue(issueId);
    return issue === undefined
      ? undefined
      : { ...issue, fingerprint_version: 2, basis: basisOf(reader, issue), related: relatedTo(reader, issue) };
  };
  reader.stats = async () => ({ ...(await stats()), events: reader.issues.reduce((sum, { count }) => sum + count, 0) });
  reader.histories.set(sampleIssueId(SHOP.checkout), [...HISTORY]);
  reader.suggested = SUGGESTED;
  reader.releases = [
    sampleRelease({
      ...{ name: 'v2.4.1', first_seen: '2026-11-20T20:00:00.000000000+00:00', events: 1_006, users: 212 },
      ...{ new_issues: 3, regressed_issues: 1, gone_issues: 4, released_at: '2026-11-20T19:50:00Z' },
      deploys: [deployTo('production', '2026-11-20T19:58:00Z'), deployTo('staging', '2026-11-20T16:00:00Z')],
      health: healthOf([1_200, 1_180, 300], [2, 31, 4]),
    }),
    sampleRelease({
      ...{ name: 'v2.4.0', first_seen: '2026-11-20T05:30:00.000000000+00:00', events: 2_880, users: 1_240 },
      ...{ new_issues: 2, gone_issues: 1, deploys: [deployTo('production', '2026-11-20T05:25:00Z')] },
      health: healthOf([900, 1_100, 1_150, 1_100], [0, 3, 1, 0]),
    }),
    sampleRelease({ name: 'v2.3.0', first_seen: '2026-11-19T21:30:00.000000000+00:00', events: 516 }),
  ];
  reader.since = [
    { kind: 'new', id: sampleIssueId(2), rate: 3, rate_before: 0 },
    { kind: 'new', id: sampleIssueId(6), rate: 2, rate_before: 0 },
    { kind: 'came_back', id: sampleIssueId(4), rate: 9, rate_before: 3.5 },
    { kind: 'more', id: sampleIssueId(1), rate: 268.4, rate_before: 2 },
    { kind: 'more', id: sampleIssueId(3), rate: 91, rate_before: 44 },
  ];
  return reader;
}

/** The shop in three sources, one of which does not respond. */
export function openShopOfThree(): ArrayReader {
  const reader = openShop();
  reader.sources = () => SOURCES;
  reader.rejected = SHOP_REJECTED;
  return reader;
}

/** The shop, read-only. */
export function openShopForReading(): ArrayReader {
  const reader = openShop();
  reader.canAct = false;
  return reader;
}

/** An empty store whose collector listens at two addresses. */
export function openEmptyStore(): ArrayReader {
  const reader = createArrayReader();
  reader.addresses = {
    events: ['http://localhost:4318/v1/events'],
    otlp: ['http://localhost:4318', 'grpc://localhost:4317'],
    sentry: ['http://565626d49d522e34de49f2b5665fdf31@localhost:4318/1'],
  };
  return reader;
}

function deployTo(environment: string, finished_at: string): ReleaseDeploy {
  return { environment, name: null, url: null, started_at: null, finished_at };
}

/** Sessions and crashes of consecutive hours. */
function healthOf(sessionsOf: readonly number[], crashedOf: readonly number[]): ReleaseHealth {
  const hours = sessionsOf.map((sessions, hour) => ({
    from: `2026-11-20T${18 + hour}:00:00.000000000+00:00`,
    sessions,
    crashed: crashedOf[hour] ?? 0,
  }));
  const [sessions, crashed] = [sessionsOf, crashedOf].map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const counts = {
    sessions: sessions ?? 0,
    errored: 0,
    crashed: crashed ?? 0,
    abnormal: 0,
    users: 0,
    crashed_users: 0,
  };
  return withShares({ ...counts, environments: [], hours });
}

/** The basis of the issue by the built-in rules. */
function basisOf(reader: ArrayReader, { issue_id, basis }: IssueDetail): IssueDetail['basis'] {
  const event = reader.events.find((one) => one.issue_id === issue_id);
  return event === undefined ? basis : computeFingerprint(event.raw.payload).basis;
}

function relatedTo({ issues }: ArrayReader, { issue_id, fingerprint }: IssueDetail): IssueDetail['related'] {
  const alike = issues.filter((one) => one.fingerprint === fingerprint && one.issue_id !== issue_id);
  return alike.map((one) => one.issue_id);
}

const SUGGESTED: Suggestions = {
  suggestions: [
    sampleSuggestion(1),
    sampleSuggestion(2, {
      service: 'stock-worker',
      pattern: 'job * was not acknowledged in time',
      varies: 'the word after `job`',
      values: ['restock-berlin', 'restock-漢字', 'pick'],
      values_total: 6,
      issues_total: 6,
      events_total: 96,
    }),
  ],
  decided: [
    {
      ...sampleSuggestion(3, { pattern: 'no handler for topic *' }),
      state: 'accepted',
      at: '2026-11-20T19:20:00Z',
      by: 'mia',
    },
    {
      ...sampleSuggestion(4, { pattern: 'failed to * the ledger file', issues_total: 5 }),
      state: 'dismissed',
      at: '2026-11-18T21:30:00Z',
      by: null,
    },
  ],
};

const HISTORY: IssueDetail['history'] = [
  { action: 'assign', actor: 'jonas', detail: 'mia', at: '2026-11-20T12:04:10Z', reason: null },
  {
    action: 'comment',
    actor: 'mia',
    detail: 'The price list of EUR was empty after the deploy.',
    at: '2026-11-20T12:31:00Z',
    reason: null,
  },
  {
    action: 'resolve',
    actor: 'mia',
    detail: 'v2.4.1',
    at: '2026-11-20T14:00:00Z',
    reason: 'prices are loaded at the start again',
  },
  { action: 'reopen', actor: null, detail: null, at: '2026-11-20T21:05:00Z', reason: null },
].map((entry, index) => ({
  ...entry,
  id: `action-${100 + index}`,
  issue_id: sampleIssueId(SHOP.checkout),
  undone: false,
}));

const SHOP_REJECTED = [
  sampleRejected(1, { rejected_at: '2026-11-20T21:33:58.102Z' }),
  sampleRejected(2, { rejected_at: '2026-11-20T21:33:41.870Z' }),
  sampleRejected(3, {
    rejected_at: '2026-11-20T21:12:09.004Z',
    code: 'MALFORMED_JSON',
    field: '',
    reason: 'no value after "app":',
  }),
];

/** What a collector says about itself. */
function shopStats(issues: number, events: number): Stats {
  const none = { filtered: 0, sampled: 0, refused: 0, reasons: {}, cuts: {}, lost_by_clients: {} };
  const sends = { oldest_age_ms: 0, lost: 0, retention_held: false };
  return {
    events,
    sampled: 0,
    issues,
    partitions: 1,
    raw_bytes: 14 * 1024 * 1024,
    checkpoint_lag_events: 0,
    removed: { events: 0, partitions: 0, raw_bytes: 0, before: null },
    dead_letters: { records: 12, bytes: 5_000, lost: 0 },
    grouping: { version: 2, newest_version: 2, key: '0123456789abcdef', is_current: true },
    directory: '/data',
    receivers: {
      events: { received: events + 12, stored: events, rejected: 12, ...none },
      otlp: { received: 0, stored: 0, rejected: 0, ...none },
    },
    endpoints: {},
    exporters: {
      webhook: {
        destination: 'hooks.slack.example',
        waiting: 0,
        sent: 14,
        failing: false,
        last_error: null,
        ...sends,
      },
      otlp_http: {
        destination: 'https://otel.example.com/v1/logs',
        waiting: 1_204,
        sent: 3_198,
        failing: true,
        last_error: { message: '503 Service Unavailable', at: '2026-11-20T21:30:00Z' },
        ...sends,
      },
    },
    retention: 'for 30 days, at most 10 GiB',
  };
}

const SOURCES: readonly SourceState[] = [
  {
    name: 'eu',
    address: 'http://faultline.eu.shop.example:4319',
    kind: 'connected',
    reason: undefined,
    sinceMs: undefined,
    stats: shopStats(25, 1_219_000),
    canAct: true,
  },
  {
    name: 'us',
    address: 'http://faultline.us.shop.example:4319',
    kind: 'lost',
    reason: 'No collector answers at http://faultline.us.shop.example:4319. Start one, or name another with --url.',
    sinceMs: SHOP_NOW_MS - 340_000,
    retryAtMs: SHOP_NOW_MS + 8_000,
    stats: shopStats(3, 12),
    canAct: false,
  },
  {
    name: 'archive',
    address: '/var/lib/faultline-2025',
    kind: 'connecting',
    reason: undefined,
    sinceMs: undefined,
    stats: undefined,
    canAct: undefined,
  },
];
