import { Fault } from '../../../core/event/fault.js';
import { logicOf } from '../../../tui/app/screen-table.js';
import { press, resize } from '../../../tui/app/update.js';
import { EVENT_PANES } from '../../../tui/state/event-state.js';
import { ISSUE_PANES } from '../../../tui/state/issue-state.js';
import { initialState, type TerminalState, topScreen } from '../../../tui/state/terminal-state.js';
import { createKeyParser } from '../../../tui/terminal/key-parser.js';
import { bindingsAt, commandOf, DEFAULT_KEYMAP, type KeyScope } from '../../../tui/terminal/keymap.js';
import { createArrayReader, sampleEvent, sampleEventId, sampleIssue, sampleIssueId } from '../array-reader.js';

const UP = '\u001b[A';
const ENTER = '\r';
const PAGE_DOWN = '\u001b[6~';

/** The state after keys as a terminal sends them. */
function type(state: TerminalState, keys: string): TerminalState {
  const parser = createKeyParser();
  return [...parser.push(keys), ...parser.flush()].reduce(press, state);
}

const events = Array.from({ length: 50 }, (_, index) => sampleEvent(139, index));
const reader = createArrayReader({ issues: Array.from({ length: 140 }, (_, n) => sampleIssue(n)), events });

const missing = (state: TerminalState) => logicOf(topScreen(state)).missing(state);

/** Does what the visible screen lacks, as the browser would. */
async function load(state: TerminalState): Promise<TerminalState> {
  let loaded = state;
  for (const read of missing(state)) loaded = (await read.perform(reader))(loaded);
  return loaded;
}

const start = (): Promise<TerminalState> => load(initialState({ size: { columns: 80, rows: 24 }, nowMs: 0 }));
const selection = (state: TerminalState): string | undefined => {
  const top = topScreen(state);
  return top.kind === 'event' ? undefined : top.list.selectedId;
};

describe('the way through the screens', () => {
  it('goes from the issues to an issue, to an event, and back, and finds each selection again', async () => {
    const issues = type(await start(), 'j');
    const atIssue = await load(type(issues, `${UP}${ENTER}`));
    expect(topScreen(atIssue)).toMatchObject({ kind: 'issue', issue: { issue_id: sampleIssueId(139) } });
    const atEvent = await load(type(atIssue, 'jjl'));
    expect(topScreen(atEvent)).toMatchObject({ kind: 'event', eventId: sampleEventId(47) });
    const back = type(atEvent, 'h');
    expect(selection(back)).toBe(sampleEventId(47));
    expect(selection(type(back, '\u001b'))).toBe(sampleIssueId(139));
    expect(type(back, '\u001b\u001b').stack).toHaveLength(1);
  });

  it('takes keys that were typed ahead, for the screens that they will find', async () => {
    const state = type(await start(), `jj${ENTER}`);
    expect(topScreen(state)).toMatchObject({ kind: 'issue', issue: { issue_id: sampleIssueId(137) } });
    expect(type(state, ENTER)).toBe(state);
  });

  it.each([
    ['j', 138],
    ['jjk', 138],
    [PAGE_DOWN, 121],
    [`${PAGE_DOWN}\u001b[5~`, 139],
    ['\u0004', 130],
    ['\u0004\u0015', 139],
    ['G', 40],
    ['Gg', 139],
    ['\u001b[F\u001b[H', 139],
    ['k', 139],
  ])('moves by %j', async (keys, expected) => {
    expect(selection(type(await start(), keys))).toBe(sampleIssueId(expected));
  });

  it('follows the link at the end of an event, and only where it is visible', async () => {
    const atEvent = await load(type(await load(type(await start(), ENTER)), ENTER));
    expect(type(atEvent, ENTER)).toBe(atEvent);
    expect(topScreen(type(atEvent, `G${ENTER}`)).kind).toBe('issue');
  });

  it('leaves by q and Ctrl-C, also from the help and the prompt', async () => {
    for (const keys of ['q', '\u0003', '?q', '?\u0003', '/x\u0003']) {
      expect(type(await start(), keys).isOver).toBe(true);
    }
    expect(type(await start(), '/q').isOver).toBe(false);
  });

  it('opens the help, which scrolls, and closes it without doing anything else', async () => {
    const before = await start();
    const state = type(before, '?');
    expect(state.overlay).toMatchObject({ kind: 'sheet', title: 'Help: issues', top: 0 });
    expect(type(state, 'jj').overlay).toMatchObject({ top: 2 });
    expect(type(state, 'jjg').overlay).toMatchObject({ top: 0 });
    for (const key of ['?', '\u001b', ENTER, 's', '/']) {
      expect(type(state, key).overlay).toBeUndefined();
      expect(topScreen(type(state, key))).toBe(topScreen(before));
    }
  });

  it('does nothing for pasted text and mouse reports', async () => {
    const state = await start();
    expect(type(state, '\u001b[200~q\rjjG/?\u001b[201~')).toBe(state);
    expect(type(state, '\u001b[M qq\u001b[<0;1;1M\u001b[<35;20;10m')).toBe(state);
  });
});

