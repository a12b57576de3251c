/** Letters of Ctrl keys. Ctrl-H is backspace, Ctrl-I tab, Ctrl-J and Ctrl-M enter. */
type ControlLetter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'k' | 'l' | 'n' | 'o' | 'p')
  | ('q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');

type FunctionNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12;

/** A key that is not a printable character. */
export type NamedKey =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageup'
  | 'pagedown'
  | 'home'
  | 'end'
  | 'insert'
  | 'delete'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'tab'
  | 'shift-tab'
  | `ctrl-${ControlLetter}`
  | `f${FunctionNumber}`;

/** By control character. */
export const CONTROL_KEYS: Readonly<Record<string, NamedKey>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u0001': 'ctrl-a',
  '\u0002': 'ctrl-b',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\u0005': 'ctrl-e',
  '\u0006': 'ctrl-f',
  '\u0007': 'ctrl-g',
  '\u000b': 'ctrl-k',
  '\u000c': 'ctrl-l',
  '\u000e': 'ctrl-n',
  '\u000f': 'ctrl-o',
  '\u0010': 'ctrl-p',
  '\u0011': 'ctrl-q',
  '\u0012': 'ctrl-r',
  '\u0013': 'ctrl-s',
  '\u0014': 'ctrl-t',
  '\u0015': 'ctrl-u',
  '\u0016': 'ctrl-v',
  '\u0017': 'ctrl-w',
  '\u0018': 'ctrl-x',
  '\u0019': 'ctrl-y',
  '\u001a': 'ctrl-z',
};

/** By final byte of `ESC [ … X`; modifiers are ignored. */
export const LETTER_KEYS: Readonly<Record<string, NamedKey>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  S: 'f4',
  Z: 'shift-tab',
};

/** By the byte after `ESC O`. F3 is only here: after `ESC [` its letter ends a cursor position report. */
export const SS3_KEYS: Readonly<Record<string, NamedKey>> = { ...LETTER_KEYS, M: 'enter', R: 'f3' };

/** By the byte after `ESC [ [`, from the Linux console. */
export const CONSOLE_KEYS: Readonly<Record<string, NamedKey>> = { A: 'f1', B: 'f2', C: 'f3', D: 'f4', E: 'f5' };

/** By first parameter of `ESC [ n ~`. */
export const TILDE_KEYS: Readonly<Record<string, NamedKey>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

/** All named keys, without duplicates. */
export const NAMED_KEYS: readonly NamedKey[] = [
  ...new Set([
    ...Object.values(SS3_KEYS),
    ...Object.values(TILDE_KEYS),
    ...Object.values(CONTROL_KEYS),
    'escape' as const,
  ]),
];
