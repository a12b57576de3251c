import { Fault } from '../../../core/event/fault.js';
import { type ArrayReader, sampleIssue, sampleTime } from '../array-reader.js';
import type { LookName } from './look.js';
import { openEmptyStore, openShop, openShopForReading } from './shop.js';
import { SHOP_NOW_SECONDS } from './shop-time.js';

const ENTER = '\r';
const ESCAPE = '\u001b';
const TAB = '\t';
const CLEAR = '\u0015';
const CTRL_N = '\u000e';

/** What somebody does, what is waited for, and under which name the screen is kept. */
export interface Step {
  readonly keys?: string;
  /** What happens meanwhile where it is read from. */
  readonly happens?: (reader: ArrayReader) => void;
  readonly see: string | RegExp;
  /** Absent: only on the way to the next one. */
  readonly golden?: string;
}

/** A way through the terminal, gone once for each look. */
export interface PlannedWalk {
  readonly over: () => ArrayReader;
  readonly looks: readonly LookName[];
  readonly steps: readonly Step[];
}

const SIZES = ['small', 'middle', 'large'] as const;
const START = { see: /orderTotal|TypeError: Cannot/ };

/** Every golden screen, by the way to it. */
export const WALKS: readonly PlannedWalk[] = [
  {
    over: openShop,
    looks: SIZES,
    steps: [
      { ...START, golden: 'issues-open' },
      { keys: '6', see: /^ .*\[6 all/, golden: 'issues-all' },
      { keys: '#', see: 'by service', golden: 'issues-grouped' },
    ],
  },
  {
    over: openShop,
    looks: ['light', 'contrast', 'ascii', 'reader', 'low', 'small16'],
    steps: [{ ...START, keys: '6', golden: 'issues-all' }],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: '2', see: '[2 new', golden: 'issues-new' },
      { keys: '3', see: '[3 regressed', golden: 'issues-regressed' },
      { keys: '4', see: '[4 ignored', golden: 'issues-ignored' },
      { keys: '5', see: '[5 resolved', golden: 'issues-resolved' },
      { keys: '6s', see: 'Sort by', golden: 'issues-sort-menu' },
      { keys: 'c', see: 'by events', golden: 'issues-by-events' },
      { keys: 'sl', see: 'by last seen' },
      { keys: ' jjV', see: '3 marked', golden: 'issues-marked' },
      { keys: 'm', see: 'Merge', golden: 'merge-question' },
      { keys: 'n', see: '3 marked' },
      { keys: `${ESCAPE}g`, see: 'by last seen' },
      { keys: '/le', see: '/le' },
      { keys: TAB, see: 'level', golden: 'filter-completion' },
      { keys: `${CLEAR}level:error (timeout`, see: 'timeout' },
      { keys: ENTER, see: 'column', golden: 'filter-refused' },
      { keys: `${CLEAR}level:critical${ENTER}`, see: 'Filter: level:critical', golden: 'issues-filtered' },
      { keys: `/${CLEAR}level:critical env:nowhere${ENTER}`, see: 'No issue matches', golden: 'issues-no-match' },
      { keys: ESCAPE, see: 'by last seen' },
      { keys: 'p', see: 'paused' },
      { happens: newIssue, see: 'wait', golden: 'issues-paused' },
      { keys: 'p', see: 'GatewayError' },
      { keys: '?', see: 'Keys', golden: 'issues-help' },
      { keys: `${ESCAPE}:`, see: /^ :/ },
      { keys: 'merge', see: 'Merge the marked', golden: 'palette' },
      { keys: `${ESCAPE}S`, see: 'Sources', golden: 'sources' },
      { keys: `${ESCAPE}v`, see: 'Views', golden: 'views-menu' },
      { keys: 'smornings\r', see: 'mornings' },
      { keys: 'v', see: 'Views', golden: 'views-menu-with-view' },
      { keys: `${ESCAPE}y`, see: 'Copy', golden: 'copy-menu' },
      { keys: `${ESCAPE}x`, see: 'Write to a file', golden: 'export-menu' },
      { keys: 'c', see: 'write to:', golden: 'export-prompt' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
    steps: [
      START,
      { keys: 'r', see: 'Resolve', golden: 'resolve-menu' },
      { keys: 'v', see: 'resolved in release', golden: 'resolve-release' },
      { keys: `${ESCAPE}i`, see: 'Ignore', golden: 'ignore-menu' },
      { keys: 'o', see: 'ignore for' },
      { keys: 'soon\r', see: 'ignore for: soon', golden: 'ignore-refused' },
      { keys: `${CLEAR}${ESCAPE}a`, see: 'assign', golden: 'assign-prompt' },
      { keys: `${ESCAPE}rr`, see: 'Resolved', golden: 'resolved-notice' },
      { keys: 'u', see: 'Undo:', golden: 'undo-question' },
      { keys: 'y', see: 'Undone:', golden: 'undone-notice' },
    ],
  },
  {
    over: openShopForReading,
    looks: ['small'],
    steps: [START, { keys: '?', see: 'Reading only', golden: 'issues-help-reading-only' }],
  },
  {
    over: openEmptyStore,
    looks: [...SIZES, 'reader'],
    steps: [{ see: 'curl', golden: 'empty-store' }],
  },
  {
    over: openLost,
    looks: ['small'],
    steps: [{ see: 'Waiting for the collector', golden: 'never-connected' }],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
    steps: [START, { happens: loseCollector, see: 'collector lost', golden: 'collector-lost' }],
  },
  { over: openShop, looks: ['tiny'], steps: [{ see: 'too small', golden: 'too-small' }] },
  {
    over: openShop,
    looks: [...SIZES, 'ascii', 'reader'],
    steps: [
      START,
      { keys: ENTER, see: 'ROUTE', golden: 'issue-events' },
      { keys: '2', see: '[2 facets', golden: 'issue-facets' },
      { keys: '3', see: '[3 why', golden: 'issue-why' },
      { keys: '4', see: '[4 history', golden: 'issue-history' },
      { keys: '5', see: '[5 related', golden: 'issue-related' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
    steps: [
      START,
      { keys: `${ENTER}[[-`, see: /Only 2026/, golden: 'issue-range' },
      { keys: `/tags.region:us-east${ENTER}`, see: 'Filter: tags.region:us-east', golden: 'issue-filtered' },
      { keys: `/${CLEAR}tags.region:mars${ENTER}`, see: 'No event of this issue', golden: 'issue-no-match' },
      { keys: '?', see: 'Keys', golden: 'issue-help' },
      { keys: `${ESCAPE}${ESCAPE}`, see: /orderTotal/ },
      { happens: forgetFirst, see: 'does not have this issue', golden: 'issue-gone' },
    ],
  },
  {
    over: openShop,
    looks: SIZES,
    steps: [
      START,
      { keys: `fservice:payments${ENTER}`, see: 'Events: service:payments' },
      { keys: `/${CLEAR}${ENTER}`, see: 'Events: all', golden: 'events' },
    ],
  },
  {
    over: openShop,
    looks: [...SIZES, 'ascii'],
    steps: [
      START,
      { keys: ENTER, see: 'ROUTE' },
      { keys: ENTER, see: 'Event 019a3c5e', golden: 'event-detail' },
      { keys: '2', see: '[stack]', golden: 'event-stack' },
      { keys: '3', see: '[raw]', golden: 'event-raw' },
      { keys: '4', see: '[normalized]', golden: 'event-normalized' },
      { keys: '5', see: '[diff]', golden: 'event-diff' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'large'],
    steps: [
      START,
      { keys: ENTER, see: 'ROUTE' },
      { keys: ENTER, see: 'Event 019a3c5e' },
      { keys: 'Z', see: 'folded', golden: 'event-folded' },
      { keys: `Z/region${ENTER}`, see: /region \d/ },
      { keys: CTRL_N, see: /region 2/, golden: 'event-found' },
      { keys: '4Z', see: '[normalized]', golden: 'event-tree-folded' },
      { keys: '?', see: 'Keys', golden: 'event-help' },
      { keys: `${ESCAPE}dp`, see: /diff/, golden: 'event-diff-chosen' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
    steps: [
      START,
      { keys: `/RenderError${ENTER}`, see: 'Filter: RenderError', golden: 'worldwide-issues' },
      { keys: ENTER, see: 'ROUTE', golden: 'worldwide-issue' },
      { keys: ENTER, see: 'Event 019a3c5e', golden: 'worldwide-event' },
      { keys: '2', see: 'Notes', golden: 'worldwide-stack' },
      { keys: '3', see: '[raw]', golden: 'worldwide-raw' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: `/ExportError${ENTER}`, see: 'Filter: ExportError' },
      { keys: ENTER, see: 'ROUTE' },
      { keys: ENTER, see: 'Event 019a3c5e', golden: 'megabyte-event' },
      { keys: '2', see: '[stack]', golden: 'no-stack' },
      { keys: '3', see: '[raw]', golden: 'megabyte-raw' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'large'],
    steps: [
      START,
      { keys: `/LedgerException${ENTER}`, see: 'Filter: LedgerException' },
      { keys: ENTER, see: 'ROUTE', golden: 'ledger-issue' },
      { keys: '5', see: '[5 related', golden: 'ledger-related' },
      { keys: `1${ENTER}2`, see: '[stack]', golden: 'ledger-stack' },
    ],
  },
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

function newIssue(reader: ArrayReader): void {
  const changes = {
    title: 'GatewayError: upstream closed',
    is_new: true,
    count: 3,
    last_seen: sampleTime(SHOP_NOW_SECONDS),
  };
  reader.issues = [...reader.issues, sampleIssue(90, changes)];
}

function forgetFirst(reader: ArrayReader): void {
  reader.issues = reader.issues.slice(1);
}
