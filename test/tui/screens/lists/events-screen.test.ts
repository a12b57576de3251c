import { Fault } from '../../../../core/event/fault.js';
import type { EventSearchPage } from '../../../../generated/reader-answers.js';
import { logicOf } from '../../../../tui/app/screen-table.js';
import { searchColumns } from '../../../../tui/format/event/event-columns.js';
import { type EventsScreen, openEvents } from '../../../../tui/state/status-state.js';
import { initialState, pushScreen, type TerminalState, topScreen } from '../../../../tui/state/terminal-state.js';
import { tableLines } from '../../../../tui/text/columns.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleEventId, sampleIssue } from '../../array-reader.js';
import { typeKeys } from '../../type-keys.js';
import { readMissing } from '../issue/read-missing.js';

const ENTER = '\r';
const ESCAPE = '\u001b';
const start = (): TerminalState => initialState({ size: { columns: 80, rows: 24 }, nowMs: 0 });
const opened = (query: string): TerminalState => pushScreen(start(), (key) => openEvents(key, query));

function eventsOf(state: TerminalState): EventsScreen {
  const top = topScreen(state);
  if (top.kind !== 'events') throw new Error(`the visible screen is ${top.kind}`);
  return top;
}

function sampleReader(count = 300): ArrayReader {
  const events = Array.from({ length: count }, (_, number) => sampleEvent(1, number, { route: `/${number % 2}` }));
  return createArrayReader({ issues: [sampleIssue(1, { count })], events });
}

/** A reader that has this number of pages of events; pages before `rowsFrom` are empty. */
function slowly(reader: ArrayReader, { pages, rowsFrom }: { pages: number; rowsFrom: number }): () => number {
  let calls = 0;
  const { searchEvents } = reader;
  reader.searchEvents = async ({ query, cursor } = {}): Promise<EventSearchPage> => {
    calls += 1;
    const index = cursor === undefined ? 0 : Number(cursor);
    const whole = await searchEvents({ limit: 30, ...(query !== undefined && { query }) });
    const isLast = index + 1 >= pages;
    return {
      events: index >= rowsFrom ? whole.events.slice(0, 1) : [],
      next_cursor: isLast ? null : String(index + 1),
      scanned: { events: (index + 1) * 1_000, bytes: 1 },
      total: { events: 100_000, bytes: 1 },
      is_complete: isLast,
    };
  };
  return () => calls;
}

describe('a search through all events', () => {
  it('opens with a valid query', async () => {
    const reader = sampleReader();
    const refused = typeKeys(start(), `fnosuch:1${ENTER}`);
    expect(refused.overlay).toMatchObject({ kind: 'prompt' });
    const state = await readMissing(reader, typeKeys(start(), `froute:/1${ENTER}`));
    expect(eventsOf(state)).toMatchObject({ query: 'route:/1', reading: 'loaded', scanned: { isComplete: false } });
    expect(eventsOf(state).list.rows.every(({ route }) => route === '/1')).toBe(true);
  });

  it('loads more for a move, and opens the event under the cursor', async () => {
    const reader = sampleReader();
    let state = await readMissing(reader, opened(''));
    expect(eventsOf(state).list.rows).toHaveLength(100);
    for (let move = 0; move < 4; move += 1) state = await readMissing(reader, typeKeys(state, 'G'));
    expect(eventsOf(state).list.rows).toHaveLength(300);
    expect(eventsOf(state).scanned?.isComplete).toBe(true);
    const event = typeKeys(state, ENTER);
    expect(topScreen(event)).toMatchObject({ kind: 'event', eventId: sampleEventId(0) });
  });

  it('reads pages without rows until all events were searched', async () => {
    const reader = sampleReader();
    const calls = slowly(reader, { pages: 25, rowsFrom: 24 });
    const state = await readMissing(reader, opened('route:/1'));
    expect(calls()).toBe(25);
    expect(eventsOf(state).list.rows).toHaveLength(1);
    expect(eventsOf(state).list.selectedId).toBe(eventsOf(state).list.rows[0]?.event_id);
    expect(eventsOf(state).scanned?.isComplete).toBe(true);
  });

  it('is stopped by Esc while it runs, and closed by the next one', async () => {
    const reader = sampleReader();
    slowly(reader, { pages: 25, rowsFrom: 24 });
    const first = logicOf(topScreen(opened('x'))).missing(opened('x'))[0];
    if (first === undefined) throw new Error('nothing is read');
    const searching = (await first.perform(reader))(opened('x'));
    const stopped = typeKeys(searching, ESCAPE);
    expect(eventsOf(stopped).reading).toBe('stopped');
    expect(logicOf(topScreen(stopped)).missing(stopped)).toEqual([]);
    expect(topScreen(typeKeys(stopped, ESCAPE)).kind).toBe('issues');
    const moved = typeKeys(stopped, 'j');
    expect(logicOf(topScreen(moved)).missing(moved)).toEqual([]);
    const goesOn = typeKeys(moved, 'G');
    expect(logicOf(topScreen(goesOn)).missing(goesOn)).toHaveLength(1);
  });

  it('restarts with another query, and ignores responses to the previous one', async () => {
    const reader = sampleReader();
    const state = await readMissing(reader, opened('route:/1'));
    const changed = typeKeys(state, `/\u0015route:/0${ENTER}`);
    expect(eventsOf(changed)).toMatchObject({ query: 'route:/0', reading: 'loading' });
    const late = logicOf(topScreen(opened('route:/1'))).missing(opened('route:/1'))[0];
    const after = late === undefined ? changed : (await late.perform(reader))(changed);
    expect(eventsOf(after)).toMatchObject({ reading: 'loading', list: { rows: eventsOf(state).list.rows } });
    const read = await readMissing(reader, after);
    expect(eventsOf(read).list.rows.every(({ route }) => route === '/0')).toBe(true);
    const narrower = typeKeys(read, '!u');
    expect(eventsOf(narrower).query).toMatch(/^route:\/0 -user_id:/);
  });

  it('shows why it cannot continue, and does not retry', () => {
    const state = opened('x');
    const [read] = logicOf(topScreen(state)).missing(state);
    for (const code of ['QUERY_INVALID', 'CURSOR_INVALID']) {
      const failed = read?.onFault?.(new Fault(code, 'not that'))?.(state) ?? state;
      expect(failed.notice).toEqual({ text: 'not that', tone: 'error' });
      expect(logicOf(topScreen(failed)).missing(failed)).toEqual([]);
      expect(topScreen(typeKeys(failed, ESCAPE)).kind).toBe('issues');
    }
  });

  it('adds no events that arrive later', async () => {
    const state = await readMissing(sampleReader(), opened(''));
    expect(logicOf(topScreen(state)).polled(state)).toEqual([]);
  });
});

describe('the screen of a search', () => {
  it('shows only visible text of an event', async () => {
    const evil = '\u001b]0;pwned\u0007\u001bP1$r\u001b\\\u009b31m\u202e\n';
    const changes = { message: evil, error_name: evil, route: evil, service: evil, app: evil, level: evil, env: evil };
    const events = [sampleEvent(1, 1, { ...changes, release: evil, user_id: evil })];
    const reader = createArrayReader({ issues: [sampleIssue(1)], events });
    const state = await readMissing(reader, opened(''));
    const lines = tableLines(
      eventsOf(state).list.rows,
      searchColumns({ rows: eventsOf(state).list.rows, width: 200, nowMs: 0, zone: 'utc' }),
      { cells: 200, selected: 0 },
    );
    const text = lines.flatMap((line) => line.map((span) => span.text)).join('');
    expect(text).toContain('␛]0;pwned␇');
    expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});
