import { createFrame, type StackFrame } from '../frames.js';
import { parseFrameLines } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';

const NUMBER = /^#\d{1,6}\s+/;
const FIRST = /^#0+\s/;
const LOCATION = /^(?:dart|package|file|https?|org-dartlang-[a-z-]{1,20}):|\.dart(?:$|:\d)/;
const POSITION = /(?::(\d{1,9}))?:(\d{1,9})$/;
/** The terse form of the package `stack_trace`: path, line and column, name. */
const TERSE =
  /^((?:dart|package|file|https?|org-dartlang-[a-z-]{1,20}):\S{1,400}|\S{1,400}\.dart)\s+(\d{1,9})(?::(\d{1,9}))?\s+(\S.*)$/;
/** A build without symbols has addresses only. */
const STRIPPED = /^#\d{1,6}\s+abs [0-9a-f]{4,16}\b/;
const CLOSURES = /(?:\.<(?:anonymous closure|fn)>)+/g;
const ASYNC_BODY = /\s*\[async\]$|\.<async_op>/g;

/** The Dart VM and Flutter: `#0 function (package:…:line:column)`, and the terse form of `stack_trace`. Output of dart2js is parsed as its browser's. */
export const dartParser: StackParser = {
  family: 'dart',
  isEvidence: (line) => STRIPPED.test(line) || parseLine(line) !== null,
  parse: (stack) => parseFrameLines(stack, parseLine, FIRST),
};

function parseLine(line: string): StackFrame | null {
  if (line.startsWith('#')) return numbered(line);
  const terse = TERSE.exec(line);
  if (terse === null) return null;
  const [, path, at, column, name = ''] = terse;
  return createFrame({ name: nameOf(name), path, line: at, column });
}

function numbered(line: string): StackFrame | null {
  const number = NUMBER.exec(line)?.[0];
  const open = line.lastIndexOf(' (');
  if (number === undefined || open < number.length || !line.endsWith(')')) return null;
  const location = line.slice(open + 2, -1);
  if (!LOCATION.test(location)) return null;
  const position = POSITION.exec(location);
  return createFrame({
    name: nameOf(line.slice(number.length, open)),
    path: location.slice(0, position?.index),
    line: position?.[1] ?? position?.[2],
    column: position?.[1] && position[2],
  });
}

function nameOf(written: string): string {
  return written.replace(ASYNC_BODY, '').replace(CLOSURES, '');
}
