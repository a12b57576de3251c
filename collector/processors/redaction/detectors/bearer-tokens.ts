import { execAt, indexBefore, isAlphanumeric, isBase64Url } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { looksRandom, looksSecret } from './plain-values.js';

/** Base64 of `{"`, `{ `, `{` with a line break, and `[{`. */
const BASE64_OF_OBJECT = /^(?:eyJ|eyA|ewo|ew0|W3s)/;
const GAP = /(?:,?[ \t]{1,8}|%20|\+)["'`]?/y;
const MAX_BASIC_LENGTH = 4_096;
const DOT = 0x2e;
const MAX_PARTS = 5;
/** A member with the name of a secret, or the key of a legacy Grafana token. */
const SECRET_MEMBER =
  /"(?:k|key|sk|sig|mac|hmac|jwt|\w{0,30}(?:secret|token|password|passwd|passphrase|pwd|auth|signature|credentials?|(?:api|private|access)_?key))"\s{0,4}:\s{0,4}"[^"\s]{6}/i;
const LONG_TEXTS = /"[\w+/=.-]{24,1024}/g;
const JSON_START = /^[[{][\x20-\x7e\s]{11}$/;

/** Finds the token of `Bearer x` outside of headers. `at` is the offset of `bearer`. */
export function findBearer(text: string, at: number, report: ReportFinding): number {
  const word = at + 'bearer'.length;
  const from = afterScheme(text, at, word);
  if (from === undefined) return word;
  const end = endOfToken(text, from);
  if (looksSecret(text.slice(from, Math.min(end, from + 256)))) report(from, end, 'bearer_tokens');
  return end;
}

/** Finds the credentials of `Basic x`: base64 of a user and a password. `at` is the offset of `basic`. */
export function findBasic(text: string, at: number, report: ReportFinding): number {
  const word = at + 'basic'.length;
  const from = afterScheme(text, at, word);
  if (from === undefined) return word;
  const end = endOfToken(text, from);
  if (end - from >= 4 && containsPair(text.slice(from, Math.min(end, from + MAX_BASIC_LENGTH)))) {
    report(from, end, 'bearer_tokens');
  }
  return end;
}

/** Finds JSON Web Tokens, signed (3 parts), encrypted (5 parts) or without a signature, and base64 of JSON that holds a secret. `at` is the offset of `eyJ`. */
export function findJsonWebToken(text: string, at: number, report: ReportFinding): number {
  if (!BASE64_OF_OBJECT.test(text.slice(at, at + 3))) return at + 3;
  // The letters also occur within names, such as `keyJson`.
  if (isBase64Url(text.charCodeAt(at - 1)) && !beginsJson(text.slice(at, at + 16))) return at + 3;
  const most = searchLimit(text, at);
  const ends = endsOfParts(text, at, most);
  const [firstEnd = at] = ends;
  const end = ends.at(-1) ?? at;
  if (isToken(ends.map((partEnd, index) => partEnd - (index === 0 ? at : (ends[index - 1] ?? 0) + 1)))) {
    report(at, end === most ? text.length : end, 'bearer_tokens');
    return end;
  }
  const wholeEnd = endOfBase64(text, at, firstEnd);
  if (containsSecret(text.slice(at, Math.min(wholeEnd, at + MAX_BASIC_LENGTH)))) {
    report(at, wholeEnd === most ? text.length : wholeEnd, 'bearer_tokens');
  }
  return Math.max(end, wholeEnd);
}

/** The ends of at most five parts of base64url between dots. A dot at the end of a sentence is none of these. */
function endsOfParts(text: string, at: number, most: number): number[] {
  const ends: number[] = [];
  let end = at;
  for (; end < most; end += 1) {
    const code = text.charCodeAt(end);
    if (isBase64Url(code)) continue;
    if (code !== DOT || ends.length === MAX_PARTS - 1 || !isBase64Url(text.charCodeAt(end + 1))) break;
    ends.push(end);
  }
  return [...ends, end];
}

/** Whether parts of these lengths are a token. Those of Python frameworks have a short timestamp in the middle. */
function isToken(lengths: readonly number[]): boolean {
  if (lengths.length === 1) return false;
  const [first = 0, second = 0, last = 0] = lengths;
  const isSigned = lengths.length === 3 && Math.min(first, second) >= 5 && last >= 20;
  return isSigned || Math.min(first, second) >= 10;
}

/** The end of base64 in the alphabet with `+` and `/`, if its JSON is then complete: both signs may also follow a token. */
function endOfBase64(text: string, at: number, firstEnd: number): number {
  let end = firstEnd;
  while (end < at + MAX_BASIC_LENGTH && IS_BASE64[text.charCodeAt(end)] === 1) end += 1;
  return end > firstEnd && /[}\]]\s{0,4}$/.test(decoded(text.slice(at, end))) ? end : firstEnd;
}

