import { indexBefore, isAlphanumeric, isSpaceOrEnd, testAt } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { isPlainValue, looksSecret } from './plain-values.js';

const PORT = /\d{1,5}(?:[/?#]|$)/y;
const SLASH = 0x2f;
const COLON = 0x3a;

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
  let colon = -1;
  let lastAt = -1;
  let end = from;
  const most = searchLimit(text, from);
  for (; end < most; end += 1) {
    const code = text.charCodeAt(end);
    if (isSpaceOrEnd(code) || code === 0x22 || code === 0x27 || code === 0x60 || code === 0x3c || code === 0x3e) break;
    if (code === COLON && text.startsWith('//', end + 1)) break;
    if (code === COLON && colon < 0) colon = end;
    if (code === 0x40) lastAt = end;
    // A slash ends the user info, unless the password contains one unescaped: then a port does not precede it.
    if (
      (code === SLASH || code === 0x3f || code === 0x23) &&
      (lastAt >= 0 || colon < 0 || testAt(PORT, text, colon + 1))
    )
      break;
  }
  if (end === most && most < text.length && colon >= 0) {
    lastAt = text.length;
    end = lastAt;
  }
  // `docker-pullable://nginx:1.25@sha256:…` names an image by tag and hash.
  if (lastAt < 0 || text.startsWith('@sha256:', lastAt)) return end;
  const start = colon >= 0 && colon < lastAt ? colon + 1 : from;
  const value = text.slice(start, Math.min(lastAt, start + 129));
  const isSecret = start === from ? value.length >= 16 && looksSecret(value) : !isPlainValue(value);
  if (isSecret) report(start, lastAt, 'passwords');
  return end;
}
