import type { IssueSummary } from '../../../generated/reader-answers.js';
import { sampleIssue, sampleIssueId, sampleTime } from '../array-reader.js';
import { shopFingerprint } from './shop-events.js';
import { SHOP_NOW_SECONDS } from './shop-time.js';

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
      culprit: 'PriceList.priceOf (price-list.js)',
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
      culprit: 'Ledger.post (Ledger.java)',
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
    { is_new: true, culprit: 'render (カート-4f2a.js)' },
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
      culprit: 'Pool.take (pool.js)',
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
    { trend: DAILY, culprit: 'loadChunk (runtime.js)' },
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
    { regressed: true, trend: FADING, culprit: 'Reserve (stock.go)', releases: ['worker-88'] },
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
    {
      status: 'ignored',
      state_at: sampleTime(SHOP_NOW_SECONDS - 7_200),
      state_by: 'jonas',
      snooze: 'until:2026-12-24T10:00:00Z',
    },
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
    { status: 'ignored', state_at: sampleTime(SHOP_NOW_SECONDS - 7_200), state_by: 'jonas', snooze: '100x/1h' },
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
    { status: 'ignored', state_at: sampleTime(SHOP_NOW_SECONDS - 7_200), state_by: 'jonas' },
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
    { culprit: 'PriceList.priceOf (price-list.js)', releases: ['v2.4.1'] },
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
    { status: 'resolved', state_at: sampleTime(SHOP_NOW_SECONDS - 7_200), state_by: 'anna' },
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
    {
      status: 'resolved',
      state_at: sampleTime(SHOP_NOW_SECONDS - 7_200),
      state_by: 'anna',
      resolved_in: 'payments-1.19.0',
      assignee: 'jonas',
    },
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
    { status: 'resolved', state_at: sampleTime(SHOP_NOW_SECONDS - 7_200), state_by: 'anna', resolved_in: 'next' },
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

/** The issues of the shop, in four services and every state. */
export function shopIssues(): IssueSummary[] {
  return ROWS.map(issueOfRow);
}

function issueOfRow(row: Row, index: number): IssueSummary {
  const [service, level, errorName, message, count, users, firstMinutesAgo, lastMinutesAgo, changes] = row;
  const number = index + 1;
  return sampleIssue(number, {
    service,
    level,
    error_name: errorName,
    message: exampleOf(message, number),
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

/** A message with values for its placeholders. */
function exampleOf(template: string, number: number): string {
  const values: Readonly<Record<string, string>> = {
    n: String(number * 37),
    id: `SKU-${6_800 + number}`,
    ip: '203.0.113.9',
    hash: '0c4f9a11',
    url: 'https://shop.example/api/v1/products/1592',
    email: 'anna.berg@example.com',
  };
  return template.replaceAll(/<(\w+)>/g, (placeholder, kind: string) => values[kind] ?? placeholder);
}

/** The default trend: all events in the hour of the last one. */
function trendOf([, , , , count, , firstMinutesAgo, lastMinutesAgo]: Row): number[] {
  const hour = 23 - Math.floor(lastMinutesAgo / 60);
  return Array.from({ length: 24 }, (_, index) => (index !== hour ? 0 : firstMinutesAgo < DAY ? count : 1));
}
