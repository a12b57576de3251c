import fc from 'fast-check';
import { ValueError } from '../../../config/values/value-error.js';
import { applyKeys, checkKeys, parseKeyName } from '../../../tui/preferences/check-keys.js';
import { NAMED_KEYS } from '../../../tui/terminal/named-keys.js';
import { KEYMAP } from './keymap.js';

describe('the name of a key', () => {
  it.each([
    ['r', 'r'],
    ['R', 'R'],
    ['?', '?'],
    [' ', ' '],
    ['space', ' '],
    ['é', 'é'],
    ['👍', '👍'],
    ['ctrl-x', 'ctrl-x'],
    ['Ctrl-X', 'ctrl-x'],
    ['PageDown', 'pagedown'],
    ['F12', 'f12'],
    ['shift-tab', 'shift-tab'],
  ])('%j is the key %j', (name, key) => {
    expect(parseKeyName(name)).toBe(key);
  });

  it.each([
    ['ctrl-m', 'enter'],
    ['ctrl-[', 'escape'],
    ['shift-a', 'A'],
    ['Esc', 'escape'],
    ['return', 'enter'],
    ['ctrl+k', 'ctrl-k'],
    ['^k', 'ctrl-k'],
    ['pagedwon', 'pagedown'],
    ['alt-x', undefined],
    ['f13', 'f1'],
    ['', undefined],
    ['\u001b', undefined],
    ['\u0301', undefined],
    ['rr', undefined],
  ])('%j is invalid, and %j was probably meant', (name, meant) => {
    expect(faultOf(name)?.suggestion).toBe(meant);
  });

  it('exists for every key that the parser returns', () => {
    for (const key of NAMED_KEYS) expect(parseKeyName(key)).toBe(key);
  });

  it('is parsed or throws a ValueError, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const key = faultOf(name) === undefined ? parseKeyName(name) : '';
        expect(key).not.toMatch(/\p{C}/u);
      }),
    );
  });
});

describe('configured keys', () => {
  it('may move a key from one command to another if both are named', () => {
    const written = new Map([
      ['resolve', ['i']],
      ['ignore', ['I']],
    ]);
    expect(checkKeys(written, KEYMAP)).toEqual([]);
    const keysOf = (command: string) => applyKeys(KEYMAP, written).find((row) => row.command === command)?.keys;
    expect([keysOf('resolve'), keysOf('ignore'), keysOf('assign')]).toEqual([['i'], ['I'], ['a']]);
  });

  it('replace those of every row of their command, and keep everything else of the rows', () => {
    const rows = [...KEYMAP.map((row) => ({ ...row, help: row.command }))];
    const applied = applyKeys(rows, new Map([['back', ['F1', 'space']]]));
    expect(applied.filter(({ command }) => command === 'back')).toEqual([
      { command: 'back', keys: ['f1', ' '], on: ['issues'], help: 'back' },
      { command: 'back', keys: ['f1', ' '], on: ['issue', 'event'], help: 'back' },
    ]);
    expect(applied).toHaveLength(rows.length);
  });

  it('clash only where both commands work', () => {
    expect(checkKeys(new Map([['follow', ['n']]]), KEYMAP)).toMatchObject([{ path: ['follow', 0] }]);
    expect(checkKeys(new Map([['follow', ['*']]]), KEYMAP)).toEqual([]);
    expect(checkKeys(new Map([['range_earlier', ['/']]]), KEYMAP)).toEqual([]);
  });

  it('are not blamed for clashes among the built-in ones', () => {
    const rows = [...KEYMAP, { command: 'twin', keys: ['y'] }];
    expect(checkKeys(new Map([['resolve', ['w']]]), rows)).toEqual([]);
  });
});

function faultOf(name: string): ValueError | undefined {
  try {
    parseKeyName(name);
    return undefined;
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}
