import type { StackFrame } from '../frames.js';
import { type DeferredFrame, MAX_LINE_LENGTH, MAX_LINES, type ParsedStack } from './stack-parser.js';

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

/** Reads one trimmed line; null when it is no frame. */
export type ParseLine = (line: string) => StackFrame | null;

/** Whether a trimmed line, if it is a frame, is certainly not of the application: a glance, much cheaper than reading it. */
export type IsForeignLine = (line: string) => boolean;

/** Whether a trimmed line ends the stack, by whether frames stood before it. */
type IsEnd = (line: string, hasFrames: boolean) => boolean;

const NEVER: IsEnd = () => false;

/** Hands over what lines say: read, or left aside where a glance tells that they are foreign. Answers false when enough was seen. */
export function createLineVisitor(
  parseLine: ParseLine,
  isForeign: IsForeignLine,
  visit: (frame: StackFrame) => boolean,
  defer: ((read: DeferredFrame) => void) | undefined,
): (line: string) => boolean {
  return (line) => {
    if (defer !== undefined && isForeign(line)) {
      defer(() => parseLine(line));
      return true;
    }
    const frame = parseLine(line);
    return frame === null || visit(frame);
  };
}

/** The frames of a text with one exception, the innermost first, for families of which a glance at a line tells whether it is foreign. */
export function parsePlainLines(stack: string, parseLine: ParseLine, isForeign: IsForeignLine): ParsedStack {
  return {
    rootCause: null,
    rootMessage: null,
    walk: (visit, defer) => eachLine(stack, 0, createLineVisitor(parseLine, isForeign, visit, defer)),
  };
}

/** A text with one exception, the innermost frame first and a frame on each line. `start`: where its lines begin; absent: 0. `isEnd` absent: read to the end. */
export function parseFrameLines(stack: string, parseLine: ParseLine, start = 0, isEnd: IsEnd = NEVER): ParsedStack {
  return {
    rootCause: null,
    rootMessage: null,
    walk: (visit) => {
      let hasFrames = false;
      eachLine(stack, start, (line) => {
        if (isEnd(line, hasFrames)) return false;
        const frame = parseLine(line);
        if (frame === null) return true;
        hasFrames = true;
        return visit(frame);
      });
    },
  };
}

/** Hands over trimmed lines until `visit` answers false; `MAX_LINES` at most. */
function eachLine(text: string, start: number, visit: (line: string) => boolean): void {
  let at = start;
  for (let lines = 0; lines < MAX_LINES && at < text.length; lines++) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    if (!visit(trimmedLine(text, at, end))) return;
    at = end + 1;
  }
}
