import { searchLimit } from './finding.js';

/** `|` or `>-` of YAML and the line break behind it, also escaped; group 1 is the break, group 2 the indentation of the first line. */
const BEGIN = /[|>][+-]?\d?[+-]?[ \t]{0,4}((?:\r?\n|(?:\\{1,15}r)?\\{1,15}n))([ \t]{1,64})(?=\S)/y;

/** The lines of a block of YAML whose sign stands at a place, up to where less is indented; undefined where none begins. */
export function blockAt(text: string, at: number): { readonly from: number; readonly end: number } | undefined {
  BEGIN.lastIndex = at;
  const begin = BEGIN.exec(text);
  if (begin === null) return undefined;
  const [whole, lineBreak = '', indent = ''] = begin;
  const from = at + whole.length;
  const most = searchLimit(text, from);
  let end = from;
  while (end < most) {
    const place = text.slice(end, most).indexOf(lineBreak);
    if (place < 0) return { from, end: most === text.length ? withoutRest(text, from, text.length) : text.length };
    const next = end + place + lineBreak.length;
    if (!text.startsWith(indent, next)) return { from, end: withoutRest(text, from, end + place) };
    end = next;
  }
  return { from, end };
}

/** Without the quotes and brackets that close the text around it. */
function withoutRest(text: string, from: number, end: number): number {
  let last = end;
  while (last > from && /["'`\s\\]/.test(text[last - 1] ?? '')) last -= 1;
  return last;
}
