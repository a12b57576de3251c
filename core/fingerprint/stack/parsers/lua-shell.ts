import { createFrame, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import { parseFrameLines } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';

const LUA =
  /^(?:\[C\]|(\S.{0,499}?):(\d{1,9})): in (?:main chunk|\?|(?:(?:function|local|upvalue|method|field|global|metamethod) )(?:['"]([^'"]{1,256})['"]|<.{1,500}>))$/;

/** Lua: `file:line: in function 'name'`, the innermost call first; `[C]` is the interpreter. */
export const luaParser: StackParser = {
  family: 'lua',
  isEvidence: (line) => line.includes(': in ') && LUA.test(line),
  parse: (stack) => parseFrameLines(stack, parseLuaLine),
};

function parseLuaLine(line: string): StackFrame | null {
  const found = LUA.exec(line);
  if (found === null) return null;
  const [, path, at, name] = found;
  return createFrame({ name, path, line: at, inApp: path !== undefined && isAppFile(path) });
}

const SHELL = /^([^\s:][^:]{0,499}\.(?:ba|da|k|z)?sh): line (\d{1,9}): /;

/** Bash: `file: line N: message`; it does not name the function. */
export const shellParser: StackParser = {
  family: 'shell',
  isEvidence: (line) => line.includes(': line ') && SHELL.test(line),
  parse: (stack) => parseFrameLines(stack, parseShellLine),
};

function parseShellLine(line: string): StackFrame | null {
  const [, path, at] = SHELL.exec(line) ?? [];
  return path === undefined ? null : createFrame({ path, line: at });
}
