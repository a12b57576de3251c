import type { EventSearchPage } from '../../../../generated/reader-answers.js';
import type { EventsScreen } from '../../../../tui/state/status-state.js';
import { type TerminalState, topScreen } from '../../../../tui/state/terminal-state.js';
import type { TestTerminal } from '../../../helpers/terminal.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue } from '../../array-reader.js';
import { browse, endTerminals } from '../../running-terminal.js';
import { ENTER, ESCAPE, promptOf, settle, started, typeKeys, UP } from '../../type-keys.js';
import { readMissing } from '../issue/read-missing.js';

const CLEAR = '\u0015';

afterEach(endTerminals);

/** Six events of two services. */
function shop(): ArrayReader {
  const events = Array.from({ length: 6 }, (_, number) =>
    sampleEvent(1, number, { service: number % 3 === 0 ? 'ledger' : 'ledger-archive', user_id: `u-${number}` }),
  );
  return createArrayReader({ issues: [sampleIssue(1, { count: 6 })], events });
}

/** A store of which a page searches a fifth, and finds one event per page. */
function inFifths(reader: ArrayReader): ArrayReader {
  const { searchEvents } = reader;
  reader.searchEvents = async ({ query, cursor } = {}): Promise<EventSearchPage> => {
    const page = Number(cursor ?? 0);
    const { events } = await searchEvents({ limit: 30, ...(query !== undefined && { query }) });
    const isLast = page >= 4;
    return {
      events: events.slice(page, page + 1),
      next_cursor: isLast ? null : String(page + 1),
      scanned: { events: (page + 1) * 240_000, bytes: 1 },
      total: { events: 1_200_000, bytes: 1 },
      is_complete: isLast,
    };
  };
  return reader;
}

/** Delays the answers to queries; returns a function that waits for the read of a query and returns what lets it through. */
function held(reader: ArrayReader): (query: string) => Promise<() => void> {
  const waiting = new Map<string, () => void>();
  const { searchEvents } = reader;
  reader.searchEvents = async (options = {}) => {
    const { query = '' } = options;
    await new Promise<void>((resolve) => waiting.set(query, resolve));
    waiting.delete(query);
    return searchEvents(options);
  };
  return async (query) => {
    return await waitFor(`the search for ${query}`, () => waiting.get(query));
  };
}

async function opened(reader: ArrayReader, keys: string): Promise<TestTerminal> {
  const { terminal } = browse(reader, { env: { NO_COLOR: '1' } });
  await terminal.see('1/1');
  terminal.type(keys);
  return terminal;
}

function searchOf(state: TerminalState): EventsScreen {
  const top = topScreen(state);
  if (top.kind !== 'events') throw new Error(`the visible screen is ${top.kind}`);
  return top;
}

const users = (state: TerminalState): (string | null)[] => searchOf(state).list.rows.map(({ user_id }) => user_id);

/** The state once the search of the typed text was read. */
async function typed(reader: ArrayReader, keys: string, from?: TerminalState): Promise<TerminalState> {
  return readMissing(reader, typeKeys(from ?? (await started(reader)), keys));
}

