import { indexBefore, isSpaceOrEnd } from './characters.js';
import type { ReportFinding } from './finding.js';
import { isPlainValue, looksSecret } from './plain-values.js';

/** How far in front of its `@` a user's name is looked for. */
const MAX_LENGTH = 120;
/** A user's name in front of the colon or slash: no sign of a path. */
const USER = /(?:^|[=(,;]|\\[nrt])[\w.-]{1,40}$/;
const ORACLE_USER = /(?:^|[=:(,;])[A-Za-z]\w{0,30}$/;
const PROTOCOL = /@(?:tcp|tcp6|unix|udp)\(/y;
const ORACLE_HOST = /@(?:\/\/[\w.-]|[A-Z][A-Z0-9_]{2,30}(?![\w.-]))/y;
const HOST_WITH_PORT = /@(?!sha\d)[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}(?::\d{2,5}|\/[\w-]{1,40}(?:\?|\s|$))/y;
const VERSION = /^v?\d+(?:\.\d+)+/;

/**
 * Finds passwords in front of an `@` without the scheme of a URL: `user:password@tcp(host)`, `user:password@host:5432`, `user/password@//host`. Looks at
 * signs from `from` on and before `to`; answers where the next may stand.
 */
export function findBareCredentials(text: string, found: ReportFinding, from: number, to: number): number {
  let at = from;
  while (at < to) {
    at = indexBefore(text, '@', at, to);
    if (at < 0) return to;
    findBefore(text, at, found);
    at += 1;
  }
  return at;
}

function findBefore(text: string, at: number, found: ReportFinding): void {
  const run = runBefore(text, at);
  if (run === undefined || run.endsWith('/')) return;
  const isProtocol = matches(PROTOCOL, text, at);
  const isOracle = !isProtocol && matches(ORACLE_HOST, text, at);
  if (!isProtocol && !isOracle && !matches(HOST_WITH_PORT, text, at)) return;
  const password = isOracle
    ? behindUser(run, run.lastIndexOf('/'), ORACLE_USER)
    : behindUser(run, run.indexOf(':'), USER);
  if (password === '' || password.startsWith('//') || isPlainValue(password)) return;
  if (!isProtocol && !(looksSecret(password) && /[A-Za-z]/.test(password) && !VERSION.test(password))) return;
  found(at - password.length, at, 'passwords');
}

/** What stands before a place without blanks and quotes; undefined where nothing parts a name from a password there, as in mail addresses. */
function runBefore(text: string, at: number): string | undefined {
  let start = at;
  let isParted = false;
  for (; start > 0 && at - start < MAX_LENGTH; start -= 1) {
    const code = text.charCodeAt(start - 1);
    if (!isOfCredentials(code)) break;
    isParted ||= code === 0x3a || code === 0x2f;
  }
  return isParted ? text.slice(start, at) : undefined;
}

/** What stands behind a user's name and a sign; empty where no user stands there. */
function behindUser(run: string, place: number, user: RegExp): string {
  return place > 0 && user.test(run.slice(0, place)) ? run.slice(place + 1) : '';
}

function isOfCredentials(code: number): boolean {
  return !isSpaceOrEnd(code) && code !== 0x22 && code !== 0x27 && code !== 0x60;
}

function matches(form: RegExp, text: string, at: number): boolean {
  form.lastIndex = at;
  return form.test(text);
}
