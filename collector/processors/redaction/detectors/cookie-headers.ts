import { type ReportFinding, searchLimit } from './finding.js';
import { isPlainValue } from './plain-values.js';
import { QUOTE_SOURCE } from './quotes.js';
import { findStructureValues, isStructure } from './structures.js';

const NAME = /(?:set-?)?cookies?/iy;
/** What stands between `Cookie` and its first pair; only a pair makes it a header and no sentence. */
const TO_PAIR = /["'`\\]{0,5}[ \t]{0,8}[:=]>?[ \t]{0,8}(\\{0,7}["'`])?(?=[^\s=;,"'`]{1,64}=)/y;

/** `"Cookie", "a=b"`, of lists in which names and values take turns. */
const TO_LISTED_PAIR = /(\\{0,63}["'])\s{0,8},\s{0,8}(\\{0,63}["'])(?=[^\s=;,"'`]{1,64}=)/y;
/** `"cookies": {`, `"set-cookie": [`. */
const TO_STRUCTURE = new RegExp(`(?:${QUOTE_SOURCE})?[ \\t]{0,8}(?:=>|[:=])[ \\t]{0,8}(?=[[{])`, 'y');

/** Finds the cookies of `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`, `at` being where `cookie` begins. Answers where the next may begin. */
export function findCookies(text: string, at: number, found: ReportFinding): number {
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0].length ?? 0;
  TO_PAIR.lastIndex = at + name;
  const between = TO_PAIR.exec(text);
  if (between === null) return findListed(text, at + name, found);
  const start = at + name + between[0].length;
  const end = endOfCookies(text, start, between[1] ?? quoteBefore(text, at));
  found(start, end, 'cookies');
  return end;
}

/** Cookies as members of a map or a list, or as the member behind their header's name. */
function findListed(text: string, end: number, found: ReportFinding): number {
  TO_STRUCTURE.lastIndex = end;
  const from = end + (TO_STRUCTURE.exec(text)?.[0].length ?? 0);
  if (from > end && isStructure(text, from)) {
    return findStructureValues(
      text,
      from,
      (start, stop) => {
        if (!isPlainValue(text.slice(start, Math.min(stop, start + 129)))) found(start, stop, 'cookies');
      },
      { rest: (start) => found(start, text.length, 'cookies') },
    );
  }
  TO_LISTED_PAIR.lastIndex = end;
  const pair = TO_LISTED_PAIR.exec(text);
  if (pair === null) return end;
  const start = end + pair[0].length;
  const stop = endOfCookies(text, start, pair[2]);
  found(start, stop, 'cookies');
  return stop;
}

/** Of `-H 'Cookie: a=b'` the quote, which ends what it began; undefined where there is none. */
function quoteBefore(text: string, at: number): string | undefined {
  const start = text.slice(Math.max(0, at - 4), at).toLowerCase() === 'set-' ? at - 4 : at;
  const before = text[start - 1];
  return before === '"' || before === "'" || before === '`' ? before : undefined;
}

function endOfCookies(text: string, from: number, quote: string | undefined): number {
  const most = searchLimit(text, from);
  for (let end = from; end < most; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x0a || code === 0x0d) return end;
    if (quote !== undefined && text.startsWith(quote, end)) return end;
    if (code === 0x5c && /[nr]/.test(text[end + 1] ?? '')) return end;
  }
  return text.length;
}
