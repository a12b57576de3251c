import { indexBefore, isAlphanumeric, isSpaceOrEnd, testAt } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { isPlainValue, looksSecret } from './plain-values.js';

const PORT = /\d{1,5}(?:[/?#]|$)/y;

/** Finds passwords of `scheme://user:password@host` and tokens of `scheme://token@host`. */
export function findUrlPasswords(text: string, report: ReportFinding, from: number, to: number): number {
  let at = from;
  while (at < to) {
    at = indexBefore(text, '://', at, to);
    if (at < 0) return to;
    at += 3;
    if (isAlphanumeric(text.charCodeAt(at - 4))) at = findUserInfo(text, at, report);
  }
  return at;
}

function findUserInfo(text: string, from: number, report: ReportFinding): number {
  const { end, colon, at } = userInfoAt(text, from);
  // `docker-pullable://nginx:1.25@sha256:…` names an image by tag and hash.
  if (at < 0 || text.startsWith('@sha256:', at)) return end;
  const hasPassword = colon >= 0 && colon < at;
  const start = hasPassword ? colon + 1 : from;
  const value = text.slice(start, Math.min(at, start + 129));
  const isSecret = hasPassword ? !isPlainValue(value) : value.length >= 16 && looksSecret(value);
  if (isSecret) report(start, at, 'passwords');
  return end;
}

interface UserInfo {
  /** Where the address ends, or what was searched of it. */
  readonly end: number;
  /** The first colon; -1 without one. */
  readonly colon: number;
  /** The last `@`; -1 without one. The end of the text if the password is longer than what was searched. */
  readonly at: number;
}

function userInfoAt(text: string, from: number): UserInfo {
  const most = searchLimit(text, from);
  let colon = -1;
  let at = -1;
  let end = from;
  for (; end < most; end += 1) {
    const sign = text.charAt(end);
    if (endsAddress(text, end) || (ENDS_HOST.has(sign) && endsUserInfo(text, colon, at))) break;
    if (sign === ':' && colon < 0) colon = end;
    if (sign === '@') at = end;
  }
  const isCut = end === most && most < text.length && colon >= 0;
  return isCut ? { end: text.length, colon, at: text.length } : { end, colon, at };
}

const QUOTES_AND_BRACKETS: ReadonlySet<string> = new Set('"\'`<>');
const ENDS_HOST: ReadonlySet<string> = new Set('/?#');

function endsAddress(text: string, at: number): boolean {
  const sign = text.charAt(at);
  if (isSpaceOrEnd(text.charCodeAt(at)) || QUOTES_AND_BRACKETS.has(sign)) return true;
  return sign === ':' && text.startsWith('//', at + 1);
}

/** A slash ends the user info, unless the password contains one unescaped: then a port does not precede it. */
function endsUserInfo(text: string, colon: number, at: number): boolean {
  return at >= 0 || colon < 0 || testAt(PORT, text, colon + 1);
}
