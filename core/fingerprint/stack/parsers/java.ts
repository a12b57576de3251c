import { normalizeFile, normalizeFunction, normalizeGenerated, type StackFrame } from '../frames.js';
import { isAppModule } from '../in-app.js';
import { parseCauses } from './caused-by.js';
import { isForeignJavaLine, LOADER_AND_MODULE, SOURCE } from './jvm.js';
import type { StackParser } from './stack-parser.js';

/** Frames that look like Java: a qualified method, then text in parentheses that the JVM does not write. */
export const javaParser: StackParser = {
  family: 'java',
  isEvidence: (line) => line.startsWith('at ') && methodEnd(line) > 0,
  parse: (stack) => parseCauses(stack, parseFrame, isForeignJavaLine),
};

/** Parses `at [loader/][module@version/]package.Class.method(File.java:12)`; also `(Native Method)` and arguments as in .NET. */
function parseFrame(line: string): StackFrame | null {
  const end = methodEnd(line);
  const dot = line.lastIndexOf('.', end);
  if (end <= 0 || dot <= 3) return null;
  const owner = line.slice(3, dot).replace(LOADER_AND_MODULE, '');
  const close = line.indexOf(')', end);
  const source = SOURCE.exec(line.slice(end + 1, close < 0 ? line.length : close));
  return {
    function: normalizeFunction(line.slice(dot + 1, end)),
    module: normalizeGenerated(owner),
    file: source?.[1] === undefined ? null : normalizeFile(source[1]),
    line: source?.[2] === undefined ? null : Number(source[2]),
    column: null,
    inApp: isAppModule(owner),
  };
}

/** Position of the parenthesis after a method's name without spaces; -1 if the line is not such a frame. */
function methodEnd(line: string): number {
  const open = line.indexOf('(', 3);
  const space = line.indexOf(' ', 3);
  return open > 3 && (space < 0 || space > open) && line.lastIndexOf('.', open) > 3 ? open : -1;
}
