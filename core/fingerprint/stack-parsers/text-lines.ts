import { MAX_LINE_LENGTH } from './stack-parser.js';

/** Lines of a whole text that are read: several exceptions with all the lines that each of them may have. */
const MAX_TEXT_LINES = 8_192;

/** The lines of a text without what stands at their ends; each as far as it is read. */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  let at = 0;
  while (at < text.length && lines.length < MAX_TEXT_LINES) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    lines.push(text.slice(at, Math.min(end, at + MAX_LINE_LENGTH)).trimEnd());
    at = end + 1;
  }
  return lines;
}

/** How far a line is indented, in characters. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;

/** The line of a text from `start` to before `end`, as far as it is read, without white space at its ends. */
export function trimmedLine(text: string, start: number, end: number): string {
  let first = start;
  let last = Math.min(end, start + MAX_LINE_LENGTH);
  while (first < last && isBlank(text.charCodeAt(first))) first++;
  while (first < last && isBlank(text.charCodeAt(last - 1))) last--;
  const line = text.slice(first, last);
  // White space of other kinds is rare, and looking for it costs more than all of the above.
  return isVisible(text.charCodeAt(first)) && isVisible(text.charCodeAt(last - 1)) ? line : line.trim();
}

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB || unit === CARRIAGE_RETURN;
}

function isVisible(unit: number): boolean {
  return unit > SPACE && unit < DELETE;
}
