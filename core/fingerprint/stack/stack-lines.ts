import type { StackFrame } from './frames.js';
import { MAX_LINE_LENGTH, type StackParser } from './parsers/stack-parser.js';
import { detectParser } from './parsers/stack-parsers.js';

/** UTF-16 units and lines of a stack that are parsed, as for grouping. */
const MAX_STACK = 131_072;
const MAX_LINES = 2_048;

/** One line of a stack, or two if its family writes two for a call. */
export interface StackLine {
  /** Trimmed; two lines of one call are joined by two spaces. */
  readonly text: string;
  /** Spaces before the text. */
  readonly indent: number;
  /** Null if the line is not a frame. */
  readonly frame: StackFrame | null;
}

/** A stack line by line, without empty lines. */
export interface StackLines {
  /** Null if no line is a frame. */
  readonly family: string | null;
  readonly lines: readonly StackLine[];
  /** Whether the stack was longer than the limits. */
  readonly isCut: boolean;
  /** Type and message of the root cause, as in grouping; null if the stack is not a chain. */
  readonly rootCause: string | null;
  readonly rootMessage: string | null;
}

/** Whether a line is the location of the call on the line above, by family. */
const IS_LOCATION_BELOW: Readonly<Record<string, (line: string) => boolean>> = {
  go: (line) => /^\S.{0,600}\.go:\d{1,9}(?: |$)/.test(line),
  rust: (line) => line.startsWith('at '),
};

/** Parses each line of a stack; never throws. */
export function readStackLines(stack: string): StackLines {
  const start = stack.slice(0, MAX_STACK);
  const parser = detectParser(start);
  const texts = start.split('\n', MAX_LINES + 1);
  const isCut = stack.length > MAX_STACK || texts.length > MAX_LINES;
  const lines = readLines(texts.slice(0, MAX_LINES), parser);
  const hasFrames = parser !== null && lines.some(({ frame }) => frame !== null);
  if (!hasFrames) return { family: null, lines, isCut, rootCause: null, rootMessage: null };
  const { rootCause, rootMessage } = parser.parse(start);
  return { family: parser.family, lines, isCut, rootCause, rootMessage };
}

function readLines(texts: readonly string[], parser: StackParser | null): StackLine[] {
  const isLocationBelow = IS_LOCATION_BELOW[parser?.family ?? ''];
  const lines: StackLine[] = [];
  for (let index = 0; index < texts.length; index += 1) {
    const whole = (texts[index] ?? '').slice(0, MAX_LINE_LENGTH);
    const text = whole.trim();
    if (text === '') continue;
    const indent = whole.length - whole.trimStart().length;
    const below = isLocationBelow === undefined ? '' : (texts[index + 1] ?? '').slice(0, MAX_LINE_LENGTH).trim();
    if (isLocationBelow?.(below) === true) {
      const frame = frameIn(parser, `${text}\n${below}`);
      if (frame !== null) {
        lines.push({ text: `${text}  ${below}`, indent, frame });
        index += 1;
        continue;
      }
    }
    lines.push({ text, indent, frame: frameIn(parser, text) });
  }
  return lines;
}

function frameIn(parser: StackParser | null, text: string): StackFrame | null {
  let found: StackFrame | null = null;
  parser?.parse(text).walk((frame) => {
    found = frame;
    return false;
  });
  return found;
}
