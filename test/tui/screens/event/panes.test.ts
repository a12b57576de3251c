import { Fault } from '../../../../core/event/fault.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { resize } from '../../../../tui/app/update.js';
import { openIssue } from '../../../../tui/state/issue-state.js';
import { openEvents } from '../../../../tui/state/status-state.js';
import { topScreen } from '../../../../tui/state/terminal-state.js';
import { sampleEventId } from '../../array-reader.js';
import { typeKeys } from '../../type-keys.js';
import {
  atEvent,
  createTestContext,
  cursorRow,
  event,
  eventScreen,
  issueScreen,
  load,
  NODE_STACK,
  perform,
  shown,
  tabs,
  withAbove,
} from './at-event.js';

const ENTER = '\r';
const CTRL_N = '\u000e';
const CTRL_P = '\u0010';

describe('the panes of an event', () => {
  it('are selected by Tab and by their numbers, and listed in their own row', async () => {
    const { state } = await atEvent([event(1)]);
    expect(tabs(state)).toContain(' 1[Detail] 2 Stack ');
    const panes = ['stack', 'related', 'diff', 'detail'];
    let now = state;
    for (const pane of panes) {
      now = typeKeys(now, '\t');
      expect(eventScreen(now).pane).toBe(pane);
    }
    expect(eventScreen(typeKeys(now, '\u001b[Z')).pane).toBe('diff');
    expect(['1', '2', '3', '4'].map((key) => eventScreen(typeKeys(now, key)).pane)).toEqual([
      'detail',
      'stack',
      'related',
      'diff',
    ]);
  });

  it('show the number of notes and errors in their tabs', async () => {
    const note = { code: 'STRING_CUT', field: '/message', reason: 'cut to 8,192 characters.' };
    const { state } = await atEvent([{ ...event(1, { stack: NODE_STACK }), notes: [note] }]);
    expect(tabs(state)).toMatch(/chain of 2 · 1 note: 2$/);
    const rows = shown(typeKeys(state, '2G'));
    expect(rows.slice(-2)).toEqual([
      '  Notes: what was cut or guessed',
      '› /message: cut to 8,192 characters. (STRING_CUT)',
    ]);
  });
});

describe('the detail view', () => {
  it('folds the section at the top of the window, and shows how much is hidden', async () => {
    const { state } = await atEvent([event(1)]);
    const whole = shown(state);
    expect(whole[0]).toBe('  Event 019a3c5e');
    // From the top only Tags is in the window.
    const folded = typeKeys(state, 'z');
    expect(shown(folded)[17]).toBe('  Tags  ▸ 2 lines folded');
    expect(shown(typeKeys(folded, 'z'))).toEqual(whole);
    const inRaw = typeKeys(state, '\u001b[6~');
    expect(shown(inRaw)[0]).toMatch(/^$|^ {2}(?:Tags|attempt|region|Release)/);
    const json = typeKeys(inRaw, 'jjjjjjj');
    expect(shown(typeKeys(json, 'z')).join('\n')).toContain('Raw Payload  ▸ 27 lines folded');
  });

  it('folds everything and unfolds it', async () => {
    const { state } = await atEvent([event(1)], { rows: 40 });
    const folded = typeKeys(state, 'Z');
    expect(shown(folded).filter((row) => row.includes('folded'))).toHaveLength(3);
    expect(shown(typeKeys(folded, 'Z'))).toEqual(shown(state));
    // All headings are in the window, so a menu opens.
    const asked = typeKeys(folded, 'z');
    expect(asked.overlay).toMatchObject({ kind: 'menu', title: 'Fold which section?' });
    expect(eventScreen(typeKeys(asked, 'n')).folded).toEqual(new Set(['Tags', 'Raw Payload']));
  });

  it('finds a text, and goes through the matches and around', async () => {
    const { state } = await atEvent([event(1)]);
    const found = typeKeys(state, `/user_id${ENTER}`);
    expect(tabs(found)).toMatch(/user_id 1\/2$/);
    expect(shown(found).join('\n')).toContain('"user_id": "u-7"');
    expect(tabs(typeKeys(found, CTRL_N))).toMatch(/user_id 2\/2$/);
    expect(tabs(typeKeys(found, CTRL_N + CTRL_N))).toMatch(/user_id 1\/2$/);
    expect(tabs(typeKeys(found, CTRL_P))).toMatch(/user_id 2\/2$/);
    expect(typeKeys(state, `/nowhere${ENTER}`).notice?.text).toBe('Not found: nowhere');
  });

  it('unfolds sections that hide a match', async () => {
    const { state } = await atEvent([event(1)]);
    const found = typeKeys(typeKeys(state, 'Z'), `/SKU-nothing${ENTER}`);
    expect(eventScreen(found).folded.size).toBe(3);
    expect(eventScreen(typeKeys(typeKeys(state, 'Z'), `/"user_id"${ENTER}`)).folded).toEqual(new Set(['Tags']));
  });

  it('scrolls a message of a megabyte', async () => {
    const { state } = await atEvent([event(1, { message: `${'lorem ipsum '.repeat(90_000)}needle` })]);
    const found = typeKeys(state, `/needle${ENTER}`);
    expect(tabs(found)).toMatch(/needle 1\/3$/);
    expect(shown(found).join('')).toContain('needle');
  });
});

