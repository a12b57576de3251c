import { Fault } from '../../../core/event/fault.js';
import { type ArrayReader, sampleIssue, sampleTime } from '../array-reader.js';
import { type PlannedWalk, SIZES, START } from './planned-walk.js';
import { openEmptyStore, openShop, openShopForReading, openShopOfThree } from './shop.js';
import { SHOP_NOW_SECONDS } from './shop-time.js';
import { CLEAR, ENTER, ESCAPE, TAB } from './typed-keys.js';

/** Walks through the list of issues, its menus and prompts, and its empty states. */
export const LIST_WALKS: readonly PlannedWalk[] = [
  {
    over: openShop,
    looks: [...SIZES, 'wide'],
    steps: [
      { ...START, golden: 'issues-open' },
      { keys: '6', see: '6[All', golden: 'issues-all' },
    ],
  },
  {
    over: openShop,
    looks: ['contrast', 'ascii', 'reader', 'low', 'small16'],
    steps: [{ see: 'RateLimit' }, { keys: '6', see: '6[All', golden: 'issues-all' }],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: '2', see: '2[Review', golden: 'issues-review' },
      { keys: '3', see: '3[Mine', golden: 'issues-mine' },
      { keys: '4', see: '4[Ignored', golden: 'issues-ignored' },
      { keys: '5', see: '5[Resolved', golden: 'issues-resolved' },
      { keys: '6s', see: 'needs attention', golden: 'issues-sort-menu' },
      { keys: 'c', see: 'by events', golden: 'issues-by-events' },
      { keys: 'sl', see: 'by last seen' },
      { keys: 'g jV', see: '3 marked', golden: 'issues-marked' },
      { keys: 'm', see: 'Merge', golden: 'merge-menu' },
      { keys: ESCAPE, see: '3 marked' },
      { keys: `${ESCAPE}g`, see: ' 1/25' },
      { keys: '/le', see: '/ le' },
      { keys: TAB, see: /\/ level:. +25 of 25/, golden: 'filter-completion' },
      { keys: `${CLEAR}level:error nosuch:x`, see: 'nosuch:x█' },
      { keys: ENTER, see: 'unknown field', golden: 'filter-refused' },
      { keys: `${CLEAR}level:critical${ENTER}`, see: '/ level:critical ', golden: 'issues-filtered' },
      { keys: `/${CLEAR}level:critical env:nowhere${ENTER}`, see: ' matches', golden: 'issues-no-match' },
      { keys: ESCAPE, see: '6[All 25]' },
      { happens: newIssue, see: '1 new: g', golden: 'issues-frozen' },
      { keys: 'g', see: 'GatewayError' },
      { keys: ':', see: /^ :/ },
      { keys: 'merge', see: 'Merge the marked', golden: 'palette' },
      { keys: `${ESCAPE}v`, see: 'Saved filters', golden: 'views-menu' },
      { keys: 'smornings\r', see: 'mornings' },
      { keys: 'v', see: 'Saved filters', golden: 'views-menu-with-view' },
      { keys: `${ESCAPE}y`, see: 'Copy', golden: 'copy-menu' },
      { keys: `${ESCAPE}x`, see: 'export issues to:', golden: 'export-prompt' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'middle', 'wide', 'ascii'],
    steps: [
      START,
      { keys: 'w', see: /New since[…~] /, golden: 'since-menu' },
      { keys: '1', see: '1[New 2]', golden: 'since-new' },
      { keys: '3', see: '3[More 2]', golden: 'since-more' },
      { keys: '4', see: 'No open issue', golden: 'since-none' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'middle', 'ascii', 'reader', 'low'],
    steps: [
      { see: 'RateLimit' },
      { keys: 'W', see: 'v2.4.0', golden: 'releases' },
      { keys: ENTER, see: '/ new_in:', golden: 'releases-new' },
    ],
  },
  {
    over: openEmptyStore,
    looks: ['small'],
    steps: [{ see: 'faultline send' }, { keys: 'W', see: 'No release is known', golden: 'releases-none' }],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
    steps: [
      START,
      { keys: 'r', see: 'Resolve', golden: 'resolve-menu' },
      { keys: 'v', see: 'release:', golden: 'resolve-release' },
      { keys: `${ESCAPE}i`, see: 'Ignore', golden: 'ignore-menu' },
      { keys: 'o', see: 'ignore:' },
      { keys: 'soon\r', see: 'ignore: soon', golden: 'ignore-refused' },
      { keys: `${CLEAR}${ESCAPE}a`, see: 'Assign:', golden: 'assign-prompt' },
      { keys: `${ESCAPE}rr`, see: 'Resolved', golden: 'resolved-notice' },
      { keys: 'u', see: 'Undone.', golden: 'undone-notice' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'small16', 'low'],
    steps: [
      START,
      { keys: ':sugg\r', see: /^── Suggestions/, golden: 'suggestions' },
      { keys: ENTER, see: 'unknown currency *', golden: 'suggestion' },
      { keys: 'a', see: 'y yes', golden: 'suggestion-question' },
      { keys: 'y', see: 'Accepted', golden: 'suggestion-accepted' },
      { keys: ':sugg\r', see: /^── Suggestions/ },
      { keys: `jj${ENTER}`, see: 'no handler', golden: 'suggestion-decided' },
    ],
  },
  {
    over: openEmptyStore,
    looks: ['small'],
    steps: [
      { see: 'faultline send' },
      { keys: ':sugg\r', see: 'No suggestions', golden: 'suggestions-none' },
      { happens: loseCollector, keys: ':sugg\r', see: 'No collector answers', golden: 'suggestions-lost' },
    ],
  },
  {
    over: openNothingOpen,
    looks: ['small', 'reader'],
    steps: [{ see: 'Nothing is open', golden: 'nothing-open' }],
  },
  {
    over: openShop,
    looks: ['small', 'middle', 'ascii', 'reader', 'low'],
    steps: [
      { keys: '/LedgerException\r', see: '/ LedgerException ' },
      { keys: 'M', see: 'Split', golden: 'split-menu' },
      { keys: `${ESCAPE}?`, see: 'Help', golden: 'issues-help' },
      { keys: '/', see: 'query language', golden: 'query-language' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
    steps: [
      START,
      { keys: `/PoolTimeout${ENTER}`, see: '/ PoolTimeout ', golden: 'regressed-issue' },
      { keys: `/${CLEAR}LedgerException${ENTER}`, see: '/ LedgerException ' },
      { keys: `${ENTER}rr`, see: 'Resolved' },
      { keys: 'u', see: 'Undone.' },
      { keys: '4', see: '4[History', golden: 'undone-history' },
    ],
  },
  {
    over: openShopForReading,
    looks: ['small'],
    steps: [START, { keys: '?', see: 'Help', golden: 'issues-help-reading-only' }],
  },
  {
    over: openShopOfThree,
    looks: ['small', 'middle', 'wide', 'ascii', 'reader'],
    steps: [
      { ...START, golden: 'source-lost' },
      { keys: 'S', see: 'hooks.slack.example', golden: 'status' },
      { keys: 'R', see: 'MALFORMED_JSON', golden: 'rejected' },
      { keys: ENTER, see: 'Payload', golden: 'rejected-payload' },
    ],
  },
  {
    over: openEmptyStore,
    looks: [...SIZES, 'reader'],
    steps: [{ see: 'faultline send', golden: 'empty-store' }],
  },
  {
    over: openLost,
    looks: ['small'],
    steps: [{ see: 'not connected', golden: 'never-connected' }],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
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
    {
      retryable: true,
    },
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
