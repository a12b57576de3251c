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
