import { Fault } from '../../../core/event/fault.js';
import { type ArrayReader, sampleIssue, sampleTime } from '../array-reader.js';
import { type PlannedWalk, START } from './planned-walk.js';
import { openEmptyStore, openShop, openShopForReading, openShopOfThree } from './shop.js';
import { SHOP_NOW_SECONDS } from './shop-time.js';
import { CLEAR, ENTER, ESCAPE, TAB } from './typed-keys.js';

/** Walks through the list of issues, its menus and prompts, and its empty states. */
export const LIST_WALKS: readonly PlannedWalk[] = [
  {
    over: openShop,
    looks: ['small'],
    steps: [
      { ...START, golden: 'issues-open' },
      { keys: '4', see: '4[Ignored', golden: 'issues-ignored' },
      { keys: '5', see: '5[Resolved', golden: 'issues-resolved' },
    ],
  },
  {
    over: openShop,
    looks: ['wide', 'ascii', 'reader', 'low'],
    steps: [{ see: 'RateLimit' }, { keys: '6', see: '6[All', golden: 'issues-all' }],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: '6', see: '6[All' },
      { keys: ' jV', see: '3 marked', golden: 'issues-marked' },
      { keys: 'm', see: 'Merge', golden: 'merge-menu' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: '/le', see: '/ le' },
      { keys: TAB, see: /\/ level:. +19 of 19/, golden: 'filter-completion' },
      { keys: `${CLEAR}level:error nosuch:x`, see: 'unknown field', golden: 'filter-refused' },
      { keys: `${CLEAR}level:critical env:nowhere${ENTER}`, see: ' matches', golden: 'issues-no-match' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: 'j', see: / 2\/19$/ },
      { happens: newIssue, see: '1 new: g', golden: 'issues-frozen' },
      { keys: ':merge', see: 'Merge the marked', golden: 'palette' },
      { keys: `${ESCAPE}vs`, see: 'name:' },
      { keys: `mornings${ENTER}`, see: 'Saved as "mornings"' },
      { keys: 'v', see: '── Saved filters', golden: 'views-menu' },
      { keys: `${ESCAPE}y`, see: '── Copy', golden: 'copy-menu' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: 'w', see: '── New since', golden: 'since-menu' },
      { keys: '1', see: '1[New 2]' },
      { keys: '3', see: '3[More 2]', golden: 'since-more' },
      { keys: '4', see: 'No open issue', golden: 'since-none' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [START, { keys: 'W', see: 'v2.4.0', golden: 'releases' }],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: 'r', see: '── Resolve', golden: 'resolve-menu' },
      { keys: `${ESCAPE}i`, see: '── Ignore', golden: 'ignore-menu' },
      { keys: 'o', see: 'ignore:' },
      { keys: `soon${ENTER}`, see: 'is not a snooze', golden: 'ignore-refused' },
      { keys: `${CLEAR}${ESCAPE}a`, see: '── Assign:', golden: 'assign-prompt' },
      { keys: `${ESCAPE}rr`, see: 'Resolved "', golden: 'resolved-notice' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: `:sugg${ENTER}`, see: /^── Suggestions/, golden: 'suggestions' },
      { keys: ENTER, see: 'unknown currency *', golden: 'suggestion' },
      { keys: 'a', see: 'y yes', golden: 'suggestion-question' },
    ],
  },
  {
    over: openNothingOpen,
    looks: ['small'],
    steps: [{ see: 'Nothing is open', golden: 'nothing-open' }],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: `/LedgerException${ENTER}`, see: '/ LedgerException ' },
      { keys: 'M', see: '── Split', golden: 'split-menu' },
      { keys: `${ESCAPE}?`, see: 'Help', golden: 'issues-help' },
      { keys: '/', see: 'Help: query language', golden: 'query-language' },
    ],
  },
  {
    over: openShopForReading,
    looks: ['small'],
    steps: [START, { keys: '?', see: 'Help', golden: 'issues-help-reading-only' }],
  },
  {
    over: openShopOfThree,
    looks: ['small'],
    steps: [
      { ...START, golden: 'source-lost' },
      { keys: 'S', see: 'hooks.slack.example', golden: 'status' },
      { keys: 'R', see: 'MALFORMED_JSON', golden: 'rejected' },
    ],
  },
  {
    over: openEmptyStore,
    looks: ['small'],
    steps: [{ see: 'faultline send', golden: 'empty-store' }],
  },
  {
    over: openLost,
    looks: ['small'],
    steps: [{ see: 'not connected', golden: 'never-connected' }],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [START, { happens: loseCollector, see: 'connection lost', golden: 'collector-lost' }],
  },
  { over: openShop, looks: ['tiny'], steps: [{ see: 'Faultline needs', golden: 'too-small' }] },
];

function openLost(): ArrayReader {
  const reader = openEmptyStore();
  loseCollector(reader);
  return reader;
}

function loseCollector(reader: ArrayReader): void {
  reader.fault = new Fault(
    'COLLECTOR_UNREACHABLE',
    'No collector answers at http://localhost:4319. Start one, or name another.',
    { retryable: true },
  );
}

function openNothingOpen(): ArrayReader {
  const reader = openShop();
  reader.issues = reader.issues.filter(({ status }) => status !== 'open');
  return reader;
}

function newIssue(reader: ArrayReader): void {
  const changes = {
    error_name: 'GatewayError',
    message: 'upstream closed',
    is_new: true,
    count: 3,
    last_seen: sampleTime(SHOP_NOW_SECONDS),
  };
  reader.issues = [...reader.issues, sampleIssue(90, changes)];
}
