import { Fault } from '../../../core/event/fault.js';
import { logicOf } from '../../../tui/app/screen-table.js';
import { resize } from '../../../tui/app/update.js';
import { EVENT_PANES } from '../../../tui/state/event-state.js';
import { ISSUE_PANES } from '../../../tui/state/issue-state.js';
import { initialState, type TerminalState, topScreen } from '../../../tui/state/terminal-state.js';
import { bindingsAt, commandOf, DEFAULT_KEYMAP, type KeyScope } from '../../../tui/terminal/keymap.js';
import { createArrayReader, sampleEvent, sampleEventId, sampleIssue, sampleIssueId } from '../array-reader.js';
import { typeKeys } from '../type-keys.js';

const UP = '\u001b[A';
const ENTER = '\r';
const PAGE_DOWN = '\u001b[6~';

const events = Array.from({ length: 50 }, (_, index) => sampleEvent(139, index));
const reader = createArrayReader({ issues: Array.from({ length: 140 }, (_, n) => sampleIssue(n)), events });

const missing = (state: TerminalState) => logicOf(topScreen(state)).missing(state);

/** Reads what the visible screen needs, as the browser does. */
async function load(state: TerminalState): Promise<TerminalState> {
  let loaded = state;
  for (const read of missing(state)) loaded = (await read.perform(reader))(loaded);
  return loaded;
}

const start = (): Promise<TerminalState> => load(initialState({ size: { columns: 80, rows: 24 }, nowMs: 0 }));
const selection = (state: TerminalState): string | undefined => {
  const top = topScreen(state);
  return 'list' in top ? top.list.selectedId : undefined;
};

describe('navigation', () => {
  it('goes from the issues to an issue, to an event, and back, and restores each selection', async () => {
    const issues = typeKeys(await start(), 'j');
    const atIssue = await load(typeKeys(issues, `${UP}${ENTER}`));
    expect(topScreen(atIssue)).toMatchObject({ kind: 'issue', issue: { issue_id: sampleIssueId(139) } });
    const atEvent = await load(typeKeys(atIssue, 'jjl'));
    expect(topScreen(atEvent)).toMatchObject({ kind: 'event', eventId: sampleEventId(47) });
    const back = typeKeys(atEvent, 'h');
    expect(selection(back)).toBe(sampleEventId(47));
    expect(selection(typeKeys(back, '\u001b'))).toBe(sampleIssueId(139));
    expect(typeKeys(back, '\u001b\u001b').stack).toHaveLength(1);
  });

  it('applies keys that were typed ahead to the screens that they open', async () => {
    const state = typeKeys(await start(), `jj${ENTER}`);
    expect(topScreen(state)).toMatchObject({ kind: 'issue', issue: { issue_id: sampleIssueId(137) } });
    expect(typeKeys(state, ENTER)).toBe(state);
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
  ])('is moved by %j', async (keys, expected) => {
    expect(selection(typeKeys(await start(), keys))).toBe(sampleIssueId(expected));
  });

  it('follows the link at the end of an event, and only if it is visible', async () => {
    const atEvent = await load(typeKeys(await load(typeKeys(await start(), ENTER)), ENTER));
    expect(typeKeys(atEvent, ENTER)).toBe(atEvent);
    expect(topScreen(typeKeys(atEvent, `G${ENTER}`)).kind).toBe('issue');
  });

  it('ends by q and Ctrl-C, also from the help and the prompt', async () => {
    for (const keys of ['q', '\u0003', '?q', '?\u0003', '/x\u0003']) {
      expect(typeKeys(await start(), keys).isOver).toBe(true);
    }
    expect(typeKeys(await start(), '/q').isOver).toBe(false);
  });

  it('opens the help, which scrolls in a low window, and closes it without another effect', async () => {
    const before = await start();
    const state = typeKeys(before, '?');
    expect(state.overlay).toMatchObject({ kind: 'sheet', title: 'Help: issues', top: 0 });
    expect(typeKeys(state, '/').overlay).toMatchObject({ kind: 'sheet', title: 'Help: query language' });
    const low = resize(state, { columns: 80, rows: 10 });
    expect(typeKeys(low, 'jj').overlay).toMatchObject({ top: 2 });
    expect(typeKeys(low, 'jjg').overlay).toMatchObject({ top: 0 });
    for (const key of ['?', '\u001b', ENTER, 's']) {
      expect(typeKeys(state, key).overlay).toBeUndefined();
      expect(topScreen(typeKeys(state, key))).toBe(topScreen(before));
    }
  });

  it('ignores pasted text and mouse reports', async () => {
    const state = await start();
    expect(typeKeys(state, '\u001b[200~q\rjjG/?\u001b[201~')).toBe(state);
    expect(typeKeys(state, '\u001b[M qq\u001b[<0;1;1M\u001b[<35;20;10m')).toBe(state);
  });
});

