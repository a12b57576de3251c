import { indexBefore, isAlphanumeric, isSpaceOrEnd, testAt } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { isPlainValue, looksSecret } from './plain-values.js';

const PORT = /\d{1,5}(?:[/?#]|$)/y;

/** Finds the password of `scheme://user:password@host` and the token of `scheme://token@host`; `at` is the offset of `://`. */
export function findUrlPassword(text: string, at: number, report: ReportFinding): number {
  const from = at + '://'.length;
  return isAlphanumeric(text.charCodeAt(at - 1)) ? findUserInfo(text, from, report) : from;
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

const MAX_LENGTH = 120;
/** A user name before the colon or slash; contains no path separator. */
const USER = /(?:^|[=(,;]|\\[nrt])[\w.-]{1,40}$/;
const ORACLE_USER = /(?:^|[=:(,;])[A-Za-z]\w{0,30}$/;
const PROTOCOL = /@(?:tcp|tcp6|unix|udp)\(/y;
const ORACLE_HOST = /@(?:\/\/[\w.-]|[A-Z][A-Z0-9_]{2,30}(?![\w.-]))/y;
const HOST_WITH_PORT = /@(?!sha\d)[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}(?::\d{2,5}|\/[\w-]{1,40}(?:\?|\s|$))/y;
const VERSION = /^v?\d+(?:\.\d+)+/;

/** Finds passwords without a URL scheme: `user:password@tcp(host)`, `user:password@host:5432` and `user/password@//host`. */
export function findBareCredentials(text: string, report: ReportFinding, from: number, to: number): number {
  let at = from;
  while (at < to) {
    at = indexBefore(text, '@', at, to);
    if (at < 0) return to;
    findBefore(text, at, report);
    at += 1;
  }
  return at;
}

function findBefore(text: string, at: number, report: ReportFinding): void {
  const run = runBefore(text, at);
  if (run === undefined || run.endsWith('/')) return;
  const isProtocol = testAt(PROTOCOL, text, at);
  const isOracle = !isProtocol && testAt(ORACLE_HOST, text, at);
  if (!isProtocol && !isOracle && !testAt(HOST_WITH_PORT, text, at)) return;
  const password = isOracle
    ? afterUser(run, run.lastIndexOf('/'), ORACLE_USER)
    : afterUser(run, run.indexOf(':'), USER);
  if (password === '' || password.startsWith('//') || isPlainValue(password)) return;
  if (!isProtocol && !(looksSecret(password) && /[A-Za-z]/.test(password) && !VERSION.test(password))) return;
  report(at - password.length, at, 'passwords');
}

/** Returns the text before `at` up to a blank or quote; undefined if it has neither colon nor slash, as in mail addresses. */
function runBefore(text: string, at: number): string | undefined {
  let start = at;
  let hasSeparator = false;
  for (; start > 0 && at - start < MAX_LENGTH; start -= 1) {
    const code = text.charCodeAt(start - 1);
    if (!isCredentialChar(code)) break;
    hasSeparator ||= code === 0x3a || code === 0x2f;
  }
  return hasSeparator ? text.slice(start, at) : undefined;
}

/** Returns the text after the user name and its separator; empty if the name does not match. */
function afterUser(run: string, separator: number, user: RegExp): string {
  return separator > 0 && user.test(run.slice(0, separator)) ? run.slice(separator + 1) : '';
}

function isCredentialChar(code: number): boolean {
  return !isSpaceOrEnd(code) && code !== 0x22 && code !== 0x27 && code !== 0x60;
}
