import { indexBefore } from './characters.js';
import { MAX_SECRET_LENGTH, type ReportFinding } from './finding.js';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const LABEL = /[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;

/**
 * Finds the inside of PEM blocks of private keys, however their lines are broken; one that was cut off reaches to the end of the text. Looks at blocks
 * that begin from `from` on and before `to`; answers where the next may begin.
 */
export function findPrivateKeys(text: string, found: ReportFinding, from: number, to: number): number {
  let at = from;
  while (at < to) {
    at = indexBefore(text, BEGIN, at, to);
    if (at < 0) return to;
    at += BEGIN.length;
    LABEL.lastIndex = at;
    const label = LABEL.exec(text)?.[0];
    if (label === undefined) continue;
    const start = at + label.length;
    const end = indexBefore(text, END, start, start + MAX_SECRET_LENGTH);
    at = end < 0 ? text.length : end;
    found(start, at, 'private_keys');
  }
  return at;
}

const PUTTY_LINES = /private-lines:[ \t]{0,4}\d{1,4}/iy;
const PUTTY_END = 'Private-MAC:';

/** Finds the private lines of a key of PuTTY, `at` being where `Private-Lines:` begins. Answers where the next may begin. */
export function findPuttyKey(text: string, at: number, found: ReportFinding): number {
  PUTTY_LINES.lastIndex = at;
  const head = PUTTY_LINES.exec(text)?.[0];
  if (head === undefined) return at + PUTTY_END.length;
  const start = at + head.length;
  const end = indexBefore(text, PUTTY_END, start, start + MAX_SECRET_LENGTH);
  found(start, end < 0 ? text.length : end, 'private_keys');
  return end < 0 ? text.length : end;
}
