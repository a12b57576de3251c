import { Fault } from '../../core/event/fault.js';
import { commandOf, KEY_BINDINGS } from '../../tui/keymap.js';
import { press, resize } from '../../tui/route.js';
import { eventRead, eventsRead, issuesRead, readFailed } from '../../tui/state/read-results.js';
import { missingReads } from '../../tui/state/reads.js';
import { initialState, type TerminalState, topScreen } from '../../tui/state/terminal-state.js';
import { createKeyParser } from '../../tui/terminal/key-parser.js';
import { createArrayReader, sampleEvent, sampleEventId, sampleIssue, sampleIssueId } from './array-reader.js';

const UP = '\u001b[A';
const ENTER = '\r';
const PAGE_DOWN = '\u001b[6~';

/** The state after keys as a terminal sends them. */
function type(state: TerminalState, keys: string): TerminalState {
  const parser = createKeyParser();
  return [...parser.push(keys), ...parser.flush()].reduce(press, state);
}

const events = Array.from({ length: 50 }, (_, place) => sampleEvent(39, place));
const reader = createArrayReader({ issues: Array.from({ length: 40 }, (_, n) => sampleIssue(n)), events });

/** Does what the visible screen lacks, as the browser would. */
async function load(state: TerminalState): Promise<TerminalState> {
  let loaded = state;
  for (const read of missingReads(state)) {
    if (read.what === 'issues')
      loaded = issuesRead(loaded, read, await reader.listIssues({ ...read.source, limit: 30 }));
    if (read.what === 'events') loaded = eventsRead(loaded, read, await reader.listEvents(read.issueId, { limit: 30 }));
    if (read.what === 'event') loaded = eventRead(loaded, read, await reader.getEvent(read.eventId));
  }
  return loaded;
}

const start = (): Promise<TerminalState> => load(initialState({ columns: 80, rows: 24 }, 0));
const selection = (state: TerminalState): string | undefined => {
  const top = topScreen(state);
  return top.kind === 'event' ? undefined : top.list.selectedId;
};

describe('the way through the screens', () => {
  it('goes from the issues to an issue, to an event, and back, and finds each selection again', async () => {
    const issues = type(await start(), 'j');
    const atIssue = await load(type(issues, `${UP}${ENTER}`));
    expect(topScreen(atIssue)).toMatchObject({ kind: 'events', issue: { issue_id: sampleIssueId(39) } });
    const atEvent = await load(type(atIssue, 'jjl'));
    expect(topScreen(atEvent)).toMatchObject({ kind: 'event', eventId: sampleEventId(47) });
    const back = type(atEvent, 'h');
    expect(selection(back)).toBe(sampleEventId(47));
    expect(selection(type(back, '\u001b'))).toBe(sampleIssueId(39));
    expect(type(back, '\u001b\u001b').stack).toHaveLength(1);
  });

  it('takes keys that were typed ahead, for the screens that they will find', async () => {
    const state = type(await start(), `jj${ENTER}`);
    expect(topScreen(state)).toMatchObject({ kind: 'events', issue: { issue_id: sampleIssueId(37) } });
    expect(type(state, ENTER)).toBe(state);
  });

  it.each([
    ['j', 38],
    ['jjk', 38],
    [PAGE_DOWN, 20],
    [`${PAGE_DOWN}\u001b[5~`, 39],
    ['\u0004', 29],
    ['\u0004\u0015', 39],
    ['G', 10],
    ['Gg', 39],
    ['\u001b[F\u001b[H', 39],
    ['k', 39],
  ])('moves by %j', async (keys, expected) => {
    expect(selection(type(await start(), keys))).toBe(sampleIssueId(expected));
  });

  it('follows the link at the end of an event, and only where it is visible', async () => {
    const atEvent = await load(type(await load(type(await start(), ENTER)), ENTER));
    expect(type(atEvent, ENTER)).toBe(atEvent);
    expect(topScreen(type(atEvent, `G${ENTER}`)).kind).toBe('events');
  });

  it('leaves by q and Ctrl-C, also from the help and the prompt', async () => {
    for (const keys of ['q', '\u0003', '?q', '?\u0003', '/x\u0003']) {
      expect(type(await start(), keys).isOver).toBe(true);
    }
    expect(type(await start(), '/q').isOver).toBe(false);
  });

  it('opens the help and closes it without doing anything else', async () => {
    const state = type(await start(), '?');
    expect(state.isHelpOpen).toBe(true);
    expect(type(state, 'jjs/G')).toBe(state);
    for (const key of ['?', '\u001b', ENTER]) expect(type(state, key).isHelpOpen).toBe(false);
  });

  it('does nothing for pasted text and mouse reports', async () => {
    const state = await start();
    expect(type(state, '\u001b[200~q\rjjG/?\u001b[201~')).toBe(state);
    expect(type(state, '\u001b[M qq\u001b[<0;1;1M\u001b[<35;20;10m')).toBe(state);
  });
});

