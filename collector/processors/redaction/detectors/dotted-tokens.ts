import { indexBefore, isBase64Url } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { looksRandom } from './random-text.js';

/** Least lengths of the parts of `key.time.signature`. */
const MIN_FIRST = 18;
const MIN_MIDDLE = 5;
const MIN_LAST = 20;
/** Below `MAX_LOOKBEHIND` of the scanner. */
const MAX_FIRST = 120;
const MAX_MIDDLE = 512;
const DOT = 0x2e;
const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/** Finds tokens of three parts of base64url, of any vendor, such as those of Discord: a key, a short middle and a signature that look random. */
export function findDottedTokens(text: string, report: ReportFinding, from: number, to: number): number {
  let at = from;
  while (at < to) {
    at = indexBefore(text, '.', at, to);
    if (at < 0) return to;
    at = findAround(text, at, report);
  }
  return at;
}

/** Reports a token whose first dot is at `at`; returns the offset to continue from. */
function findAround(text: string, at: number, report: ReportFinding): number {
  // Fast path: most dots stand between short names.
  if (!isBase64Url(text.charCodeAt(at - MIN_FIRST)) || !isBase64Url(text.charCodeAt(at + MIN_MIDDLE))) return at + 1;
  const second = endOfPart(text, at + 1, at + 1 + MAX_MIDDLE);
  if (second - at <= MIN_MIDDLE || text.charCodeAt(second) !== DOT) return at + 1;
  const limit = searchLimit(text, second + 1);
  const end = endOfPart(text, second + 1, limit);
  const start = startOfToken(text, at);
  if (at - start < MIN_FIRST || end - second <= MIN_LAST) return second;
  const [first, last] = [text.slice(start, at), text.slice(second + 1, Math.min(end, second + 1 + MAX_MIDDLE))];
  const isMixed = [first, last].every((part) => /[a-z]/.test(part) && /[A-Z]/.test(part));
  if (!isMixed || !looksRandom(first + last)) return second;
  report(start, end === limit ? text.length : end, 'cloud_keys');
  return end;
}

function endOfPart(text: string, from: number, limit: number): number {
  let end = from;
  while (end < limit && isBase64Url(text.charCodeAt(end))) end += 1;
  return end;
}

/** The start of the part before `end`, after an escape such as `\n` or `%20`. */
function startOfToken(text: string, end: number): number {
  let start = end;
  while (end - start < MAX_FIRST && isBase64Url(text.charCodeAt(start - 1))) start -= 1;
  const before = text.charCodeAt(start - 1);
  if (before === BACKSLASH) return start + 1;
  return before === PERCENT ? start + 2 : start;
}
