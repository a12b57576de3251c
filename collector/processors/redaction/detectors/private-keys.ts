import { execAt, indexBefore } from './characters.js';
import { MAX_SECRET_LENGTH, type ReportFinding } from './finding.js';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const LABEL = /[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;

/** Finds the PEM block of a private key with any line breaks, without an end up to that of the text; `at` is the offset of `-----BEGIN`. */
export function findPrivateKey(text: string, at: number, report: ReportFinding): number {
  const labelAt = at + BEGIN.length;
  const label = text.startsWith(BEGIN, at) ? execAt(LABEL, text, labelAt)?.[0] : undefined;
  if (label === undefined) return labelAt;
  const start = labelAt + label.length;
  const end = indexBefore(text, END, start, start + MAX_SECRET_LENGTH);
  report(start, end < 0 ? text.length : end, 'private_keys');
  return end < 0 ? text.length : end;
}

/** Base64 on one line or on lines of equal length, whose last, shorter one holds the end of the PEM block. */
const BASE64 = /[\w+/-]{60,}(?:(?:\r?\n|\\n)[ \t]{0,32}[\w+/-]{60,}){0,400}/y;

/** Finds the base64 of a PEM block of a private key, as in a kubeconfig; `at` is the offset of that of `-----BEGIN`. Returns the offset to continue from. */
export function findEncodedKey(text: string, at: number, report: ReportFinding): number {
  const length = execAt(BASE64, text, at)?.[0].length ?? 0;
  const label = Buffer.from(text.slice(at, at + 64), 'base64').toString('latin1');
  if (length > 0 && label.startsWith(BEGIN) && label.includes('PRIVATE KEY')) report(at, at + length, 'private_keys');
  return at + Math.max(length, 14);
}

const PUTTY_LINES = /private-lines:[ \t]{0,4}\d{1,4}/iy;
const PUTTY_END = 'Private-MAC:';

/** Finds the private lines of a PuTTY key; `at` is the offset of `Private-Lines:`. Returns the offset to continue from. */
export function findPuttyKey(text: string, at: number, report: ReportFinding): number {
  const head = execAt(PUTTY_LINES, text, at)?.[0];
  if (head === undefined) return at + PUTTY_END.length;
  const start = at + head.length;
  const end = indexBefore(text, PUTTY_END, start, start + MAX_SECRET_LENGTH);
  report(start, end < 0 ? text.length : end, 'private_keys');
  return end < 0 ? text.length : end;
}
