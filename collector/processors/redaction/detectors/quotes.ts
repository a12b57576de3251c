/** A quote as texts write it: plain, escaped once or many times, as `\u0022`, as an entity of HTML, or as `%22`. */
export const QUOTE_SOURCE = `(?:\\\\{0,63}["'\`]|\\\\{1,63}u00(?:22|27)|&(?:amp;){0,2}(?:quot|apos|#0?3[49]|#x2[27]);|%(?:25){0,3}2[27])`;

const AT_PLACE = new RegExp(QUOTE_SOURCE, 'y');
const MAY_BEGIN = Uint8Array.from({ length: 0x80 }, (_, code) =>
  '"\'`\\&%'.includes(String.fromCharCode(code)) ? 1 : 0,
);
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

/** The quote that begins at a place; undefined where none does. */
export function quoteAt(text: string, at: number): string | undefined {
  if (MAY_BEGIN[text.charCodeAt(at)] !== 1) return undefined;
  AT_PLACE.lastIndex = at;
  return AT_PLACE.exec(text)?.[0];
}

/**
 * Where what a quote began ends, `most` where it does not end before. A plain quote also ends with its line. An escaped one ends at the next that is
 * escaped as often, or less often, because then the text around it ended.
 */
export function endOfQuoted(text: string, from: number, quote: string, most: number): number {
  const last = quote.at(-1) ?? '';
  if (last === ';' || quote.startsWith('%') || quote === ']]>') return indexOrEnd(text, quote, from, most);
  if (quote.length === 1) return endOfPlain(text, from, quote.charCodeAt(0), most);
  const sign = last === '2' || last === '7' ? quote.slice(quote.indexOf('u')) : last;
  const depth = quote.length - sign.length;
  let escapes = 0;
  for (let at = from; at < most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      escapes += 1;
      continue;
    }
    if (escapes <= depth && code === sign.charCodeAt(0) && (sign.length === 1 || text.startsWith(sign, at))) {
      if (escapes > 0 || sign.length === 1) return at - escapes;
    }
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
  const place = text.slice(from, most).indexOf(sign);
  return place < 0 ? most : from + place;
}