describe('the filter', () => {
  const prompt = ({ overlay }: TerminalState) => (overlay?.kind === 'prompt' ? overlay : undefined);
  const wanted = (state: TerminalState) => {
    const top = topScreen(state);
    return top.kind === 'issues' ? top.wanted : undefined;
  };

  it('is typed, edited, applied, shown, and cleared', async () => {
    const typing = type(await start(), '/Failure139x\u007f y\u0017');
    expect(prompt(typing)?.draft).toBe('Failure139 ');
    const applied = await load(type(typing, ENTER));
    expect(prompt(applied)).toBeUndefined();
    expect(topScreen(applied)).toMatchObject({ total: 1, shown: { query: 'Failure139' } });
    expect(prompt(type(applied, '/'))?.draft).toBe('Failure139');
    expect(wanted(type(applied, `/\u0015${ENTER}`))?.query).toBe('');
    expect(wanted(type(applied, '\u001b'))?.query).toBe('');
    expect(wanted(type(applied, '/x\u001b'))?.query).toBe('Failure139');
  });

  it('is edited anywhere in it', async () => {
    const typing = type(await start(), '/ac\u001b[Db\u001b[H<\u001b[F>\u0001\u001b[3~');
    expect(prompt(typing)).toMatchObject({ draft: 'abc>', cursor: 0 });
    expect(prompt(type(typing, '\u0006\u000b'))).toMatchObject({ draft: 'a', cursor: 1 });
  });

  it('takes pasted text as one line', async () => {
    expect(prompt(type(await start(), '/\u001b[200~a\nb\u001b[31m\u001b[201~'))?.draft).toBe('a b [31m');
  });

  it('stays open with the column and the reason when the query cannot be read', async () => {
    const before = await start();
    const refused = type(before, `/level:error (x${ENTER}`);
    expect(prompt(refused)).toMatchObject({ draft: 'level:error (x', problem: { column: 13 } });
    expect(missing(refused)).toEqual([]);
    expect(topScreen(refused)).toMatchObject({ list: { selectedId: sampleIssueId(139) } });
    expect(prompt(type(refused, '\u007f'))?.problem).toBeUndefined();
  });

  it('gives way to the one before where the collector cannot read it, and says why', async () => {
    const applied = type(await start(), `/x${ENTER}`);
    const [read] = missing(applied);
    const change = read?.onFault?.(new Fault('QUERY_INVALID', 'column 1: no'));
    const refused = change?.(applied) ?? applied;
    expect(wanted(refused)?.query).toBe('');
    expect(refused.notice).toEqual({ text: 'column 1: no', tone: 'error' });
    const [first] = missing(initialState({ size: { columns: 80, rows: 24 }, nowMs: 0 }));
    expect(first?.onFault?.(new Fault('QUERY_INVALID', 'no'))).toBeUndefined();
  });

  it('keeps the selection when the order changes', async () => {
    const sorted = await load(type(await start(), 'jjsc'));
    expect(wanted(sorted)?.sort).toBe('count');
    expect(selection(sorted)).toBe(sampleIssueId(137));
    expect(wanted(type(sorted, 'sl'))?.sort).toBe('last_seen');
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
  const scopes: KeyScope[] = [
    { screen: 'issues' },
    { screen: 'events' },
    ...ISSUE_PANES.map((pane): KeyScope => ({ screen: 'issue', pane })),
    ...EVENT_PANES.map((pane): KeyScope => ({ screen: 'event', pane })),
  ];

  it.each(scopes)('gives no key two meanings on $screen $pane', (scope) => {
    const keys = bindingsAt(DEFAULT_KEYMAP, scope, true).flatMap((binding) => binding.keys);
    expect(keys).toEqual([...new Set(keys)]);
  });

  it('has no command for what is pasted, and no action for those who only read', () => {
    expect(commandOf(DEFAULT_KEYMAP, { kind: 'paste', text: 'q' }, { screen: 'issues' }, true)).toBeUndefined();
    const resolve = { kind: 'character', character: 'r' } as const;
    expect(commandOf(DEFAULT_KEYMAP, resolve, { screen: 'issues' }, true)).toBe('resolve');
    expect(commandOf(DEFAULT_KEYMAP, resolve, { screen: 'issues' }, false)).toBeUndefined();
  });
});