describe('the filter', () => {
  const prompt = (state: TerminalState) => {
    const top = topScreen(state);
    return top.kind === 'issues' ? top.prompt : undefined;
  };
  const wanted = (state: TerminalState) => {
    const top = topScreen(state);
    return top.kind === 'issues' ? top.wanted : undefined;
  };

  it('is typed, edited, applied, shown, and cleared', async () => {
    const typing = type(await start(), '/Failure39x\u007f y\u0017');
    expect(prompt(typing)?.draft).toBe('Failure39 ');
    const applied = await load(type(typing, ENTER));
    expect(prompt(applied)).toBeUndefined();
    expect(topScreen(applied)).toMatchObject({ total: 1, shown: { query: 'Failure39' } });
    expect(prompt(type(applied, '/'))?.draft).toBe('');
    expect(prompt(type(applied, `/x${UP}`))?.draft).toBe('Failure39');
    expect(wanted(type(applied, `/${ENTER}`))?.query).toBe('');
    expect(wanted(type(applied, '\u001b'))?.query).toBe('');
    expect(wanted(type(applied, '/\u001b'))?.query).toBe('');
    expect(prompt(type(applied, '/\u0015'))?.draft).toBe('');
  });

  it('takes pasted text as one line', async () => {
    expect(prompt(type(await start(), '/\u001b[200~a\nb\u001b[31m\u001b[201~'))?.draft).toBe('a b [31m');
  });

  it('comes back with the reason when the query cannot be read, above the rows that were there', async () => {
    const applied = type(await start(), `/level:(${ENTER}`);
    const [read] = missingReads(applied);
    if (read === undefined) throw new Error('nothing is read');
    const refused = readFailed(applied, read, new Fault('QUERY_INVALID', 'column 7: a "(" is never closed'), 0);
    expect(prompt(refused)).toMatchObject({ draft: 'level:(', error: 'column 7: a "(" is never closed' });
    expect(refused.connection).toEqual({ kind: 'connecting' });
    expect(JSON.stringify(missingReads(refused))).not.toContain('level:(');
    expect(topScreen(refused)).toMatchObject({ list: { selectedId: sampleIssueId(39) } });
    expect(prompt(type(refused, '\u007f'))?.error).toBeUndefined();
  });

  it('is refused for good by a collector that refuses everything, without asking again and again', async () => {
    const empty = initialState({ columns: 80, rows: 24 }, 0);
    const [read] = missingReads(empty);
    if (read === undefined) throw new Error('nothing is read');
    expect(readFailed(empty, read, new Fault('QUERY_INVALID', 'no'), 0).connection.kind).toBe('lost');
  });

  it('keeps the selection when the order changes', async () => {
    const sorted = await load(type(await start(), 'jjs'));
    expect(wanted(sorted)?.sort).toBe('count');
    expect(selection(sorted)).toBe(sampleIssueId(37));
    expect(wanted(type(sorted, 's'))?.sort).toBe('last_seen');
  });
});

describe('a window of another size', () => {
  it('still shows the selected row', async () => {
    const tall = type(resize(await start(), { columns: 200, rows: 60 }), 'G');
    const low = resize(tall, { columns: 80, rows: 12 });
    const top = topScreen(low);
    if (top.kind !== 'issues') throw new Error('not the issues');
    const visible = top.list.rows.slice(top.list.top, top.list.top + 8).map(({ issue_id }) => issue_id);
    expect(visible).toContain(selection(tall));
  });

  it('may be as small as it likes', async () => {
    for (const size of [
      { columns: 1, rows: 1 },
      { columns: 0, rows: 0 },
    ]) {
      const state = type(resize(await load(type(await start(), ENTER)), size), `jGg${PAGE_DOWN}`);
      expect(state.size).toEqual(size);
    }
  });
});

describe('the key table', () => {
  it('gives no key two meanings on one screen', () => {
    for (const screen of ['issues', 'events', 'event'] as const) {
      const keys = KEY_BINDINGS.filter(({ on }) => on?.includes(screen) ?? true).flatMap((binding) => binding.keys);
      expect(keys).toEqual([...new Set(keys)]);
    }
  });

  it('has no command for what is pasted', () => {
    expect(commandOf({ kind: 'paste', text: 'q' }, 'issues')).toBeUndefined();
  });
});
