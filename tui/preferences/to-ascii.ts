import { ASCII_SIGNS, type Signs, UNICODE_SIGNS } from './characters.js';

/** Characters of ours that stand in no table of signs: brackets of codes (`‹U+202E›`), shades, dashes, the double mark of a path. */
const OTHERS: Readonly<Record<string, string>> = {
  '‹': '<',
  '»': '>',
  '«': '<',
  '–': '-',
  '—': '-',
  '×': 'x',
  '■': '#',
  '□': '-',
  '░': '.',
  '▒': ':',
  '▓': '%',
  '✗': 'x',
  '●': '*',
  '○': 'o',
  '►': '>',
  '▼': 'v',
  '▶': '>',
  '⇧': '^',
  '’': "'",
};

const FORMS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(OTHERS),
  ...signPairs(UNICODE_SIGNS, ASCII_SIGNS),
]);
/** What controls are shown as. */
const CONTROL_PICTURES = /[\u2400-\u2426]/;
const NOT_ASCII = /[^\0-\x7f]/gu;

/**
 * A row as a terminal without Unicode can show it: signs of ours in ASCII, one cell for one cell; styles stay. Other characters stay too, because
 * they are somebody's text. The last resort: screens take their signs from `signsFor`.
 */
export function toAscii(row: string): string {
  return row.replace(
    NOT_ASCII,
    (character) => FORMS.get(character) ?? (CONTROL_PICTURES.test(character) ? '?' : character),
  );
}

function signPairs(unicode: Signs, ascii: Signs): [string, string][] {
  const { levels, ...signs } = unicode;
  const { levels: asciiLevels, ...asciiSigns } = ascii;
  const forms = new Map(Object.entries(asciiSigns));
  return [
    ...Object.entries(signs).map(([name, sign]): [string, string] => [sign, forms.get(name) ?? sign]),
    ...levels.map((sign, place): [string, string] => [sign, asciiLevels[place] ?? sign]),
  ];
}
