import { endOfQuoted, QUOTE_SOURCE, quoteAt } from './quotes.js';

/** A list or map whose first value or key stands in quotes. */
const BEGIN = new RegExp(
  `[[({]\\s{0,32}[[({]{0,4}\\s{0,32}(?:[\\w$-]{1,64}\\s{0,4}(?::|=>)\\s{0,4}[[({]{0,4})?(${QUOTE_SOURCE})`,
  'y',
);
const IS_KEY = /\s{0,8}(?::(?!:)|=>|=)/y;
/** Units of one list or map; because the look cannot pause. */
const MAX_LENGTH = 32 * 1024;

/** Whether a list or map begins at a place whose values can be told apart, by their quotes. */
export function isStructure(text: string, at: number): boolean {
  BEGIN.lastIndex = at;
  return BEGIN.test(text);
}

/**
 * Takes all quoted values of the list or map that begins at a place, at any depth; keys stay. Answers where it ends, or up to where
 * it was looked at; then `rest` gets where that is.
 */
export function findStructureValues(
  text: string,
  from: number,
  take: (start: number, end: number) => void,
  { most = MAX_LENGTH, rest }: { readonly most?: number; readonly rest?: (start: number) => void },
): number {
  BEGIN.lastIndex = from;
  const escapes = escapesOf(BEGIN.exec(text)?.[1] ?? '');
  const limit = Math.min(text.length, from + most);
  let depth = 0;
  for (let at = from; at < limit; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '[' || sign === '(' || sign === '{') depth += 1;
    else if (sign === ']' || sign === ')' || sign === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    const quote = quoteAt(text, at);
    if (quote === undefined) continue;
    // The text around it ended.
    if (escapesOf(quote) < escapes) return at;
    const start = at + quote.length;
    const end = endOfQuoted(text, start, quote, limit);
    at = end + quote.length - 1;
    IS_KEY.lastIndex = at + 1;
    if (end > start && !IS_KEY.test(text)) take(start, end);
  }
  if (limit === text.length || rest === undefined) return limit;
  rest(limit);
  return text.length;
}

function escapesOf(quote: string): number {
  return quote.startsWith('\\') ? quote.lastIndexOf('\\') + 1 : 0;
}
