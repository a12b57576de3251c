/** The signs of bars and rules, one cell each. */
export interface Signs {
  /** From the lowest to the full height; zero is a blank. */
  readonly levels: readonly string[];
  readonly bar: string;
  readonly vertical: string;
}

export const UNICODE_SIGNS: Signs = {
  levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  bar: '█',
  vertical: '│',
};

export const ASCII_SIGNS: Signs = {
  levels: ['.', ':', '-', '=', '+', '*', '%', '#'],
  bar: '#',
  vertical: '|',
};

/** Every sign that the terminal draws, with its replacement in ASCII. */
export const ASCII_FORMS: ReadonlyMap<string, string> = new Map([
  ...UNICODE_SIGNS.levels.map((sign, index) => [sign, ASCII_SIGNS.levels[index] ?? sign] as const),
  [UNICODE_SIGNS.vertical, ASCII_SIGNS.vertical],
  ['─', '-'],
  ['▏', '.'],
  ['‹', '<'],
  ['›', '>'],
  ['─', '-'],
  ['•', '*'],
  ['…', '~'],
  ['↑', '^'],
  ['↓', 'v'],
  ['←', '<'],
  ['→', '>'],
  ['✓', 'x'],
  ['·', '.'],
  ['▸', '+'],
  ['▾', '-'],
]);
const CONTROL_PICTURES = /[\u2400-\u2426]/;
const NOT_ASCII = /[^\0-\x7f]/gu;

/** Returns the signs for a terminal: as configured, or with `auto` by the locale of its environment (POSIX, 8.2). */
export function signsFor(characters: 'auto' | 'unicode' | 'ascii', env: NodeJS.ProcessEnv): Signs {
  if (characters === 'auto') return hasUnicode(env) ? UNICODE_SIGNS : ASCII_SIGNS;
  return characters === 'unicode' ? UNICODE_SIGNS : ASCII_SIGNS;
}

/** The first variable that is not empty decides. Without one, as in a bare container, Unicode is assumed. */
function hasUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale.slice(0, 100));
}

/** Replaces the signs of a row by ASCII of the same width. Styles and all other characters stay. */
export function toAscii(row: string): string {
  return row.replace(
    NOT_ASCII,
    (character) => ASCII_FORMS.get(character) ?? (CONTROL_PICTURES.test(character) ? '?' : character),
  );
}
