import { normalizeFile, normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
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
  parse: (stack) => parseFrameLines(stack, parseLine, 0, (line, hasFrames) => hasFrames && FIRST.test(line)),
};

function parseLine(line: string): StackFrame | null {
  if (line.startsWith('#')) return numbered(line);
  const terse = TERSE.exec(line);
  if (terse === null) return null;
  return frameOf(terse[4] ?? '', terse[1] ?? '', Number(terse[2]), terse[3] === undefined ? null : Number(terse[3]));
}

function numbered(line: string): StackFrame | null {
  const number = NUMBER.exec(line)?.[0];
  const open = line.lastIndexOf(' (');
  if (number === undefined || open < number.length || !line.endsWith(')')) return null;
  const location = line.slice(open + 2, -1);
  if (!LOCATION.test(location)) return null;
  const position = POSITION.exec(location);
  const path = position === null ? location : location.slice(0, position.index);
  const first = position === null ? null : Number(position[1] ?? position[2]);
  return frameOf(
    line.slice(number.length, open),
    path,
    first,
    position?.[1] === undefined ? null : Number(position[2]),
  );
}

function frameOf(name: string, path: string, line: number | null, column: number | null): StackFrame {
  return {
    function: normalizeFunction(name.replace(ASYNC_BODY, '').replace(CLOSURES, '')),
    module: null,
    file: normalizeFile(path),
    line,
    column,
    inApp: isAppFile(path),
  };
}
