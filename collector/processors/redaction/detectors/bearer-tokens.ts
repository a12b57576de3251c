import { execAt, isAlphanumeric, isBase64Url } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { looksSecret } from './plain-values.js';

/** Base64 of `{"`, `{ ` and `{` with a line break. */
const BASE64_OF_OBJECT = /^(?:eyJ|eyA|ewo)/;
const GAP = /(?:[ \t]{1,8}|%20|\+)["'`]?/y;
const MAX_BASIC_LENGTH = 4_096;
const DOT = 0x2e;
/** A member with the name of a secret, or the key of a legacy Grafana token. */
const SECRET_MEMBER =
  /"(?:k|key|\w{0,30}(?:secret|token|password|passwd|pwd|auth|api_?key|private_?key))"\s{0,4}:\s{0,4}"[^"\s]{6}/i;

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

/** Finds JSON Web Tokens, signed (3 parts), encrypted (5 parts) or without a signature. `at` is the offset of `eyJ`. */
export function findJsonWebToken(text: string, at: number, report: ReportFinding): number {
  if (!BASE64_OF_OBJECT.test(text.slice(at, at + 4)) || isBase64Url(text.charCodeAt(at - 1))) return at + 3;
  let end = at;
  let dots = 0;
  let partBegan = at;
  let shortest = Number.POSITIVE_INFINITY;
  const most = searchLimit(text, at);
  for (; end < most; end += 1) {
    const code = text.charCodeAt(end);
    if (isBase64Url(code)) continue;
    if (code !== DOT || dots === 4) break;
    if (dots < 2) shortest = Math.min(shortest, end - partBegan);
    dots += 1;
    partBegan = end + 1;
  }
  if (dots === 1) shortest = Math.min(shortest, end - partBegan);
  // Tokens of Python frameworks have a short timestamp in the middle.
  const isSigned = dots === 2 && shortest >= 5 && end - partBegan >= 20;
  if (dots === 0 ? !containsSecret(text.slice(at, Math.min(end, at + MAX_BASIC_LENGTH))) : shortest < 10 && !isSigned)
    return end;
  if (end === most) end = text.length;
  report(at, end, 'bearer_tokens');
  return end;
}

/** Whether base64 of JSON contains a secret, as vendor tokens do; page cursors and source maps do not. */
function containsSecret(base64: string): boolean {
  return base64.length >= 24 && SECRET_MEMBER.test(Buffer.from(base64, 'base64').toString('latin1'));
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

function containsPair(base64: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{4,4096}(?:=|%3[dD]){0,2}$/.test(base64)) return false;
  const decoded = Buffer.from(base64.replace(/%3[dD]/g, '='), 'base64').toString('latin1');
  // A word like "authentication" decodes to control characters, which a user name does not contain.
  return decoded.includes(':') && !/\p{Cc}/u.test(decoded);
}
