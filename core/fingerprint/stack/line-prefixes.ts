import { linesOf } from './parsers/frame-lines.js';

/** UTF-16 units of a prefix. */
const MAX_PREFIX = 160;
/** Share of the lines that have a prefix; the first ones were often written by someone else. */
const SHARE = 0.7;
/** What ends a prefix; the spaces behind the first one are the indent of the line. */
const END = /[|>:\]] /g;

/**
 * Removes what most lines begin with: the time, host, process or container that a log writes before each line, or a mark of a quotation. Null
 * if they have nothing in common.
 */
export function withoutPrefixes(text: string): string | null {
  const lines = linesOf(text);
  const written = lines.filter((line) => line.trim() !== '');
  const sample = written[written.length >> 1]?.slice(0, MAX_PREFIX) ?? '';
  if (written.length < 2) return null;
  for (const { 0: mark, index } of [...sample.matchAll(END)].reverse()) {
    const length = index + mark.length;
    const shape = shapeOf(sample, length);
    const isPrefixed = (line: string) => shapeOf(line, length) === shape;
    if (written.filter(isPrefixed).length < written.length * SHARE) continue;
    return lines.map((line) => (isPrefixed(line) ? line.slice(length) : line)).join('\n');
  }
  return null;
}

/** The start of a line, with each digit alike, as times and numbers of processes differ. */
function shapeOf(line: string, length: number): string {
  return line.slice(0, length).trimEnd().replace(/\d/g, '0');
}
