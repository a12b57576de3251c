import { computeFingerprint } from '../../../core/fingerprint/compute-fingerprint.js';
import type { IssueDetail, IssueSummary } from '../../../core/reader.js';
import type { SourceState } from '../../../tui/sources/source-state.js';
import { letAct } from '../acting-arrays.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId, sampleTime } from '../array-reader.js';
import { SHOP, shopEvents, shopFingerprint } from './shop-events.js';
import { SHOP_NOW_MS, SHOP_NOW_SECONDS } from './shop-time.js';

type Row = readonly [
  service: string,
  level: string,
  errorName: string,
  message: string,
  count: number,
  users: number,
  firstMinutesAgo: number,
  lastMinutesAgo: number,
  changes: Partial<IssueSummary>,
];

const DAY = 24 * 60;
const SPIKE = [...Array.from({ length: 12 }, () => 0), 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 40];
const DAILY = [4, 3, 2, 1, 0, 0, 1, 3, 8, 14, 21, 24, 23, 25, 26, 24, 22, 19, 17, 15, 12, 9, 7, 5];
const FADING = [60, 44, 31, 25, 16, 12, 9, 6, 4, 3, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const STEADY = Array.from({ length: 24 }, (_, hour) => 30 + (hour % 3));

/** The issues from number 1 on, in four services, in every state. */
const ROWS: readonly Row[] = [
  [
    'api',
    'error',
    'TypeError',
    "Cannot read properties of undefined (reading 'total')",
    60,
    23,
    685,
    0.1,
    {
      spiking: true,
      trend: SPIKE,
      environments: ['canary', 'production'],
      releases: ['v2.4.0', 'v2.4.1'],
      culprit: 'orderTotal in order-total.js',
      assignee: 'mia',
    },
  ],
  [
    'payments',
    'critical',
    'com.shop.payments.LedgerException',
    'entry <n> was not posted',
    4,
    0,
    117,
    72,
    {
      is_new: true,
      releases: ['payments-1.19.0'],
      culprit: 'Ledger.post in Ledger.java',
      merged: [sampleIssueId(0x99)],
    },
  ],
  [
    'frontend',
    'error',
    'RenderError',
    '漢字のカート 🛒👩‍👩‍👧 🇩🇪 سلة التسوق',
    1,
    1,
    22,
    22,
    { is_new: true, culprit: 'render in カート-4f2a.js' },
  ],
  [
    'stock-worker',
    'warning',
    'ExportError',
    'the export was refused: row <n> of the export has no price, no name and no place',
    1,
    0,
    21,
    21,
    { is_new: true, culprit: null },
  ],
  ['api', 'error', 'ValidationError', 'quantity <n> of <id> exceeds the limit', 1, 1, 3, 3, { is_new: true }],
  [
    'payments',
    'critical',
    'PoolTimeoutError',
    'no connection to the ledger within <n> ms',
    290,
    118,
    2 * DAY,
    4,
    {
      regressed: true,
      trend: DAILY,
      assignee: 'jonas',
      releases: ['payments-1.18.2', 'payments-1.19.0'],
      culprit: 'Pool.take in pool.js',
    },
  ],
  [
    'payments',
    'warning',
    'CardDeclinedError',
    'issuer declined <id>: insufficient funds',
    12_970,
    8_114,
    40 * DAY,
    1,
    { trend: STEADY, environments: ['canary', 'production', 'staging'] },
  ],
  [
    'frontend',
    'error',
    'ChunkLoadError',
    'Loading chunk <n> failed: https://cdn.shop.example/assets/chunk-<hash>.js',
    1_193,
    902,
    12 * DAY,
    2,
    { trend: DAILY, culprit: 'loadChunk in runtime.js' },
  ],
  [
    'frontend',
    'error',
    'FetchError',
    'GET <url> timed out after <n> ms',
    668,
    431,
    9 * DAY,
    6,
    { trend: DAILY, assignee: 'mia' },
  ],
  [
    'stock-worker',
    'critical',
    'PanicError',
    'stock of <n> fell to -<n>',
    168,
    0,
    5 * DAY,
    9,
    { regressed: true, trend: FADING, culprit: 'Reserve in stock.go', releases: ['worker-88'] },
  ],
  [
    'stock-worker',
    'error',
    'amqp.ConnectionClosed',
    'CONNECTION_FORCED - broker forced connection closure',
    77,
    0,
    8 * DAY,
    31,
    { trend: FADING, releases: ['worker-87', 'worker-88'] },
  ],
  [
    'api',
    'warning',
    'RateLimitError',
    'too many requests of <ip>',
    1_204_113,
    20_331,
    200 * DAY,
    0.2,
    { trend: STEADY.map((count) => count * 90) },
  ],
  [
    'api',
    'error',
    'QueryFailedError',
    'duplicate key value violates unique constraint "orders_number_key"',
    41,
    12,
    3 * DAY,
    55,
    { assignee: 'a-very-long-name-of-a-team' },
  ],
  [
    'frontend',
    'info',
    'SecurityError',
    "Failed to read the 'localStorage' property from 'Window': access is denied for this document",
    114,
    97,
    20 * DAY,
    63,
    {},
  ],
  [
    'api',
    'fatal',
    'OutOfMemoryError',
    'heap of <n> MB is full',
    3,
    0,
    1 * DAY - 30,
    190,
    { is_new: true, environments: ['staging'] },
  ],
  [
    'api',
    'debug',
    'SlowQueryWarning',
    'select from orders took <n> ms',
    980,
    0,
    30 * DAY,
    240,
    { status: 'ignored', snooze: 'until:2026-12-24T10:00:00Z' },
  ],
  [
    'payments',
    'warning',
    'WebhookError',
    'webhook <id> was answered with <n>',
    55,
    0,
    10 * DAY,
    300,
    { status: 'ignored', snooze: '100x/1h' },
  ],
  [
    'frontend',
    'warning',
    'ResizeObserverError',
    'ResizeObserver loop completed with undelivered notifications',
    5_512,
    3_008,
    90 * DAY,
    12,
    { status: 'ignored' },
  ],
  [
    'frontend',
    'error',
    'TypeError',
    "Cannot read properties of undefined (reading 'total')",
    12,
    9,
    300,
    45,
    { culprit: 'orderTotal in order-total.js', releases: ['v2.4.1'] },
  ],
  [
    'api',
    'error',
    'JsonSyntaxError',
    'Unexpected token < in JSON at position <n>',
    88,
    51,
    14 * DAY,
    2 * DAY,
    { status: 'resolved' },
  ],
  [
    'payments',
    'error',
    'CurrencyError',
    'no rate for <currency>',
    7,
    6,
    6 * DAY,
    3 * DAY,
    { status: 'resolved', resolved_in: 'payments-1.19.0', assignee: 'jonas' },
  ],
  [
    'stock-worker',
    'error',
    'LockTimeout',
    'lock of shelf <n> was not free',
    19,
    0,
    9 * DAY,
    4 * DAY,
    { status: 'resolved', resolved_in: 'next' },
  ],
  ['api', 'error', 'MailError', 'mailbox of <email> is full', 26, 26, 18 * DAY, 400, {}],
  [
    'stock-worker',
    'trace',
    '',
    'retry',
    2,
    0,
    420,
    410,
    { type: 'log', environments: [], releases: [], culprit: null },
  ],
  ['frontend', 'error', 'ImageError', 'cannot decode image', 31, 30, 500 * DAY, 6 * DAY, { removed_events: 4_000 }],
];

/** A shop on a bad evening, which takes actions. */
export function openShop(): ArrayReader {
  const reader = letAct(createArrayReader({ issues: ROWS.map(issueOfRow), events: shopEvents() }));
  const { getIssue, stats } = reader;
  reader.getIssue = async (issueId) => {
    const issue = await getIssue(issueId);
    return issue === undefined
      ? undefined
      : { ...issue, fingerprint_version: 2, basis: basisOf(reader, issue), related: relatedTo(reader, issue) };
  };
  reader.stats = async () => ({ ...(await stats()), events: reader.issues.reduce((sum, { count }) => sum + count, 0) });
  reader.sources = () => SOURCES;
  reader.histories.set(sampleIssueId(SHOP.checkout), [...HISTORY]);
  return reader;
}

/** The shop to look at, not to touch. */
export function openShopForReading(): ArrayReader {
  const reader = openShop();
  reader.canAct = false;
  return reader;
}

/** Nothing has arrived, and the collector listens at two addresses. */
export function openEmptyStore(): ArrayReader {
  const reader = createArrayReader();
  reader.endpoints = { events: 'http://localhost:4318/v1/events', otlp: 'http://localhost:4320' };
  return reader;
}

function issueOfRow(row: Row, place: number): IssueSummary {
  const [service, level, errorName, message, count, users, firstMinutesAgo, lastMinutesAgo, changes] = row;
  const number = place + 1;
  return sampleIssue(number, {
    service,
    level,
    error_name: errorName,
    message,
    title: errorName === '' ? message : `${errorName}: ${message}`,
    count,
    users,
    fingerprint: shopFingerprint(number),
    first_seen: sampleTime(SHOP_NOW_SECONDS - 60 * firstMinutesAgo),
    last_seen: sampleTime(SHOP_NOW_SECONDS - 60 * lastMinutesAgo),
    trend: trendOf(row),
    ...changes,
  });
}

/** All events in one hour where there is no other word. */
function trendOf([, , , , count, , firstMinutesAgo, lastMinutesAgo]: Row): number[] {
  const hour = 23 - Math.floor(lastMinutesAgo / 60);
  return Array.from({ length: 24 }, (_, place) => (place !== hour ? 0 : firstMinutesAgo < DAY ? count : 1));
}

/** Why the issue is one, as the built-in rules say of its first event. */
function basisOf(reader: ArrayReader, { issue_id, basis }: IssueDetail): IssueDetail['basis'] {
  const event = reader.events.find((one) => one.issue_id === issue_id);
  return event === undefined ? basis : computeFingerprint(event.raw.payload).basis;
}

function relatedTo({ issues }: ArrayReader, { issue_id, fingerprint }: IssueDetail): IssueDetail['related'] {
  const alike = issues.filter((one) => one.fingerprint === fingerprint && one.issue_id !== issue_id);
  return alike.map((one) => one.issue_id);
}

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
].map((entry, place) => ({
  ...entry,
  id: `action-${100 + place}`,
  issue_id: sampleIssueId(SHOP.checkout),
  undone: false,
}));

const SOURCES: readonly SourceState[] = [
  {
    name: 'eu',
    address: 'http://faultline.eu.shop.example:4319',
    kind: 'connected',
    reason: undefined,
    sinceMs: undefined,
    events: 1_219_000,
    issues: 25,
    canAct: true,
  },
  {
    name: 'us',
    address: 'http://faultline.us.shop.example:4319',
    kind: 'lost',
    reason: 'No collector answers at http://faultline.us.shop.example:4319. Start one, or name another with --url.',
    sinceMs: SHOP_NOW_MS - 340_000,
    events: 12,
    issues: 3,
    canAct: false,
  },
  {
    name: 'archive',
    address: '/var/lib/faultline-2025',
    kind: 'connecting',
    reason: undefined,
    sinceMs: undefined,
    events: undefined,
    issues: undefined,
    canAct: undefined,
  },
];
