import type { ArrayReader } from '../array-reader.js';
import { type PlannedWalk, START } from './planned-walk.js';
import { openShop } from './shop.js';
import { CLEAR, CTRL_N, ENTER, ESCAPE } from './typed-keys.js';

/** Walks through one issue, lists of events, and one event. */
export const DETAIL_WALKS: readonly PlannedWalk[] = [
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE', golden: 'issue-events' },
      { keys: '2', see: '2[Facets', golden: 'issue-facets' },
      { keys: '3', see: '3[Why', golden: 'issue-why' },
      { keys: '4', see: '4[History', golden: 'issue-history' },
    ],
  },
  {
    over: openShop,
    looks: ['large', 'reader'],
    steps: [START, { keys: ENTER, see: 'MESSAGE', golden: 'issue-events' }],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE' },
      { keys: '++', see: 'Only 20:30', golden: 'issue-range' },
      { keys: `/tags.region:us-east${ENTER}`, see: 'Filter: tags.region:us-east' },
      { keys: `/${CLEAR}tags.region:mars${ENTER}`, see: 'No event matches' },
      { keys: ESCAPE.repeat(2), see: /^› \d\d:\d\d:\d\d\.000/ },
      { happens: removeFirst, see: 'This issue is gone', golden: 'issue-gone' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [START, { keys: `f${ENTER}`, see: 'all searched', golden: 'events' }],
  },
  {
    over: openLongShop,
    looks: ['small'],
    steps: [
      START,
      { keys: 'f"do not honour"', see: '· 24%' },
      { keys: ENTER, see: '· 49%', golden: 'search-progress' },
    ],
  },
  {
    over: openShop,
    looks: ['small', 'wide'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE' },
      { keys: ENTER, see: 'Event 019a3c5e', golden: 'event-detail' },
      { keys: '4', see: '[Compare]', golden: 'event-diff' },
    ],
  },
  {
    over: openReportedShop,
    looks: ['small'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE' },
      { keys: ENTER, see: 'Reported By', golden: 'event-reported' },
      { keys: '3', see: 'Same occurrence', golden: 'event-reported-related' },
      { keys: ENTER, see: 'Event 019a3c5e' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: ENTER, see: 'MESSAGE' },
      { keys: ENTER, see: 'Event 019a3c5e' },
      { keys: `/region${ENTER}`, see: /region \d/ },
      { keys: CTRL_N, see: /region 2/, golden: 'event-found' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: `/RenderError${ENTER}`, see: '/ RenderError ' },
      { keys: ENTER, see: 'MESSAGE' },
      { keys: ENTER, see: 'Event 019a3c5e', golden: 'worldwide-event' },
      { keys: '2', see: 'Notes', golden: 'worldwide-stack' },
    ],
  },
  {
    over: openShop,
    looks: ['small'],
    steps: [
      START,
      { keys: `/LedgerException${ENTER}`, see: '/ LedgerException ' },
      { keys: ENTER, see: 'MESSAGE' },
      { keys: '5', see: '5[Related 3]', golden: 'issue-related' },
      { keys: `1${ENTER}`, see: 'Event 019a3c5e' },
      { keys: '2', see: '[Stack', golden: 'event-stack' },
      { keys: '3', see: '3[Related', golden: 'event-related' },
    ],
  },
];

/** A shop in which the first two events of each issue report one occurrence. */
function openReportedShop(): ArrayReader {
  const reader = openShop();
  const { getEvent, listEvents } = reader;
  reader.getEvent = async (eventId) => {
    const event = await getEvent(eventId);
    const page = event && (await listEvents(event.issue_id, { limit: 2 }));
    if (event === undefined || page === undefined) return event;
    const { path, line } = event.raw;
    const reports = page.events.map((one, index) => {
      return { kind: index === 0 ? 'log record' : 'span event', raw: { path, line: line + index }, event: one };
    });
    return { ...event, reports };
  };
  return reader;
}

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
