import fc from 'fast-check';
import { press } from '../../../tui/app/update.js';
import { openPrompt } from '../../../tui/overlays/prompt.js';
import type { PromptSpec } from '../../../tui/state/overlay.js';
import { initialState, type TerminalState } from '../../../tui/state/terminal-state.js';
import type { KeyInput } from '../../../tui/terminal/key-parser.js';
import { cellsOf, neutralise } from '../../../tui/text/visible.js';
import { DOWN, ENTER, ESCAPE, LEFT, overlayRows, promptOf, RIGHT, SHIFT_TAB, type, UP } from '../pressing.js';

const isWhole = (text: string): boolean =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

type Spec = Partial<PromptSpec<TerminalState>>;

/** A terminal that asks something; what is accepted becomes its notice. */
function asking(draft = '', spec: Spec = {}, columns = 80): TerminalState {
  const state = initialState({ size: { columns, rows: 24 }, nowMs: 0 });
  const accept = (now: TerminalState, text: string): TerminalState => ({ ...now, notice: { text, tone: 'good' } });
  return { ...state, overlay: openPrompt({ label: 'say: ', accept, ...spec }, draft) };
}

const typed = (draft: string, keys: string, spec?: Spec): [string, number] => {
  const { draft: now, cursor } = promptOf(type(asking(draft, spec), keys));
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
  ])('over %j %j makes %j', (draft, keys, expected) => {
    expect(typed(draft, keys)).toEqual(expected);
  });

  it('takes a character of two units as one', () => {
    expect(typed('a😀b', `${LEFT}${LEFT}`)).toEqual(['a😀b', 1]);
    expect(typed('a😀b', `${LEFT}\u007f`)).toEqual(['ab', 1]);
    expect(typed('a😀b', `\u0001${RIGHT}\u0004`)).toEqual(['ab', 1]);
    expect(typed('', '漢字')).toEqual(['漢字', 2]);
  });

  it('ends at 4,096 units, and never in half a character', () => {
    const [pasted] = typed('', `\u001b[200~${'x'.repeat(4_095)}😀y\u001b[201~`);
    expect([pasted.length, isWhole(pasted)]).toEqual([4_095, true]);
    const [full] = typed('', `\u001b[200~${'x'.repeat(5_000)}\u001b[201~z`);
    expect(full).toBe('x'.repeat(4_096));
  });

  it('is given to who asked without the blanks around it', () => {
    expect(type(asking(' a b '), ENTER).notice?.text).toBe('a b');
  });

  it('ends by Escape, or by taking away from nothing', () => {
    expect(type(asking('a'), ESCAPE)).toMatchObject({ overlay: undefined, notice: undefined });
    expect(type(asking('a'), '\u007f\u007f').overlay).toBeUndefined();
    const cancel = (state: TerminalState): TerminalState => ({ ...state, notice: { text: 'left', tone: 'info' } });
    expect(type(asking('a', { cancel }), ESCAPE).notice?.text).toBe('left');
  });
});

describe('earlier answers', () => {
  const history = ['first', 'second'];

  it('come back by Up and Down, to an empty text behind the latest', () => {
    expect(typed('', UP, { history })).toEqual(['second', 6]);
    expect(typed('', `${UP}${UP}${UP}`, { history })).toEqual(['first', 5]);
    expect(typed('', `\u0010\u0010\u000e`, { history })).toEqual(['second', 6]);
    expect(typed('', `${UP}${DOWN}`, { history })).toEqual(['', 0]);
  });

  it('do not take away what was typed where there is none', () => {
    expect(typed('mine', DOWN, { history })).toEqual(['mine', 4]);
    expect(typed('mine', UP)).toEqual(['mine', 4]);
  });
});

describe('completion', () => {
  it('goes round through the candidates, both ways', () => {
    expect(
      ['\t', '\t\t', '\t\t\t\t', SHIFT_TAB, `\t${SHIFT_TAB}`].map((keys) => typed('', keys, { complete })[0]),
    ).toEqual(['alpha', 'beta', 'alpha', 'gamma', 'gamma']);
  });

  it('takes a single candidate, and changes nothing where there is none', () => {
    expect(promptOf(type(asking('be', { complete }), '\t'))).toMatchObject({ draft: 'beta', completion: undefined });
    expect(typed('x', '\t', { complete })).toEqual(['x', 1]);
    expect(typed('x', '\t')).toEqual(['x', 1]);
  });

  it('shows the candidates until something else is pressed; Escape leaves them only', () => {
    const shown = type(asking('', { complete }), '\t');
    expect(overlayRows(shown)).toEqual(['    › alpha', '      beta ', '      gamma', ' say: alpha█']);
    expect(promptOf(type(shown, ESCAPE))).toMatchObject({ draft: 'alpha', completion: undefined });
    expect(overlayRows(type(shown, 'x'))).toEqual([' say: alphax█']);
  });

  it('does not come back with old places after the text was refused', () => {
    const check = () => ({ reason: 'no', column: 1 });
    const refused = type(
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

describe('what is refused', () => {
  const refusing = (column: number | undefined, reason = 'not that'): Spec => ({ check: () => ({ reason, column }) });

  it('stays, with the reason, and a mark under its column', () => {
    const rows = overlayRows(type(asking('abc', refusing(2)), ENTER));
    expect(rows).toEqual(['       v', ' not that', ' say: abc█']);
    expect(overlayRows(type(asking('abc', refusing(undefined)), ENTER))).toEqual([' not that', ' say: abc█']);
  });

  it.each([1, 5, 60, 150, 299, 300, 301])(
    'is marked under column %s of a text that is longer than the row',
    (column) => {
      const draft = Array.from({ length: 300 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
      for (const keys of [ENTER, `\u0001${ENTER}`, `${LEFT.repeat(150)}${ENTER}`]) {
        const [mark = '', , text = ''] = overlayRows(type(asking(draft, refusing(column)), keys));
        const marked = text.charAt(mark.indexOf('v'));
        expect(marked === '█' ? '' : marked).toBe(draft[column - 1] ?? '');
      }
    },
  );

  it('tells a long reason in several rows', () => {
    const rows = overlayRows(type(asking('abc', refusing(undefined, 'word '.repeat(30).trim()), 60), ENTER));
    expect(rows).toHaveLength(4);
    expect(rows.join(' ').match(/word/g)).toHaveLength(30);
  });

  it('keeps the cursor on its character when the blanks before it go', () => {
    const refused = type(asking('   😀x😀', refusing(undefined)), `${LEFT.repeat(2)}${ENTER}`);
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

  it('keep the cursor between whole characters, and the rows within the window', () => {
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
      { numRuns: 150 },
    );
  });
});
