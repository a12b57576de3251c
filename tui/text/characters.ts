/** The signs of bars and rules, one cell each. */
export interface Signs {
  /** From nearly nothing to full; zero is a blank. */
  readonly levels: readonly string[];
  /** One whole cell of a bar. */
  readonly bar: string;
  readonly vertical: string;
}

/** For terminals with Unicode. */
export const UNICODE_SIGNS: Signs = {
  levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  bar: '█',
  vertical: '│',
};

/** For all others: the same signs of the same widths in ASCII. */
export const ASCII_SIGNS: Signs = {
  levels: ['.', ':', '-', '=', '+', '*', '%', '#'],
  bar: '#',
  vertical: '|',
};

/** Every sign that we draw, and what stands for it in ASCII. */
export const ASCII_FORMS: ReadonlyMap<string, string> = new Map([
  ...UNICODE_SIGNS.levels.map((sign, place) => [sign, ASCII_SIGNS.levels[place] ?? sign] as const),
  [UNICODE_SIGNS.vertical, ASCII_SIGNS.vertical],
  ['‹', '<'],
  ['›', '>'],
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
/** What controls are shown as. */
const CONTROL_PICTURES = /[\u2400-\u2426]/;
const NOT_ASCII = /[^\0-\x7f]/gu;

/** Which signs a terminal can show: as a person chose, else by the character set of its environment (POSIX, 8.2). */
export function signsFor(characters: 'auto' | 'unicode' | 'ascii', env: NodeJS.ProcessEnv): Signs {
  if (characters === 'auto') return hasUnicode(env) ? UNICODE_SIGNS : ASCII_SIGNS;
  return characters === 'unicode' ? UNICODE_SIGNS : ASCII_SIGNS;
}

/** The first of the three that is set and not empty counts. Where none is, as in a bare container, nothing speaks against the terminals of today. */
function hasUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale.slice(0, 100));
}

/** A row as a terminal without Unicode can show it: signs of ours in ASCII, one cell for one cell; styles stay. Other characters stay too, because they are somebody's text. */
export function toAscii(row: string): string {
  return row.replace(
    NOT_ASCII,
    (character) => ASCII_FORMS.get(character) ?? (CONTROL_PICTURES.test(character) ? '?' : character),
  );
}
