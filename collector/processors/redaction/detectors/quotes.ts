import { execAt, testAt } from './characters.js';

/** Pattern of a quote: plain, escaped once or more, `\u0022`, an HTML entity, or `%22`. */
export const QUOTE_SOURCE = `(?:\\\\{0,63}["'\`]|\\\\{1,63}u00(?:22|27)|&(?:amp;){0,2}(?:quot|apos|#0?3[49]|#x2[27]);|%(?:25){0,3}2[27])`;

const QUOTE_PATTERN = new RegExp(QUOTE_SOURCE, 'y');
const MAY_BEGIN = Uint8Array.from({ length: 0x80 }, (_, code) =>
  '"\'`\\&%'.includes(String.fromCharCode(code)) ? 1 : 0,
);
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

/** Returns the quote at an offset; undefined without one. */
export function quoteAt(text: string, at: number): string | undefined {
  if (MAY_BEGIN[text.charCodeAt(at)] !== 1) return undefined;
  return execAt(QUOTE_PATTERN, text, at)?.[0];
}

/** The end of a quoted text, at most `most`: for a plain quote also a line feed, for an escaped one the next one escaped at most as often. */
export function endOfQuoted(text: string, from: number, quote: string, most: number): number {
  if (quote.endsWith(';') || quote.startsWith('%') || quote === ']]>') return indexOrEnd(text, quote, from, most);
  if (quote.length === 1) return endOfPlain(text, from, quote.charCodeAt(0), most);
  return endOfEscaped(text, from, quote, most);
}

/** The sign of an escaped quote is the quote without its backslashes, `"` or `u0022`. */
function endOfEscaped(text: string, from: number, quote: string, most: number): number {
  const sign = /u00(?:22|27)$/.exec(quote)?.[0] ?? quote.slice(-1);
  const depth = quote.length - sign.length;
  let escapes = 0;
  for (let at = from; at < most; at += 1) {
    if (text.charCodeAt(at) === BACKSLASH) {
      escapes += 1;
      continue;
    }
    const isEscapedEnough = escapes <= depth && (escapes > 0 || sign.length === 1);
    if (isEscapedEnough && text.startsWith(sign, at)) return at - escapes;
    escapes = 0;
  }
  return most;
}

function endOfPlain(text: string, from: number, sign: number, most: number): number {
  for (let at = from; at < most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === sign || code === LINE_FEED) return at;
    if (code === BACKSLASH) at += 1;
  }
  return most;
}

function indexOrEnd(text: string, sign: string, from: number, most: number): number {
  const length = text.slice(from, most).indexOf(sign);
  return length < 0 ? most : from + length;
}

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
