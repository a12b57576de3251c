import type { Found } from './finding.js';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const LABEL = /[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;

/**
 * Finds the inside of PEM blocks of private keys, however their lines are broken; one that was cut off reaches to the end of the text. Looks at blocks
 * that begin from `from` on and before `to`; answers where the next may begin.
 */
export function findPrivateKeys(text: string, found: Found, from: number, to: number): number {
  let at = from;
  while (at < to) {
    at = text.indexOf(BEGIN, at);
    if (at < 0) return text.length;
    if (at >= to) break;
    at += BEGIN.length;
    LABEL.lastIndex = at;
    const label = LABEL.exec(text)?.[0];
    if (label === undefined) continue;
    const start = at + label.length;
    const end = text.indexOf(END, start);
    at = end < 0 ? text.length : end;
    found(start, at, 'private_keys');
  }
  return at;
}
