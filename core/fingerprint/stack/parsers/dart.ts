import { splitPosition, writtenCall } from '../families/call.js';
import { dartFrame } from '../families/dart-frame.js';
import type { StackFrame } from '../frames.js';
import { linesOf, parseFrameLines, withoutLogPrefix } from './frame-lines.js';
import type { ParsedStack, StackParser } from './stack-parser.js';

const NUMBER = /^#\d{1,6}\s+/;
const FIRST = /^#0+\s/;
const LOCATION = /^(?:dart|package|file|https?|org-dartlang-[a-z-]{1,20}):|\.dart(?:$|:\d)/;
/** The terse form of the package `stack_trace`: path, line and column, name. */
const TERSE =
  /^((?:dart|package|file|https?|org-dartlang-[a-z-]{1,20}):\S{1,400}|\S{1,400}\.dart)\s+(\d{1,9})(?::(\d{1,9}))?\s+(\S.*)$/;
/** Frameworks report what they caught in a box: the type, and the message on the next line. */
const CAUGHT = /^The following (\w{1,200})(?: object)? was thrown.{0,400}:\n\s{0,8}(\S.{0,800})$/;
/** What the framework writes for its own types. */
const TYPES: Readonly<Record<string, string>> = { assertion: 'AssertionError', message: 'FlutterError' };
/** UTF-16 units of a box in which type and message are searched. */
const MAX_BOX = 2_048;
/** A build without symbols has addresses only. */
const STRIPPED = /^#\d{1,6}\s+abs [0-9a-f]{4,16}\b/;
/** A frame whose location stands on the next line, as consoles write and cut it. */
const BARE = /^#\d{1,6}\s+[^\s()][^()]{0,400}$/;
const LOCATION_LINE = /^\(?((?:package|dart|file):\S{1,400}\.dart(?::\d{1,9}){1,2})\)?$/;

/** The Dart VM and Flutter: `#0 function (package:…:line:column)`, and the terse form of `stack_trace`. Output of dart2js is parsed as its browser's. */
export const dartParser: StackParser = {
  family: 'dart',
  isEvidence: (line) => STRIPPED.test(line) || parseLine(line) !== null || locationIn(line) !== null,
  parse: (stack) => ({ ...parseFrameLines(withWholeFrames(stack), parseLine, FIRST), ...caughtFailure(stack) }),
};

function locationIn(line: string): string | null {
  return line.includes('.dart:') ? (LOCATION_LINE.exec(withoutLogPrefix(line))?.[1] ?? null) : null;
}

/** Puts locations that stand on lines of their own behind their names. */
function withWholeFrames(stack: string): string {
  const lines = linesOf(stack).map((line) => line.trimStart());
  if (!lines.some((line) => locationIn(line) !== null)) return stack;
  const whole = lines.map((line, at) => {
    const location = locationIn(lines[at + 1] ?? '');
    const name = location === null ? '' : withoutLogPrefix(line);
    return BARE.test(name) ? `${name} (${location})` : line;
  });
  return whole.join('\n');
}

/** Type and message in a box of a framework; nulls without a box. */
function caughtFailure(stack: string): Pick<ParsedStack, 'rootCause' | 'rootMessage'> {
  const start = stack.indexOf('The following ');
  const box = start < 0 ? '' : stack.slice(start, start + MAX_BOX);
  const [, type = '', message] = CAUGHT.exec(box.split('\n', 2).map(withoutLogPrefix).join('\n')) ?? [];
  if (message === undefined) return { rootCause: null, rootMessage: null };
  return { rootCause: TYPES[type] ?? type, rootMessage: message };
}

function parseLine(written: string): StackFrame | null {
  const line = written.includes('#') ? withoutLogPrefix(written) : written;
  if (line.startsWith('#')) return numbered(line);
  const terse = TERSE.exec(line);
  if (terse === null) return null;
  const [, path, at, column, name = ''] = terse;
  return dartFrame(
    writtenCall({ name, path: path ?? '', line: Number(at), column: column === undefined ? null : Number(column) }),
  );
}

function numbered(line: string): StackFrame | null {
  const number = NUMBER.exec(line)?.[0];
  const open = line.lastIndexOf(' (');
  if (number === undefined || open < number.length || !line.endsWith(')')) return null;
  const location = line.slice(open + 2, -1);
  if (!LOCATION.test(location)) return null;
  return dartFrame(writtenCall({ name: line.slice(number.length, open), ...splitPosition(location) }));
}
