import { normalizeFile } from '../frame-file.js';
import { isMinified, normalizeFunction } from '../frame-function.js';
import type { StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import { parseCauses } from './caused-by.js';
import { isForeignScriptLine } from './foreign-lines.js';
import { splitPlace } from './place-position.js';
import type { StackParser } from './stack-parser.js';

const BUILT_IN = /^(?:|native|<anonymous>|unknown location|index \d{1,9}|(?:code)? ?\[native code\])$/;
const EVALUATED = /^eval at .{0,200}\(([^()]{1,400})\)[^()]*$/;
const WEB_ASSEMBLY = /^wasm:\/\/|wasm-function\[/;
const QUALIFIED_NAME = /^(?:(?:async|new|get|set) )*[\w$#<>]+(?:\.[\w$#<>]+)*(?: \[as [^\]]{1,200}\])?$/;
const FILE_EXTENSION = /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kt|php|cs|html?)$/;

/**
 * V8 (Node, Chromium, Deno, Bun) and the plain ` at <location>` of the specification: `at function (place)` or `at place`,
 * where a place is `file:line:column` or less.
 */
export const v8Parser: StackParser = {
  family: 'v8',
  isEvidence: (line) => line.startsWith('at '),
  parse: (stack) => parseCauses(stack, parseFrame, isForeignScriptLine),
};

function parseFrame(text: string): StackFrame | null {
  // An inspected error goes on with its properties behind the last frame.
  const line = text.endsWith(' {') ? text.slice(0, -2) : text;
  const open = line.endsWith(')') ? line.indexOf(' (', 3) : -1;
  if (open > 0) return frameAt(line.slice(3, open), line.slice(open + 2, -1));
  const body = line.slice(3);
  const place = body.startsWith('async ') ? body.slice(6) : body;
  return QUALIFIED_NAME.test(place) && !FILE_EXTENSION.test(place) ? frameAt(place, '') : frameAt('', place);
}

function frameAt(name: string, place: string): StackFrame | null {
  const where = (place.startsWith('eval at ') ? EVALUATED.exec(place)?.[1] : undefined) ?? place;
  const { path, line, column } = splitPlace(where);
  const isBuiltIn = BUILT_IN.test(path);
  // A line of a message may begin with "at" as well: prose has spaces and no position.
  if (line === null && !isBuiltIn && (path.includes(' ') || (name !== '' && !QUALIFIED_NAME.test(name)))) return null;
  const named = normalizeFunction(name, 1);
  return {
    function: named === null || isMinified(named) ? null : named,
    module: null,
    file: isBuiltIn ? null : WEB_ASSEMBLY.test(path) ? '<wasm>' : normalizeFile(path, 1),
    line,
    column,
    inApp: (!isBuiltIn || path === '') && isAppFile(path, 1),
  };
}