describe('a search while it is typed', () => {
  it('lists events before Enter, below the text and its completions', async () => {
    const rows = await (await opened(shop(), 'fservice:ledger-')).see('4 events, all searched');
    expect(rows[0]).toMatch(/^ Faultline {2}Events .* 6 events · live$/);
    expect(rows[1]).toMatch(/^ \/ service:ledger-█ +4 events, all searched$/);
    expect(rows[2]).toBe('   Tab  ledger-archive');
    expect(rows[3]).toMatch(/^ {2}TIME UTC /);
    expect(rows[4]).toMatch(/^› /);
    expect(rows[23]).toBe(' Enter apply  Tab complete  ↑ earlier searches  Esc cancel');
  });

  it.each([
    ['', 'Tab  level:  service:  user_id:  or search for text'],
    ['use', 'Tab  user_id:  or search for the text "use"'],
    ['user_id:u-5', 'Tab  u-5'],
    ['timestamp:', 'Tab  <24h   <7d   >7d   >30d'],
    ['timestamp:<1d', 'Tab  AND OR NOT, a field, or text'],
    ['user_id:u-5 ', 'Tab  AND OR NOT, a field, or text'],
    ['"of SKU"', 'Tab  AND OR NOT, a field, or text'],
    ['(service:ledger OR', 'Add a term and ")". Showing service:ledger.'],
    ['nosuch:1', '   ^ Query, column 1: unknown field "nosuch".'],
  ])('%j names what completes it, or what is wrong', async (text, below) => {
    await (await opened(shop(), `f${text}`)).see(below);
  });

  it('reads one page, and Enter searches all events', async () => {
    const reader = inFifths(shop());
    const state = await typed(reader, 'fservice:led');
    expect(users(state)).toEqual(['u-5']);
    expect(searchOf(state).scanned?.done.events).toBe(240_000);
    expect(users(await typed(reader, ENTER, state))).toEqual(['u-5', 'u-4', 'u-3', 'u-2', 'u-1']);
  });

  it('keeps the events at a mistake, which Enter does not accept', async () => {
    const reader = shop();
    const state = await typed(reader, ' nosuch:1', await typed(reader, 'fservice:ledger'));
    expect(users(state)).toEqual(['u-3', 'u-0']);
    expect(promptOf(typeKeys(state, ENTER)).draft).toBe('service:ledger nosuch:1');
  });

  it.each([
    ['service:led', 'service:led*'],
    ['service:ledger', 'service:ledger'],
    ['level:e', 'level:e*'],
    ['user_id:u-5', 'user_id:u-5'],
    ['(service:ledger', '(service:ledger)'],
  ])('Enter keeps a value that was read and adds the star to a beginning: %j', async (text, query) => {
    const state = typeKeys(await typed(shop(), `f${text}`), ENTER);
    expect(searchOf(state).query).toBe(query);
    expect(state.memory.queries).toEqual([query]);
  });

  it('searches for a text that was pasted as it is, if Enter follows at once', async () => {
    const state = typeKeys(await started(shop()), `f\u001b[200~request_id:4bf92f\u001b[201~${ENTER}`);
    expect(searchOf(state).query).toBe('request_id:4bf92f');
  });

  it('recalls earlier searches', async () => {
    const reader = shop();
    const state = await typed(reader, `fuser_id:u-3${ENTER}/${CLEAR}${UP}`);
    expect(promptOf(state).draft).toBe('user_id:u-3');
    expect(users(state)).toEqual(['u-3']);
  });

  it('ends with Escape, which brings back the list of issues or the search before', async () => {
    const reader = shop();
    const issues = await typed(reader, 'fuser_id:u-3');
    expect(topScreen(typeKeys(issues, ESCAPE)).kind).toBe('issues');
    const before = await typed(reader, `fservice:ledger${ENTER}j`);
    const changed = await typed(reader, `/${CLEAR}user_id:u-4`, before);
    expect(users(changed)).toEqual(['u-4']);
    expect(searchOf(typeKeys(changed, ESCAPE))).toEqual(searchOf(before));
  });

  it('shows visible text only', async () => {
    const rows = await (await opened(shop(), 'f\u001b[200~a\u202eb\u001b]0;x\u001b[201~')).see('0 events');
    expect(rows[1]).toContain('/ a‹U+202E›b ]0;x█');
  });
});

describe('answers to a search', () => {
  it('of earlier keys change nothing', async () => {
    const reader = shop();
    const asked = held(reader);
    const terminal = await opened(reader, 'fuser_id:u');
    const answerLate = await asked('user_id:u*');
    await terminal.see('user_id:u█');
    terminal.type('-5');
    await terminal.see('user_id:u-5');
    answerLate();
    const answer = await asked('user_id:u-5*');
    expect(terminal.rows()[1]).toMatch(/searching…$/);
    expect(terminal.rows()[4]).not.toContain('u-');
    answer();
    await terminal.see('1 event, all searched');
  });
});

describe('a search of all events', () => {
  it('says how far it is, and where it was stopped', async () => {
    const reader = inFifths(shop());
    const asked = held(reader);
    const terminal = await opened(reader, `fledger${ENTER}`);
    (await asked('ledger'))();
    await terminal.see('searched 240,000 of 1,200,000 · 20%');
    terminal.type(ESCAPE);
    await terminal.see('stopped at 20%: G searches on');
    terminal.type('G');
    await terminal.see('searched 240,000 of 1,200,000 · 20%');
  });

  it('names the key that shows more than the window needs', async () => {
    const reader = shop();
    reader.events = Array.from({ length: 300 }, (_, number) => sampleEvent(1, number));
    const terminal = await opened(reader, `f${ENTER}`);
    await terminal.see('newest 100 events, more: ↓');
  });

  it('is read again by /', async () => {
    const reader = shop();
    const state = await typed(reader, `fservice:ledger${ENTER}`);
    reader.events = [...reader.events, sampleEvent(1, 9, { service: 'ledger', user_id: 'u-9' })];
    expect(users(await settle(state, reader))).not.toContain('u-9');
    expect(users(await typed(reader, '/', state))).toContain('u-9');
  });
});
