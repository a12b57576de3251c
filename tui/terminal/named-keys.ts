/** Letters of Ctrl keys. Ctrl-H is backspace, Ctrl-I tab, Ctrl-J and Ctrl-M enter. */
const CONTROL_LETTERS = [
  ...(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'k', 'l', 'n', 'o', 'p'] as const),
  ...(['q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z'] as const),
];

const NAMES = [
  ...(['up', 'down', 'left', 'right', 'pageup', 'pagedown', 'home', 'end', 'insert', 'delete'] as const),
  ...(['enter', 'escape', 'backspace', 'tab', 'shift-tab'] as const),
];
const FUNCTIONS = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8', 'f9', 'f10', 'f11', 'f12'] as const;
/** Of `FUNCTIONS`, in this order. */
const FUNCTION_CODES = [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24];

/** A key that is not a printable character. */
export type NamedKey = (typeof NAMES)[number] | `ctrl-${(typeof CONTROL_LETTERS)[number]}` | (typeof FUNCTIONS)[number];

/** By control character. */
export const CONTROL_KEYS: Readonly<Record<string, NamedKey>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  // Ctrl clears the upper bits of a letter.
  ...Object.fromEntries(
    CONTROL_LETTERS.map((letter) => [String.fromCharCode(letter.charCodeAt(0) & 0x1f), `ctrl-${letter}` as const]),
  ),
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
  ...Object.fromEntries(FUNCTIONS.map((name, index) => [FUNCTION_CODES[index] ?? 0, name])),
};

/** All named keys, without duplicates. */
export const NAMED_KEYS: readonly NamedKey[] = [
  ...NAMES,
  ...FUNCTIONS,
  ...CONTROL_LETTERS.map((letter) => `ctrl-${letter}` as const),
];