describe('the stack', () => {
  it('shows errors with their frames, library frames in one row, and which error is the root', async () => {
    const { state } = await atEvent([event(1, { stack: NODE_STACK })]);
    expect(shown(typeKeys(state, '2'))).toEqual(
      [
        '  6 calls, 3 in the application · 2 errors, the root is StorageError',
        '',
        '  OrderError: order 7 was not saved',
        '› • saveOrder  /srv/api/src/orders/save.js:31:11',
        '  … 2 frames of libraries',
        '  • main       /srv/api/src/main.js:9:3',
        '',
        '  Caused by: [root] StorageError: page 3 is read-only',
        '  • writePage  /srv/api/src/storage/page.js:12:7',
        '  … 1 frame of libraries',
      ].map((row) => row.slice(0, 80)),
    );
  });

  it('unfolds library frames and folds them again', async () => {
    const { state } = await atEvent([event(1, { stack: NODE_STACK })]);
    const unfolded = typeKeys(state, '2j ');
    expect(shown(unfolded).slice(4, 7)).toEqual([
      '› ▾ 2 frames of libraries',
      '    Layer.handle  /srv/api/node_modules/express/lib/router/layer.js:95:5',
      '    next          /srv/api/node_modules/express/lib/router/route.js:149:13',
    ]);
    expect(shown(typeKeys(unfolded, ENTER))).toEqual(shown(typeKeys(state, '2j')));
    const all = typeKeys(state, '2Z');
    expect(shown(all).join('\n')).not.toContain('…');
    expect(shown(all).join('\n')).toContain('node:internal/fs/promises:55:9');
    expect(shown(typeKeys(all, 'Z')).join('\n')).toContain('frames folded');
  });

  it('reads the source of a frame once, when it is opened, and opens the file at its line', async () => {
    const { state, reader } = await atEvent([event(1, { stack: NODE_STACK })]);
    const asked: string[] = [];
    const outside = createTestContext(reader, {
      readSource: async (file, line) => {
        asked.push(`${file}:${line}`);
        return {
          path: '/home/anna/api/src/orders/save.js',
          firstLine: 30,
          lines: ['before', 'throw error;', 'behind'],
        };
      },
      edit: async (path, line) => `opened ${path} at ${line}`,
    });
    const opened = await perform(typeKeys(state, `2${ENTER}`), outside);
    expect(shown(opened).slice(3, 7)).toEqual([
      '› • saveOrder  /srv/api/src/orders/save.js:31:11',
      '      30 │ before',
      '      31 → throw error;',
      '      32 │ behind',
    ]);
    const again = await perform(typeKeys(opened, ENTER + ENTER), outside);
    expect(asked).toEqual(['/srv/api/src/orders/save.js:31']);
    const edited = await perform(typeKeys(again, 'e'), outside);
    expect(edited.notice?.text).toBe('opened /home/anna/api/src/orders/save.js at 31');
    expect((await perform(typeKeys(again, 'jjje'), outside)).notice?.text).toMatch(/save\.js at 32$/);
  });

  it('shows that a file cannot be read', async () => {
    const { state, reader } = await atEvent([event(1, { stack: NODE_STACK })]);
    const outside = createTestContext(reader, {
      readSource: async () => undefined,
      edit: async () => {
        throw new Fault('FILE_NOT_FOUND', 'The file does not exist here.');
      },
    });
    const opened = await perform(typeKeys(state, '2 '), outside);
    expect(shown(opened)[4]).toBe('        The file is not on this machine.');
    await expect(perform(typeKeys(opened, 'e'), outside)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('shows a text without frames unchanged, and a message for an event without a stack', async () => {
    const text = await atEvent([event(1, { stack: 'something went\nwrong here' })]);
    expect(shown(typeKeys(text.state, '2')).slice(2)).toEqual(['  something went', '  wrong here']);
    const none = await atEvent([event(1, { stack: null })]);
    expect(shown(typeKeys(none.state, '2'))).toEqual(['› No stack.']);
  });

  it('finds folded text', async () => {
    const { state } = await atEvent([event(1, { stack: NODE_STACK })]);
    const found = typeKeys(state, `2/layer.js${ENTER}`);
    expect(cursorRow(found)).toContain('Layer.handle');
  });

  it('marks the frame that groups the issue', async () => {
    const { state } = await atEvent([event(1, { stack: NODE_STACK })]);
    const below = issueScreen(state);
    const part = { part: 'frames', used: true, value: ['writePage (storage/page.js)'], reason: '' };
    const basis = { version: 2, rule: 'stack', parts: [part] };
    const detail = {
      ...below.issue,
      fingerprints: [],
      members: [],
      fingerprint_version: 2,
      basis,
      history: [],
      automatic_history: [],
      related: [],
    };
    const known = withAbove(state, (above) => above.map((one) => (one === below ? { ...below, detail } : one)));
    const marked = shown(typeKeys(known, '2')).filter((row) => row.includes('groups this issue'));
    expect(marked).toHaveLength(1);
    expect(marked[0]).toContain('writePage');
  });
});

describe('filtering by a value of the event', () => {
  it('adds the chosen value, or its exclusion, to the list below', async () => {
    const { state } = await atEvent([event(1, { tags: { 'a key': 'x y' } })]);
    const query = (keys: string): string => issueScreen(typeKeys(state, keys)).query;
    expect(query('*c')).toBe('status_code:422');
    expect(query('!c')).toBe('-status_code:422');
    expect(query('*o')).toBe('route:/api/v1/cart/lines');
    expect(query(`*${'\u001b[B'.repeat(11)}${ENTER}`)).toBe('tags."a key":"x y"');
    const filtered = typeKeys(state, '*c');
    expect(filtered.stack).toHaveLength(2);
    expect(issueScreen(filtered)).toMatchObject({ pane: 'events', reading: 'loading', list: { rows: [] } });
  });
});

it('an event with ten thousand tags, a long text and ten thousand levels is shown and searched', async () => {
  const tags = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`tag${index}`, `value ${index}`]));
  let nested: RawPayload['extra'] = { end: 'here' };
  for (let level = 0; level < 10_000; level += 1) nested = { in: nested };
  const { state } = await atEvent([event(1, { tags, extra: nested, message: 'z'.repeat(10_000_000) })]);
  expect(shown(typeKeys(state, `/tag9999${ENTER}`)).join('\n')).toContain('value 9999');
  expect(shown(typeKeys(state, `/here${ENTER}`)).join('\n')).toContain('"here"');
  expect(shown(typeKeys(state, `/zzzz${ENTER}`)).length).toBeLessThanOrEqual(22);
  expect(shown(typeKeys(state, '4')).join('\n')).toContain('+');
});

