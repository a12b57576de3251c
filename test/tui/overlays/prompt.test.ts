import fc from 'fast-check';
import { press } from '../../../tui/app/update.js';
import { openPrompt } from '../../../tui/overlays/prompt.js';
import type { PromptSpec } from '../../../tui/state/overlay.js';
import { initialState, type TerminalState } from '../../../tui/state/terminal-state.js';
import type { KeyInput } from '../../../tui/terminal/key-parser.js';
import { cellsOf, neutralise } from '../../../tui/text/visible.js';
import { DOWN, ENTER, ESCAPE, LEFT, overlayRows, promptOf, RIGHT, SHIFT_TAB, typeKeys, UP } from '../type-keys.js';

const isWhole = (text: string): boolean =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

type Spec = Partial<PromptSpec<TerminalState>>;

/** A terminal with a prompt; the accepted text becomes its notice. */
function asking(draft = '', spec: Spec = {}, columns = 80): TerminalState {
  const state = initialState({ size: { columns, rows: 24 }, nowMs: 0 });
  const accept = (now: TerminalState, text: string): TerminalState => ({ ...now, notice: { text, tone: 'good' } });
  return { ...state, overlay: openPrompt({ label: 'say: ', accept, ...spec }, draft) };
}

const typed = (draft: string, keys: string, spec?: Spec): [string, number] => {
  const { draft: now, cursor } = promptOf(typeKeys(asking(draft, spec), keys));
  return [now, cursor];
};

const VALUES = ['alpha', 'beta', 'gamma'];
const complete: PromptSpec<TerminalState>['complete'] = (_state, text) => ({
  from: 0,
  to: text.length,
  candidates: VALUES.filter((value) => value.startsWith(text)).map((value) => ({ text: value, kind: 'value' })),
});

describe('typing', () => {
  it.each([
    ['ab', `${LEFT}x`, ['axb', 2]],
    ['ab', `${LEFT}${LEFT}${LEFT}${RIGHT}x`, ['axb', 2]],
    ['ab', '\u001b[Hx', ['xab', 1]],
    ['ab', '\u0001x\u0005y', ['xaby', 4]],
    ['ab', '\u0002\u0002\u0006x', ['axb', 2]],
    ['ab', '\u001b[H\u001b[3~', ['b', 0]],
    ['ab', '\u0001\u0004\u0004\u0004', ['', 0]],
    ['ab', '\u007f', ['a', 1]],
    ['one two  ', '\u0017', ['one ', 4]],
    ['one two', '\u0017\u0017\u0017', ['', 0]],
    ['one two', `${LEFT}\u0015`, ['o', 0]],
    ['one two', '\u0001\u0006\u000b', ['o', 1]],
  ])('in %j, the keys %j produce %j', (draft, keys, expected) => {
    expect(typed(draft, keys)).toEqual(expected);
  });

  it('treats a character of two units as one', () => {
    expect(typed('a😀b', `${LEFT}${LEFT}`)).toEqual(['a😀b', 1]);
    expect(typed('a😀b', `${LEFT}\u007f`)).toEqual(['ab', 1]);
    expect(typed('a😀b', `\u0001${RIGHT}\u0004`)).toEqual(['ab', 1]);
    expect(typed('', '漢字')).toEqual(['漢字', 2]);
  });

  it('ends at 4,096 units, and never within a surrogate pair', () => {
    const [pasted] = typed('', `\u001b[200~${'x'.repeat(4_095)}😀y\u001b[201~`);
    expect([pasted.length, isWhole(pasted)]).toEqual([4_095, true]);
    const [full] = typed('', `\u001b[200~${'x'.repeat(5_000)}\u001b[201~z`);
    expect(full).toBe('x'.repeat(4_096));
  });

  it('passes the text without surrounding blanks', () => {
    expect(typeKeys(asking(' a b '), ENTER).notice?.text).toBe('a b');
  });

  it('is cancelled by Escape, or by deleting in an empty prompt', () => {
    const cancelled = typeKeys(asking('a'), ESCAPE);
    expect([cancelled.overlay, cancelled.notice]).toEqual([undefined, undefined]);
    expect(typeKeys(asking('a'), '\u007f\u007f').overlay).toBeUndefined();
    const cancel = (state: TerminalState): TerminalState => ({ ...state, notice: { text: 'left', tone: 'info' } });
    expect(typeKeys(asking('a', { cancel }), ESCAPE).notice?.text).toBe('left');
  });
});

describe('history', () => {
  const history = ['first', 'second'];

  it('is selected by Up and Down, with an empty text after the latest entry', () => {
    expect(typed('', UP, { history })).toEqual(['second', 6]);
    expect(typed('', `${UP}${UP}${UP}`, { history })).toEqual(['first', 5]);
    expect(typed('', `\u0010\u0010\u000e`, { history })).toEqual(['second', 6]);
    expect(typed('', `${UP}${DOWN}`, { history })).toEqual(['', 0]);
  });

  it('keeps the typed text if it is empty', () => {
    expect(typed('mine', DOWN, { history })).toEqual(['mine', 4]);
    expect(typed('mine', UP)).toEqual(['mine', 4]);
  });
});