describe('the filter', () => {
  const prompt = ({ overlay }: TerminalState) => (overlay?.kind === 'prompt' ? overlay : undefined);
  const wanted = (state: TerminalState) => {
    const top = topScreen(state);
    return top.kind === 'issues' ? top.wanted : undefined;
  };

  it('is typed, edited, applied, shown, and cleared', async () => {
    const typing = typeKeys(await start(), '/Failure139x\u007f y\u0017');
    expect(prompt(typing)?.draft).toBe('Failure139 ');
    const applied = await load(typeKeys(typing, ENTER));
    expect(prompt(applied)).toBeUndefined();
    expect(topScreen(applied)).toMatchObject({ total: 1, shown: { query: 'Failure139' } });
    expect(prompt(typeKeys(applied, '/'))?.draft).toBe('Failure139');
    expect(wanted(typeKeys(applied, `/\u0015${ENTER}`))?.query).toBe('');
    expect(wanted(typeKeys(applied, '\u001b'))?.query).toBe('');
    expect(wanted(typeKeys(applied, '/x\u001b'))?.query).toBe('Failure139');
  });

  it('can be edited at any position', async () => {
    const typing = typeKeys(await start(), '/ac\u001b[Db\u001b[H<\u001b[F>\u0001\u001b[3~');
    expect(prompt(typing)).toMatchObject({ draft: 'abc>', cursor: 0 });
    expect(prompt(typeKeys(typing, '\u0006\u000b'))).toMatchObject({ draft: 'a', cursor: 1 });
  });

  it('accepts pasted text as one line', async () => {
    expect(prompt(typeKeys(await start(), '/\u001b[200~a\nb\u001b[31m\u001b[201~'))?.draft).toBe('a b [31m');
  });

  it('stays open if the query is invalid', async () => {
    const before = await start();
    const refused = typeKeys(before, `/level:error nosuch:x${ENTER}`);
    expect(prompt(refused)).toMatchObject({ draft: 'level:error nosuch:x' });
    expect(topScreen(refused)).toMatchObject({ list: { selectedId: sampleIssueId(139) } });
  });

  it('is replaced by the previous one if the collector rejects it, with the reason', async () => {
    const applied = typeKeys(await start(), `/x${ENTER}`);
    const [read] = missing(applied);
    const change = read?.onFault?.(new Fault('QUERY_INVALID', 'column 1: no'));
    const refused = change?.(applied) ?? applied;
    expect(wanted(refused)?.query).toBe('');
    expect(refused.notice).toEqual({ text: 'column 1: no', tone: 'error' });
    const [first] = missing(initialState({ size: { columns: 80, rows: 24 }, nowMs: 0 }));
    expect(first?.onFault?.(new Fault('QUERY_INVALID', 'no'))).toBeUndefined();
  });

  it('selects the first row when the order changes', async () => {
    const sorted = await load(typeKeys(await start(), 'jjsc'));
    expect(wanted(sorted)?.sort).toBe('count');
    expect(selection(sorted)).toBe(sorted.stack[0].list.rows[0]?.issue_id);
    expect(wanted(typeKeys(sorted, 'sl'))?.sort).toBe('last_seen');
  });
});

describe('a window of another size', () => {
  it('still shows the selected row', async () => {
    const tall = typeKeys(resize(await start(), { columns: 200, rows: 60 }), 'G');
    const low = resize(tall, { columns: 80, rows: 12 });
    const top = topScreen(low);
    if (top.kind !== 'issues') throw new Error('not the issues');
    const visible = top.list.rows.slice(top.list.top, top.list.top + 8).map(({ issue_id }) => issue_id);
    expect(visible).toContain(selection(tall));
  });

  it('may be very small', async () => {
    for (const size of [
      { columns: 1, rows: 1 },
      { columns: 0, rows: 0 },
    ]) {
      const state = typeKeys(resize(await load(typeKeys(await start(), ENTER)), size), `jGg${PAGE_DOWN}`);
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

  it.each(scopes)('binds each key to one command on $screen $pane', (scope) => {
    const keys = bindingsAt(DEFAULT_KEYMAP, scope, true).flatMap((binding) => binding.keys);
    expect(keys).toEqual([...new Set(keys)]);
  });

  it('has no command for pasted text, and no action if the terminal is read-only', () => {
    expect(commandOf(DEFAULT_KEYMAP, { kind: 'paste', text: 'q' }, { screen: 'issues' }, true)).toBeUndefined();
    const resolve = { kind: 'character', character: 'r' } as const;
    expect(commandOf(DEFAULT_KEYMAP, resolve, { screen: 'issues' }, true)).toBe('resolve');
    expect(commandOf(DEFAULT_KEYMAP, resolve, { screen: 'issues' }, false)).toBeUndefined();
  });
});