describe('stepping through the list below', () => {
  it('goes to the next and previous event, with the selection below, pane, folds and search', async () => {
    const { state, reader } = await atEvent([event(1), event(2), event(3)]);
    const folded = typeKeys(state, `Z/message${ENTER}`);
    const next = await load(typeKeys(folded, 'n'), reader);
    expect(eventScreen(next)).toMatchObject({ eventId: sampleEventId(2), search: 'message', pane: 'detail' });
    expect(eventScreen(next).folded).toEqual(eventScreen(folded).folded);
    expect(issueScreen(next).list.selectedId).toBe(sampleEventId(2));
    expect(eventScreen(typeKeys(next, 'N')).eventId).toBe(sampleEventId(3));
    expect(typeKeys(state, 'N').notice?.text).toBe('First event.');
    expect(typeKeys(next, 'nn').notice?.text).toBe('Last event.');
  });

  it('loads more at the end of what is loaded', async () => {
    const events = Array.from({ length: 230 }, (_, index) => event(index));
    const { state, reader } = await atEvent(events, { place: 99 });
    const below = issueScreen(state);
    const cut = {
      ...below,
      list: { ...below.list, rows: below.list.rows.slice(0, 100), nextCursor: sampleEventId(130) },
    };
    const waiting = typeKeys(
      withAbove(state, (above) => above.map((one) => (one === below ? cut : one))),
      'n',
    );
    expect(waiting.notice?.text).toBe('Loading more events…');
    const moved = await load(waiting, reader);
    expect(eventScreen(moved)).toMatchObject({ eventId: sampleEventId(129), step: undefined });
    expect(moved.notice).toBeUndefined();
    expect(issueScreen(moved).list.rows.length).toBeGreaterThan(100);
  });

  it('loads a list below that was never visible, as after resuming', async () => {
    const { state, reader } = await atEvent([event(1), event(2)]);
    const resumed = withAbove(state, (above) =>
      above.map((one) => (one.kind === 'issue' ? openIssue(one.key, one.issue) : one)),
    );
    expect(typeKeys(resumed, 'n').notice?.text).toBe('The event is not in the loaded list.');
    const read = await load(typeKeys(resumed, '4'), reader);
    expect(eventScreen(read).diff.other?.event_id).toBe(sampleEventId(1));
    expect(eventScreen(typeKeys(read, 'n')).eventId).toBe(sampleEventId(1));
  });
});