describe('completion', () => {
  it('cycles through the candidates, in both directions', () => {
    expect(
      ['\t', '\t\t', '\t\t\t\t', SHIFT_TAB, `\t${SHIFT_TAB}`].map((keys) => typed('', keys, { complete })[0]),
    ).toEqual(['alpha', 'beta', 'alpha', 'gamma', 'gamma']);
  });

  it('inserts a single candidate, and changes nothing without one', () => {
    expect(promptOf(typeKeys(asking('be', { complete }), '\t'))).toMatchObject({
      draft: 'beta',
      completion: undefined,
    });
    expect(typed('x', '\t', { complete })).toEqual(['x', 1]);
    expect(typed('x', '\t')).toEqual(['x', 1]);
  });

  it('shows the candidates until another key; Escape closes only them', () => {
    const shown = typeKeys(asking('', { complete }), '\t');
    expect(overlayRows(shown)).toEqual(['    › alpha', '      beta ', '      gamma', ' say: alpha█']);
    expect(promptOf(typeKeys(shown, ESCAPE))).toMatchObject({ draft: 'alpha', completion: undefined });
    expect(overlayRows(typeKeys(shown, 'x'))).toEqual([' say: alphax█']);
  });

  it('does not reappear at old positions after the text was rejected', () => {
    const check = () => ({ reason: 'no', column: 1 });
    const refused = typeKeys(
      asking('  ', {
        complete: () => ({
          from: 2,
          to: 2,
          candidates: [
            { text: 'a', kind: 'value' },
            { text: 'b', kind: 'value' },
          ],
        }),
        check,
      }),
      `\t${ENTER}`,
    );
    expect(promptOf(refused)).toMatchObject({ draft: 'a', cursor: 1, completion: undefined });
  });
});

describe('a rejected text', () => {
  const refusing = (column: number | undefined, reason = 'not that'): Spec => ({ check: () => ({ reason, column }) });

  it('stays, with the reason, and a marker under its column', () => {
    const rows = overlayRows(typeKeys(asking('abc', refusing(2)), ENTER));
    expect(rows).toEqual(['       v', ' not that', ' say: abc█']);
    expect(overlayRows(typeKeys(asking('abc', refusing(undefined)), ENTER))).toEqual([' not that', ' say: abc█']);
  });

  it.each([1, 5, 60, 150, 299, 300, 301])('has the marker under column %s if it is longer than the row', (column) => {
    const draft = Array.from({ length: 300 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
    for (const keys of [ENTER, `\u0001${ENTER}`, `${LEFT.repeat(150)}${ENTER}`]) {
      const [mark = '', , text = ''] = overlayRows(typeKeys(asking(draft, refusing(column)), keys));
      const marked = text.charAt(mark.indexOf('v'));
      expect(marked === '█' ? '' : marked).toBe(draft[column - 1] ?? '');
    }
  });

  it('has a long reason in several rows', () => {
    const rows = overlayRows(typeKeys(asking('abc', refusing(undefined, 'word '.repeat(30).trim()), 60), ENTER));
    expect(rows).toHaveLength(4);
    expect(rows.join(' ').match(/word/g)).toHaveLength(30);
  });

  it('keeps the cursor on its character if the blanks before it are removed', () => {
    const refused = typeKeys(asking('   😀x😀', refusing(undefined)), `${LEFT.repeat(2)}${ENTER}`);
    expect(promptOf(refused)).toMatchObject({ draft: '😀x😀', cursor: 2 });
  });
});

describe('any keys', () => {
  const NAMES = [
    ...['left', 'right', 'home', 'end', 'backspace', 'delete', 'up', 'down', 'tab', 'shift-tab', 'enter'],
    ...['ctrl-a', 'ctrl-e', 'ctrl-b', 'ctrl-f', 'ctrl-d', 'ctrl-w', 'ctrl-u', 'ctrl-k', 'ctrl-n', 'ctrl-p', 'f5'],
  ];
  const text = fc.string({ unit: 'binary', maxLength: 12 });
  const input: fc.Arbitrary<KeyInput> = fc.oneof(
    fc.constantFrom(...NAMES).map((key): KeyInput => ({ kind: 'key', key }) as KeyInput),
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
      .map((g): KeyInput => ({ kind: 'character', character: [...g][0] ?? 'x' })),
    text.map((pasted): KeyInput => ({ kind: 'paste', text: pasted })),
  );

  it('keep the cursor between characters, and the rows within the window', () => {
    const spec: Spec = {
      history: ['😀 earlier', '漢字'],
      complete,
      check: (draft) => (draft.length % 2 === 1 ? { reason: draft, column: 1 + (draft.length >> 1) } : undefined),
      hint: (_state, draft) => draft,
    };
    fc.assert(
      fc.property(
        text,
        fc.array(input, { maxLength: 40 }),
        fc.integer({ min: 60, max: 90 }),
        (draft, inputs, columns) => {
          let state = asking(draft, spec, columns);
          for (const one of inputs) {
            state = press(state, one);
            if (state.overlay?.kind !== 'prompt') return;
            const { draft: now, cursor } = state.overlay;
            expect(cursor).toBeGreaterThanOrEqual(0);
            expect(cursor).toBeLessThanOrEqual(now.length);
            expect(now.length).toBeLessThanOrEqual(4_096);
            expect([isWhole(now.slice(0, cursor)), isWhole(now.slice(cursor))]).toEqual([true, true]);
            for (const row of overlayRows(state)) expect(cellsOf(neutralise(row))).toBeLessThanOrEqual(columns);
          }
        },
      ),
    );
  });
});
