import { indexBefore, isSpaceOrEnd, testAt } from './characters.js';
import type { ReportFinding } from './finding.js';
import { isPlainValue, looksSecret } from './plain-values.js';

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
