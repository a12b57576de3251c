import { execAt, testAt } from './characters.js';
import { endOfQuoted, QUOTE_SOURCE, quoteAt } from './quotes.js';

/** A list or map whose first value or key is quoted. */
const BEGIN = new RegExp(
  `[[({]\\s{0,32}[[({]{0,4}\\s{0,32}(?:[\\w$-]{1,64}\\s{0,4}(?::|=>)\\s{0,4}[[({]{0,4})?(${QUOTE_SOURCE})`,
  'y',
);
const IS_KEY = /\s{0,8}(?::(?!:)|=>|=)/y;
/** Units of one list or map that are searched, because the search cannot pause. */
const MAX_LENGTH = 32 * 1024;

/** Whether a list or map with quoted values begins at an offset. */
export function isStructure(text: string, at: number): boolean {
  return testAt(BEGIN, text, at);
}

/** Calls `onValue` for each quoted value of a list or map, not for keys. Returns its end, or calls `rest` with the offset after `most` units. */
export function findStructureValues(
  text: string,
  from: number,
  onValue: (start: number, end: number) => void,
  { most = MAX_LENGTH, rest }: { readonly most?: number; readonly rest?: (start: number) => void },
): number {
  const escapes = escapesOf(execAt(BEGIN, text, from)?.[1] ?? '');
  const limit = Math.min(text.length, from + most);
  let depth = 0;
  for (let at = from; at < limit; at += 1) {
    const change = depthChange(text.charAt(at));
    depth += change;
    if (depth === 0 && change < 0) return at + 1;
    const quote = quoteAt(text, at);
    if (quote === undefined) continue;
    // The surrounding text ended.
    if (escapesOf(quote) < escapes) return at;
    const start = at + quote.length;
    const end = endOfQuoted(text, start, quote, limit);
    at = end + quote.length - 1;
    if (end > start && !testAt(IS_KEY, text, at + 1)) onValue(start, end);
  }
  if (limit === text.length || rest === undefined) return limit;
  rest(limit);
  return text.length;
}

function depthChange(sign: string): -1 | 0 | 1 {
  if (sign === '[' || sign === '(' || sign === '{') return 1;
  return sign === ']' || sign === ')' || sign === '}' ? -1 : 0;
}

function escapesOf(quote: string): number {
  return quote.startsWith('\\') ? quote.lastIndexOf('\\') + 1 : 0;
}