/** Whether 16 characters are base64 of the start of JSON in ASCII. */
function beginsJson(start: string): boolean {
  return /^[\w+/-]{16}$/.test(start) && JSON_START.test(decoded(start));
}

/** Whether base64 of JSON contains a secret, as vendor tokens do; page cursors and source maps do not. */
function containsSecret(base64: string): boolean {
  if (base64.length < 24) return false;
  const json = decoded(base64);
  return SECRET_MEMBER.test(json) || (json.match(LONG_TEXTS) ?? []).some((value) => looksRandom(value.slice(1)));
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}

function afterScheme(text: string, at: number, end: number): number | undefined {
  if (isAlphanumeric(text.charCodeAt(at - 1))) return undefined;
  const gap = execAt(GAP, text, end)?.[0];
  return gap === undefined ? undefined : end + gap.length;
}

function endOfToken(text: string, from: number): number {
  let end = from;
  const most = searchLimit(text, from);
  while (end < most && IS_OF_TOKEN[text.charCodeAt(end)] === 1) end += 1;
  if (end === most) return text.length;
  while (end > from && text.charCodeAt(end - 1) === DOT) end -= 1;
  return end;
}

/** RFC 6750 `b64token`: letters, digits and `-._~+/=`, also percent-encoded; some senders join two tokens with a colon. */
const IS_OF_TOKEN = Uint8Array.from({ length: 0x80 }, (_, code) =>
  isBase64Url(code) || '.~+/=%:'.includes(String.fromCharCode(code)) ? 1 : 0,
);

const IS_BASE64 = Uint8Array.from({ length: 0x80 }, (_, code) =>
  isBase64Url(code) || code === 0x2b || code === 0x2f ? 1 : 0,
);

function containsPair(base64: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{4,4096}(?:=|%3[dD]){0,2}$/.test(base64)) return false;
  const pair = decoded(base64.replace(/%3[dD]/g, '='));
  // A word like "authentication" decodes to control characters, which a user name does not contain.
  return pair.includes(':') && !/\p{Cc}/u.test(pair);
}

/** How far around a code the other parameters are searched, UTF-16 units. */
const NEIGHBOUR_DISTANCE = 300;
const NEIGHBOUR = /(?:^|\W|\\[nrt])(?:state|session_state|grant_type|code_verifier)=/;

/** Finds the code of a query or form that also has a `state` or `grant_type`; `at` is the offset of `code=`. Returns the offset to continue from. */
export function findOauthCode(text: string, at: number, report: ReportFinding): number {
  const start = at + 'code='.length;
  const before = text[at - 1];
  if (before !== '?' && before !== '&') return start;
  let end = start;
  while (end < start + 2_048 && isCodeChar(text.charCodeAt(end))) end += 1;
  if (end - start < 10) return end;
  const lead = text.slice(Math.max(0, at - NEIGHBOUR_DISTANCE), at).replace(/^.*\s/s, '');
  const tail = text.slice(end, end + NEIGHBOUR_DISTANCE).replace(/\s.*$/s, '');
  if (NEIGHBOUR.test(`${lead}${tail}`)) report(start, end, 'bearer_tokens');
  return end;
}

function isCodeChar(code: number): boolean {
  return isBase64Url(code) || code === 0x2e || code === 0x2f || code === 0x25 || code === 0x7e;
}

/** Least lengths of the parts of `key.time.signature`. */
const MIN_FIRST = 18;
const MIN_MIDDLE = 5;
const MIN_LAST = 20;
/** Below `MAX_LOOKBEHIND` of the scanner. */
const MAX_FIRST = 120;
const MAX_MIDDLE = 512;
const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/** Whether a text is long enough for a dotted token and has a dot. */
export function mayHaveDottedToken(text: string): boolean {
  return text.length > MIN_FIRST + MIN_MIDDLE + MIN_LAST && text.includes('.');
}

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
