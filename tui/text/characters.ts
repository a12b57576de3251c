/** Bars, one cell each, from the lowest to the full height; zero is a blank. */
export const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const ASCII_BARS = ['.', ':', '-', '=', '+', '*', '%', '#'] as const;

/** Every sign that the terminal draws, with its replacement in ASCII. */
export const ASCII_FORMS: ReadonlyMap<string, string> = new Map([
  ...BARS.map((sign, index) => [sign, ASCII_BARS[index] ?? sign] as const),
  ['│', '|'],
  ['─', '-'],
  ['▏', '.'],
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
const CONTROL_PICTURES = /[\u2400-\u2426]/;
const NOT_ASCII = /[^\0-\x7f]/gu;

/** Whether a terminal gets only ASCII: as configured, or with `auto` by the locale of its environment (POSIX, 8.2). */
export function usesAscii(characters: 'auto' | 'unicode' | 'ascii', env: NodeJS.ProcessEnv): boolean {
  return characters === 'auto' ? !hasUnicode(env) : characters === 'ascii';
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
