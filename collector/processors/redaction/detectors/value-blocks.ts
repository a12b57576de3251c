import { execAt } from './characters.js';
import { searchLimit } from './finding.js';

/** `|` or `>-` of YAML and the line break after it, also escaped; group 1 is the break, group 2 the indentation of the first line. */
const BEGIN = /[|>][+-]?\d?[+-]?[ \t]{0,4}((?:\r?\n|(?:\\{1,15}r)?\\{1,15}n))([ \t]{1,64})(?=\S)/y;

/** Returns the lines of the YAML block scalar that begins at `at`, up to one with less indentation; undefined without one. */
export function blockAt(text: string, at: number): { readonly from: number; readonly end: number } | undefined {
  const begin = execAt(BEGIN, text, at);
  if (begin === null) return undefined;
  const [whole, lineBreak = '', indent = ''] = begin;
  const from = at + whole.length;
  const most = searchLimit(text, from);
  let end = from;
  while (end < most) {
    const length = text.slice(end, most).indexOf(lineBreak);
    if (length < 0) return { from, end: most === text.length ? trimTrailing(text, from, text.length) : text.length };
    const next = end + length + lineBreak.length;
    if (!text.startsWith(indent, next)) return { from, end: trimTrailing(text, from, end + length) };
    end = next;
  }
  return { from, end };
}

/** Returns the end without blanks and quotes that close the surrounding text. */
function trimTrailing(text: string, from: number, end: number): number {
  let last = end;
  while (last > from && /["'`\s\\]/.test(text[last - 1] ?? '')) last -= 1;
  return last;
}
