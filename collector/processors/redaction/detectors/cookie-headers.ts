import { execAt } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { isPlainValue } from './plain-values.js';
import { protobufValueAt } from './protobuf-values.js';
import { findStructureValues, isStructure, QUOTE_SOURCE } from './quotes.js';

const NAME = /(?:set-?)?cookies?/iy;
/** Text between `Cookie` and its first pair; without a pair it is a sentence, not a header. */
const TO_PAIR =
  /["'`\\\]]{0,5}[ \t]{0,8}[:=]>?(?:\s{0,8}string\(\d{1,9}\))?[ \t]{0,8}(\\{0,7}["'`])?(?=[^\s=;,"'`]{1,64}=)/y;
/** `<Cookie a=b for example.com/>`, as Python prints a cookie. */
const PRINTED_PAIR = /(?<=<Cookie) [^\s=;,"'`<>]{1,64}=([^\s<>]{1,4096})/y;
/** `"Cookie", "a=b"` in lists in which names and values alternate. */
const TO_LISTED_PAIR = /(\\{0,63}["'])\s{0,8},\s{0,8}[bru]?(\\{0,63}["'])(?=[^\s=;,"'`]{1,64}=)/y;
/** `"cookies": {`, `"set-cookie": [`, and `http.Cookie{Name:"a"` of Go. */
const TO_STRUCTURE = new RegExp(`(?:${QUOTE_SOURCE})?[ \\t]{0,8}(?:=>|[:=])[ \\t]{0,8}(?=[[{])|(?=\\{Name:)`, 'y');

/** Finds the cookies of `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`; `at` is the offset of `cookie`. Returns the offset to continue from. */
export function findCookies(text: string, at: number, report: ReportFinding): number {
  const name = execAt(NAME, text, at)?.[0].length ?? 0;
  const between = execAt(TO_PAIR, text, at + name);
  if (between === null) return findOther(text, at + name, report);
  const start = at + name + between[0].length;
  const end = endOfCookies(text, start, between[1] ?? quoteBefore(text, at));
  report(start, end, 'cookies');
  return end;
}

function findOther(text: string, end: number, report: ReportFinding): number {
  const inProtobuf = protobufValueAt(text, end);
  if (inProtobuf !== undefined) {
    report(inProtobuf.start, inProtobuf.end, 'cookies');
    return inProtobuf.end;
  }
  const [whole, value = ''] = execAt(PRINTED_PAIR, text, end) ?? [];
  if (whole === undefined) return findListed(text, end, report);
  const stop = end + whole.length;
  report(stop - value.length, stop, 'cookies');
  return stop;
}

function findListed(text: string, end: number, report: ReportFinding): number {
  const structure = execAt(TO_STRUCTURE, text, end);
  const from = end + (structure?.[0].length ?? 0);
  if (structure !== null && isStructure(text, from)) {
    return findStructureValues(
      text,
      from,
      (start, stop) => {
        if (!isPlainValue(text.slice(start, Math.min(stop, start + 129)))) report(start, stop, 'cookies');
      },
      { rest: (start) => report(start, text.length, 'cookies') },
    );
  }
  const pair = execAt(TO_LISTED_PAIR, text, end);
  if (pair === null) return end;
  const start = end + pair[0].length;
  const stop = endOfCookies(text, start, pair[2]);
  report(start, stop, 'cookies');
  return stop;
}

/** Returns the quote of `-H 'Cookie: a=b'`, which also ends the header; undefined without one. */
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
