import fc from 'fast-check';
import { resize } from '../../../tui/app/update.js';
import { openHelp } from '../../../tui/overlays/help.js';
import { openMenu } from '../../../tui/overlays/menu.js';
import { searchItems } from '../../../tui/overlays/search-items.js';
import { initialState, type TerminalState } from '../../../tui/state/terminal-state.js';
import { DEFAULT_KEYMAP } from '../../../tui/terminal/keymap.js';
import { cellsOf, neutralise } from '../../../tui/text/visible.js';
import { createArrayReader, sampleIssue } from '../array-reader.js';
import { DOWN, ENTER, ESCAPE, menuOf, overlayRows, started, typeKeys, UP } from '../type-keys.js';

const EVIL = '\u001b[31mred\u202e漢';

/** A terminal with a menu of this many items; the chosen one becomes its notice. */
function choosing(count: number, rows = 24): TerminalState {
  const state = initialState({ size: { columns: 80, rows }, nowMs: 0 });
  const items = Array.from({ length: count }, (_, index) => ({
    ...(index < 9 && { key: String(index + 1) }),
    label: `item ${index}`,
    detail: EVIL.repeat(40),
    run: (now: TerminalState): TerminalState => ({ ...now, notice: { text: `item ${index}`, tone: 'info' } }),
  }));
  return { ...state, overlay: openMenu(`Choose ${EVIL.repeat(40)}`, items) };
}

const chosenBy = (keys: string, count = 30): string | undefined => typeKeys(choosing(count), keys).notice?.text;

describe('a menu', () => {
  it.each([
    [ENTER, 'item 0'],
    [`jj${ENTER}`, 'item 2'],
    [`${DOWN}${DOWN}${UP}${ENTER}`, 'item 1'],
    [`\t\t\u001b[Z${ENTER}`, 'item 1'],
    [`k${ENTER}`, 'item 0'],
    [`\u001b[F${ENTER}`, 'item 29'],
    [`\u001b[F\u001b[H${ENTER}`, 'item 0'],
    [`\u001b[6~${ENTER}`, 'item 12'],
    [`\u001b[6~\u001b[5~${ENTER}`, 'item 0'],
    ['4', 'item 3'],
    [ESCAPE, undefined],
    ['q', undefined],
    ['x', undefined],
  ])('after %j chooses %j', (keys, item) => {
    expect(chosenBy(keys)).toBe(item);
  });

  it('stays open for keys without a meaning, and for pasted text', () => {
    expect(menuOf(typeKeys(choosing(3), 'x\u001b[200~1q\u001b[201~')).selected).toBe(0);
    expect(typeKeys(choosing(0), `j${ENTER}`).overlay).toBeDefined();
  });

  it('shows its selection in every window, and leaves room for the screen', () => {
    for (const rows of [10, 11, 24, 60]) {
      const shown = overlayRows(typeKeys(choosing(30, rows), DOWN.repeat(17)));
      expect(shown.filter((row) => row.startsWith(' › '))).toEqual([expect.stringContaining('item 17')]);
      expect(shown.length).toBeLessThanOrEqual(rows - 5);
    }
  });

  it('draws hostile labels as text, and never outside the window', () => {
    for (const row of overlayRows(choosing(5))) {
      expect(row).not.toMatch(/[\u0000-\u001f\u202e]/);
      expect(cellsOf(neutralise(row))).toBeLessThanOrEqual(80);
    }
  });
});

describe('the commands', () => {
  const reader = createArrayReader({ issues: [sampleIssue(1), sampleIssue(2)] });

  it.each([
    ['sort', 'Sort'],
    ['sort', 'Sort'],
    ['search_events', 'Search all events'],
    ['mark range', 'Mark the range from the last mark'],
    ['mouse', 'Mouse on or off'],
    ['utc', 'Times in UTC or local time'],
  ])('are found by %j', async (search, label) => {
    const [, first] = overlayRows(typeKeys(await started(reader), `:${search}`));
    expect(first).toContain(label);
  });

  it('are run by Enter, as by their keys', async () => {
    const state = await started(reader);
    expect(menuOf(typeKeys(state, `:sort${ENTER}`)).title).toBe('Sort');
    expect(typeKeys(state, `:quit${ENTER}`).isOver).toBe(true);
    expect(typeKeys(state, `:times${ENTER}`).habits.time).toBe('local');
    expect(typeKeys(state, `:nothing such${ENTER}`).overlay).toBeDefined();
    expect(typeKeys(state, ':x\u007f\u007f').overlay).toBeUndefined();
    expect(overlayRows(typeKeys(state, ':zzz\u0015')).length).toBeGreaterThan(5);
  });

  it('are found for any input, in rows that fit', async () => {
    const state = await started(reader);
    const search = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(search, (typed) => {
        for (const row of overlayRows(typeKeys(state, `:\u001b[200~${typed.replaceAll('\u001b', '')}\u001b[201~`))) {
          expect(cellsOf(neutralise(row))).toBeLessThanOrEqual(80);
        }
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ label: fc.string(), detail: fc.string() })), fc.string(), (items, typed) => {
        const found = searchItems(items, typed);
        expect(found.every((item) => items.includes(item))).toBe(true);
        const [item] = items;
        const words = item?.label.trim().replaceAll('_', ' ') ?? '';
        if (item !== undefined && !item.label.includes('_')) expect(searchItems(items, words)).toContain(item);
      }),
    );
  });
});

describe('the keys overlay', () => {
  it.each(['issues', 'issue', 'event', 'events'] as const)('is one page at 80x24 for %s', async (screen) => {
    const state = await started(createArrayReader());
    for (const canAct of [true, false])
      expect(openHelp(state, { screen, pane: 'detail' }, canAct).lines.length).toBeLessThanOrEqual(22);
  });

  it('has muted keys where they have no effect', async () => {
    const state = await started(createArrayReader());
    const meaningOf = (text: string, canAct: boolean) =>
      openHelp(state, { screen: 'issues' }, canAct)
        .lines.flat()
        .find((one) => one.text === text)?.meaning;
    expect(meaningOf('mark', true)).toBe('plain');
    expect(meaningOf('next, previous match', true)).toBe('muted');
    expect(meaningOf('assign, comment', true)).toBe('plain');
    expect(meaningOf('assign, comment', false)).toBe('muted');
  });

  it('scrolls, and stays within its text', async () => {
    const low = { columns: 80, rows: 12 };
    const state = resize(typeKeys(await started(createArrayReader()), '?'), low);
    const { overlay } = typeKeys(state, 'GGjj');
    if (overlay?.kind !== 'sheet') throw new Error('no sheet');
    expect(overlay.top).toBe(overlay.lines.length - 10);
    expect(typeKeys(state, 'Ggk').overlay).toMatchObject({ top: 0 });
    expect(typeKeys(resize(state, { columns: 80, rows: 60 }), 'G').overlay).toMatchObject({ top: expect.any(Number) });
  });

  it('shows the keys of the preferences', async () => {
    const keymap = DEFAULT_KEYMAP.map((one) => (one.command === 'filter' ? { ...one, keys: ['f5'] } : one));
    const state = await started(createArrayReader(), { keymap });
    const { overlay } = typeKeys(state, '?');
    if (overlay?.kind !== 'sheet') throw new Error('no sheet');
    const rows = overlay.lines.map((line) => line.map(({ text }) => text).join(''));
    expect(rows.find((row) => row.includes('filter;'))).toMatch(/^ {2}F5 +filter;/);
    expect(typeKeys(state, '/')).toBe(state);
    expect(typeKeys(state, '\u001b[15~').overlay?.kind).toBe('prompt');
  });
});
