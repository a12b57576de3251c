import type { StackFrame } from './frames.js';
import { MAX_LINE_LENGTH, type StackParser } from './parsers/stack-parser.js';
import { detectParser } from './parsers/stack-parsers.js';

/** UTF-16 units and lines of a stack that are read, as for grouping. */
const MAX_STACK = 131_072;
const MAX_LINES = 2_048;

/** One line of a stack, or two where its family takes two for a call. */
export interface StackLine {
  /** As it was written, without blanks at its ends; lines of one call are joined by two blanks. */
  readonly text: string;
  /** Blanks before it. */
  readonly indent: number;
  /** Null where the line tells no call. */
  readonly frame: StackFrame | null;
}

/** A stack line by line, for people: nothing of it is left out but empty lines. */
export interface StackLines {
  /** Name of the family that wrote it; null where no line has the form of a frame. */
  readonly family: string | null;
  readonly lines: readonly StackLine[];
  /** Whether more follows than was read. */
  readonly isCut: boolean;
  /** Type and message at the root of the chain, as the grouping reads them; null where the stack is no chain. */
  readonly rootCause: string | null;
  readonly rootMessage: string | null;
}

/** Whether a line tells the place of the call on the line before it, in families that write two lines. */
const IS_PLACE_BELOW: Readonly<Record<string, (line: string) => boolean>> = {
  go: (line) => /^\S.{0,600}\.go:\d{1,9}(?: |$)/.test(line),
  rust: (line) => line.startsWith('at '),
};

/** Reads what each line of a stack says; total. */
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
  const isPlaceBelow = IS_PLACE_BELOW[parser?.family ?? ''];
  const lines: StackLine[] = [];
  for (let place = 0; place < texts.length; place += 1) {
    const whole = (texts[place] ?? '').slice(0, MAX_LINE_LENGTH);
    const text = whole.trim();
    if (text === '') continue;
    const indent = whole.length - whole.trimStart().length;
    const below = isPlaceBelow === undefined ? '' : (texts[place + 1] ?? '').slice(0, MAX_LINE_LENGTH).trim();
    if (isPlaceBelow?.(below) === true) {
      const frame = frameIn(parser, `${text}\n${below}`);
      if (frame !== null) {
        lines.push({ text: `${text}  ${below}`, indent, frame });
        place += 1;
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
