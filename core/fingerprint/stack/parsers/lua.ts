import { createFrame, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import { parseFrameLines } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';

const FRAME =
  /^(?:\[C\]|(\S.{0,499}?):(\d{1,9})): in (?:main chunk|\?|(?:(?:function|local|upvalue|method|field|global|metamethod) )(?:['"]([^'"]{1,256})['"]|<.{1,500}>))$/;

/** Lua: `file:line: in function 'name'`, the innermost call first; `[C]` is the interpreter. */
export const luaParser: StackParser = {
  family: 'lua',
  isEvidence: (line) => line.includes(': in ') && FRAME.test(line),
  parse: (stack) => parseFrameLines(stack, parseLine),
};

function parseLine(line: string): StackFrame | null {
  const found = FRAME.exec(line);
  if (found === null) return null;
  const [, path, at, name] = found;
  return createFrame({ name, path, line: at, inApp: path !== undefined && isAppFile(path) });
}
