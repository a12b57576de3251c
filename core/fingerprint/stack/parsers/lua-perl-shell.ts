import { createFrame, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import { linesOf, parseFrameLines } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { type Location, parsedStack } from './traced-exception.js';

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

const CALL = /^((?:eval|require)\b.{0,2000}?|[^\s(]{1,500}\(.{0,2000}\)) called at (\S.{0,499}) line (\d{1,9})\.?$/;
const THROWN = / at (\S.{0,499}?) line (\d{1,9})(?:, <\w{1,64}> (?:line|chunk) \d{1,9})?\.$/;

/** Perl, as Carp prints it: the location of the failure, then each call with the location of its caller. */
export const perlParser: StackParser = {
  family: 'perl',
  isEvidence: (line) => line.includes(' called at ') && CALL.test(line),
  parse: (stack) => parsedStack([{ type: null, message: null, frames: () => framesOf(linesOf(stack)) }]),
};

function* framesOf(lines: readonly string[]): Iterable<StackFrame> {
  let location: Location | null = null;
  for (const line of lines) {
    const call = CALL.exec(line.trimStart());
    if (call === null) {
      const thrown: RegExpExecArray | null = location === null ? THROWN.exec(line) : null;
      if (thrown !== null) location = { path: thrown[1] ?? '', line: Number(thrown[2]) };
      continue;
    }
    yield frameAt(call[1] ?? '', location);
    location = { path: call[2] ?? '', line: Number(call[3]) };
  }
  if (location !== null) yield frameAt('', location);
}

/** `main::total(120)` is `total` of no module; `eval {...}` has no name. */
function frameAt(call: string, location: Location | null): StackFrame {
  const open = call.indexOf('(');
  const name = /^eval\b/.test(call) ? '' : call.slice(0, open < 0 ? undefined : open).trim();
  const at = name.lastIndexOf('::');
  const module = at < 0 ? '' : name.slice(0, at);
  const member = at < 0 ? name : name.slice(at + 2);
  return createFrame({ name: member, module: module === 'main' ? '' : module, ...location });
}
