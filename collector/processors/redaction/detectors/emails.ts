import { execAt, indexBefore, isAlphanumeric, isSpaceOrEnd } from './characters.js';
import type { ReportFinding } from './finding.js';

/** RFC 5321 section 4.5.3.1.1. */
const MAX_LOCAL_LENGTH = 64;
/** Non-ASCII names are those of RFC 5890. */
const DOMAIN =
  /(?:[A-Za-z0-9\u00a1-\uffef](?:[A-Za-z0-9\u00a1-\uffef-]{0,61}[A-Za-z0-9\u00a1-\uffef])?\.){1,8}([A-Za-z]{2,24}|xn--[a-z0-9-]{2,59})(?![A-Za-z0-9-])/y;
/** Endings of files, versions and units: `icon@2x.png`, `handler@app.js`. */
const NOT_DOMAINS: ReadonlySet<string> = new Set(
  'png jpg jpeg gif svg webp ico css scss js mjs cjs jsx ts mts cts tsx map json html htm vue java class jar war dll exe so txt log xml yml yaml gz tgz tar zip whl rb php go cs cpp beta alpha rc local localhost internal svc snapshot service socket mount timer target slice localdomain'.split(
    ' ',
  ),
);
/** RFC 5322 without characters that more often surround addresses: quotes, braces, and `=&?/` of URLs. */
const LOCAL_SIGNS = '.!#$%*+^_~-';

/** Finds the local parts of addresses. */
export function findEmails(text: string, report: ReportFinding, from: number, to: number): number {
  let at = from;
  while (at < to) {
    at = indexBefore(text, '@', at, to);
    if (at < 0) return to;
    at = findEmail(text, at, '@', report);
  }
  return at;
}

/** Finds the local part before `sign` (`@` or `%40`) at `at`, not of scp and git addresses with `:` and a path; returns the offset to continue from. */
export function findEmail(text: string, at: number, sign: string, report: ReportFinding): number {
  const end = at + sign.length;
  const domain = execAt(DOMAIN, text, end);
  if (domain === null || NOT_DOMAINS.has((domain[1] ?? '').toLowerCase())) return end;
  if (isPathOfHost(text, end + domain[0].length)) return end;
  const start = startOfLocal(text, at);
  if (start < at && !text.startsWith('//', start - 2)) report(start, at, 'emails');
  return end;
}

/** `git@example.com:shop/api.git`, but not `anna@example.com: not found`. */
function isPathOfHost(text: string, end: number): boolean {
  return text[end] === ':' && !isSpaceOrEnd(text.charCodeAt(end + 1)) && !/["'\\,]/.test(text[end + 1] ?? '');
}

function startOfLocal(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL_LENGTH && isLocalChar(text, start - 1)) start -= 1;
  // The `n` of an escaped line break is not part of the address.
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start += 1;
  while (start < at && !isAlphanumeric(text.charCodeAt(start)) && text.charCodeAt(start) < 0x80) start += 1;
  return start;
}

function isLocalChar(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isAlphanumeric(code) || code > 0xa0 || LOCAL_SIGNS.includes(text[at] ?? '');
}