describe('actions on an event', () => {
  it('open a copy of the whole event in the editor, and say nothing after an editor in the terminal', async () => {
    const { state, reader } = await atEvent([event(4, { message: 'hidden \u202e' })]);
    const outside = createTestContext(reader, { editCopy: async (name, text) => `${name} ${text}` });
    for (const keys of ['e', '3e']) {
      const notice = (await perform(typeKeys(state, keys), outside)).notice?.text ?? '';
      expect(notice).toMatch(/^event-[0-9a-f]{4}-[0-9a-f]{4}\.json \{\n {2}"event_id": /);
      expect(notice).toContain('"message": "hidden \\u202e"');
      expect(JSON.parse(notice.slice(notice.indexOf('{')))).toEqual({ ...eventScreen(state).event });
    }
    const quiet = createTestContext(reader, { editCopy: async () => undefined });
    expect((await perform(typeKeys(state, 'e'), quiet)).notice).toBeUndefined();
  });

  it('apply to the issue below, if they are allowed', async () => {
    const { state } = await atEvent([event(1)]);
    expect(typeKeys(state, 'r')).toMatchObject({ overlay: undefined, pendingEffects: [], notice: { tone: 'info' } });
    const allowed = { ...state, access: { actions: true } };
    expect(typeKeys(allowed, 'r').overlay).toBeDefined();
    const alone = withAbove(allowed, (above) => above.slice(1));
    expect(typeKeys(alone, 'r').notice?.text).toBe('Not possible here: go back to the issue.');
    expect(typeKeys(alone, 'n').notice?.text).toBe('No next event: it was opened by its id.');
    expect(typeKeys(alone, '*c').notice?.text).toMatch(/^No list of events to filter/);
  });

  it('filter a search through all events too', async () => {
    const { state } = await atEvent([event(1)]);
    const events = { ...openEvents(9, 'level:error OR level:fatal'), reading: 'loaded' as const };
    const filtered = typeKeys(
      withAbove(state, (above) => above.toSpliced(1, 0, events)),
      '*c',
    );
    expect(filtered.stack).toHaveLength(3);
    expect(topScreen(filtered)).toMatchObject({
      kind: 'events',
      query: '(level:error OR level:fatal) status_code:422..422',
      reading: 'loading',
      scanned: undefined,
    });
  });

  it('the position in a pane stays when the window is resized', async () => {
    const { state } = await atEvent([event(1, { stack: NODE_STACK }), event(2)]);
    for (const keys of ['3jjjjjj', '2jj', 'jjj']) {
      const small = resize(typeKeys(state, keys), { columns: 60, rows: 10 });
      const back = resize(small, { columns: 80, rows: 24 });
      expect(cursorRow(back)).toBe(cursorRow(typeKeys(state, keys)));
    }
  });

  it('the link and Escape lead back', async () => {
    const { state } = await atEvent([event(1)]);
    expect(typeKeys(state, ENTER)).toBe(state);
    expect(typeKeys(state, `G${ENTER}`).stack).toHaveLength(2);
    for (const keys of ['\u001b', 'h', '3\u001b', '2h']) expect(typeKeys(state, keys).stack).toHaveLength(2);
  });
});
