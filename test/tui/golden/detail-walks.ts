import type { ArrayReader } from '../array-reader.js';
import { type PlannedWalk, SIZES, START } from './planned-walk.js';
import { openShop } from './shop.js';
import { CLEAR, CTRL_N, END, ENTER, ESCAPE } from './typed-keys.js';

/** Walks through one issue, lists of events, and one event. */
export const DETAIL_WALKS: readonly PlannedWalk[] = [
  {
    over: openShop,
    looks: [...SIZES, 'wide', 'ascii', 'reader'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE', golden: 'issue-events' },
      { keys: '2', see: '2[Facets', golden: 'issue-facets' },
      { keys: '3', see: '3[Why', golden: 'issue-why' },
      { keys: '4', see: '4[History', golden: 'issue-history' },
      { keys: '5', see: '5[Related', golden: 'issue-related' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE' },
      { keys: '++', see: 'Only ', golden: 'issue-range' },
      { keys: `/tags.region:us-east${ENTER}`, see: 'Filter: tags.region:us-east', golden: 'issue-filtered' },
      { keys: `/${CLEAR}tags.region:mars${ENTER}`, see: 'No event matches', golden: 'issue-no-match' },
      { keys: '?', see: 'Help', golden: 'issue-help' },
      { keys: ESCAPE.repeat(3), see: /^› \d\d:\d\d:\d\d\.000/ },
      { happens: removeFirst, see: 'This issue is gone', golden: 'issue-gone' },
    ],
  },
  {
    over: openShop,
    looks: SIZES,
    steps: [
      START,
      { keys: 'fservice:pay', see: /\/ service:pay. .*all searched/, golden: 'search-typed' },
      { keys: ENTER, see: '/ service:pay* ' },
      { keys: `/${CLEAR}${ENTER}`, see: '/ search ', golden: 'events' },
    ],
  },
  {
    over: openLongShop,
    looks: ['small', 'small16'],
    steps: [
      START,
      { keys: 'f"do not honour"', see: '· 24%', golden: 'search-first-page' },
      { keys: ENTER, see: '· 49%', golden: 'search-progress' },
      { keys: ESCAPE, see: 'stopped at 49%', golden: 'search-stopped' },
    ],
  },
  {
    over: openShop,
    looks: [...SIZES, 'wide', 'ascii'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE' },
      { keys: ENTER, see: 'Event 019a3c5e', golden: 'event-detail' },
      { keys: '2', see: '[Stack', golden: 'event-stack' },
      { keys: '3', see: '3[Related', golden: 'event-related' },
      { keys: '4', see: '[Compare]', golden: 'event-diff' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'large'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE' },
      { keys: ENTER, see: 'Event 019a3c5e' },
      { keys: 'Z', see: 'folded', golden: 'event-folded' },
      { keys: `Z/region${ENTER}`, see: /region \d/ },
      { keys: CTRL_N, see: /region 2/, golden: 'event-found' },
      { keys: '?', see: 'Help', golden: 'event-help' },
      { keys: `${ESCAPE}d`, see: 'Compare with' },
      { keys: `${END}${ENTER}`, see: '[Compare]', golden: 'event-diff-chosen' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'middle'],
    steps: [
      START,
      { keys: `/RenderError${ENTER}`, see: '/ RenderError', golden: 'worldwide-issues' },
      { keys: ENTER, see: 'MESSAGE', golden: 'worldwide-issue' },
      { keys: ENTER, see: 'Event 019a3c5e', golden: 'worldwide-event' },
      { keys: '2', see: 'Notes', golden: 'worldwide-stack' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: `/ExportError${ENTER}`, see: '/ ExportError ' },
      { keys: ENTER, see: 'MESSAGE' },
      { keys: ENTER, see: 'Event 019a3c5e', golden: 'megabyte-event' },
      { keys: '2', see: '[Stack', golden: 'no-stack' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'large'],
    steps: [
      START,
      { keys: `/LedgerException${ENTER}`, see: '/ LedgerException ' },
      { keys: ENTER, see: 'MESSAGE', golden: 'ledger-issue' },
      { keys: '5', see: '5[Related', golden: 'ledger-related' },
      { keys: `1${ENTER}2`, see: '[Stack', golden: 'ledger-stack' },
    ],
  },
];

/** A shop whose search finds three events in the first quarter of its events, and gets no answer after the second one. */
function openLongShop(): ArrayReader {
  const reader = openShop();
  const { searchEvents } = reader;
  reader.searchEvents = async ({ cursor } = {}) => {
    if (cursor === '2') await new Promise(() => {});
    const page = await searchEvents({ query: 'service:payments', limit: 3 });
    const events = cursor === undefined ? page.events : [];
    const scanned = { events: cursor === undefined ? 1_200_000 : 2_400_000, bytes: 1 };
    const total = { events: 4_810_311, bytes: 1 };
    return { events, next_cursor: cursor === undefined ? '1' : '2', scanned, total, is_complete: false };
  };
  return reader;
}

function removeFirst(reader: ArrayReader): void {
  reader.issues = reader.issues.slice(1);
}
