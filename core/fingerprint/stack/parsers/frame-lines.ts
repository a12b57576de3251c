import type { StackFrame } from '../frames.js';
import { type DeferredFrame, MAX_LINE_LENGTH, MAX_LINES, type ParsedStack } from './stack-parser.js';

/** Lines of a whole text, with several exceptions. */
const MAX_TEXT_LINES = 8_192;

/** Splits a text into lines, without trailing white space, each cut at `MAX_LINE_LENGTH`. */
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

/** Returns the indent of a line in UTF-16 units. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Before each line of Android's log, also in the log of a tool; https://developer.android.com/tools/logcat#outputFormat. */
const TIME = String.raw`(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9}:?\s{1,4}`;
const PROCESS = String.raw`(?:\d{1,9}[-\s]{1,8}){1,2}\d{1,9}(?:\/\S{1,100})?\s{1,4}`;
const LEVEL_AND_TAG = String.raw`[VDIWEFA][/ ]\s?(\S{1,60})\s{0,40}(?:\(\s{0,8}\d{1,9}\))?[:\uFE55] ?`;
const LOGCAT = new RegExp(String.raw`^(?:\[[ +\dms]{1,12}\] )?(?:${TIME})?(?:${PROCESS})?${LEVEL_AND_TAG}`);
/** The same in columns, as Android Studio writes it: time, process, tag, package, level. */
const STUDIO =
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {1,4}\d{1,9}-\d{1,9} {1,4}(\S{1,40}) {1,30}\S{1,100} {1,40}[VDIWEFA](?: {1,2}|$)/;

/** A line of Android's log. */
interface LoggedLine {
  /** Who wrote it. */
  readonly tag: string;
  /** What follows the prefix, with its indent. */
  readonly text: string;
}

/** Reads a line of Android's log; null for other lines. */
export function loggedLine(line: string): LoggedLine | null {
  const prefix = LOGCAT.exec(line) ?? (line.startsWith('20') ? STUDIO.exec(line) : null);
  return prefix && { tag: prefix[1] ?? '', text: line.slice(prefix[0].length) };
}

/** Returns a line without the prefix that the log of Android writes. */
export function withoutLogPrefix(line: string): string {
  return loggedLine(line)?.text.trimStart() ?? line;
}

/** Parses a trimmed line; null if it is not a frame. */
export type ParseLine = (line: string) => StackFrame | null;

/** Whether a trimmed line, if it is a frame, is certainly foreign; much cheaper than parsing it. */
export type IsForeignLine = (line: string) => boolean;

/** Returns a function that visits the frame of a line, or defers it if it is foreign; it returns false to stop. */
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

/** Parses a text with one exception, the innermost frame first, and defers foreign frames. */
export function parsePlainLines(stack: string, parseLine: ParseLine, isForeign: IsForeignLine): ParsedStack {
  return {
    rootCause: null,
    rootMessage: null,
    walk: (visit, defer) => {
      eachLine(stack, createLineVisitor(parseLine, isForeign, visit, defer));
    },
  };
}

/** Parses a text with one exception and one frame per line, the innermost first. After a frame, a line like `end` ends it; `start` is where it begins. */
export function parseFrameLines(stack: string, parseLine: ParseLine, end?: RegExp, start = 0): ParsedStack {
  return {
    rootCause: null,
    rootMessage: null,
    walk: (visit) => {
      let hasFrames = false;
      const visitLine = (line: string): boolean => {
        if (hasFrames && end?.test(line) === true) return false;
        const frame = parseLine(line);
        if (frame === null) return true;
        hasFrames = true;
        return visit(frame);
      };
      eachLine(stack, visitLine, start);
    },
  };
}

/** One way to write a call, and the text that the parser of its family reads in its place. */
export interface FormRow {
  readonly pattern: RegExp;
  readonly replacement: string;
  readonly reason: string;
  /** Lines and their results. */
  readonly examples: readonly (readonly [string, string])[];
}

/** Visits the trimmed lines from `start` to `end`, `MAX_LINES` at most, until `visit` returns false; returns whether it did not. */
export function eachLine(text: string, visit: (line: string) => boolean, start = 0, end = text.length): boolean {
  let at = start;
  for (let lines = 0; lines < MAX_LINES && at < end; lines++) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline < 0 || newline > end ? end : newline;
    if (!visit(text.slice(at, Math.min(lineEnd, at + MAX_LINE_LENGTH)).trim())) return false;
    at = lineEnd + 1;
  }
  return true;
}
