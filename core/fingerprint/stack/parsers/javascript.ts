import { writtenCall } from '../families/call.js';
import { isBuiltInPath, scriptFrame } from '../families/script-frame.js';
import type { StackFrame } from '../frames.js';
import { parseExceptionTree } from './exception-tree.js';
import type { StackParser } from './stack-parser.js';

/** A location `path:line:column`; missing members are null. */
type ScriptLocation = Pick<StackFrame, 'line' | 'column'> & { readonly path: string };

const POSITION = /(?::(\d{1,9}))?:(\d{1,9})$/;

/** Splits line and column from the end of a location. */
function splitLocation(location: string): ScriptLocation {
  const position = POSITION.exec(location);
  if (position === null) return { path: location, line: null, column: null };
  const [, first, last] = position;
  const path = location.slice(0, position.index);
  if (first === undefined) return { path, line: Number(last), column: null };
  return { path, line: Number(first), column: Number(last) };
}

/** Whether a location ends with a number. */
function hasPosition(location: string): boolean {
  return POSITION.test(location);
}

/** The innermost location of an `eval`: the one in the file that called it. */
const EVALUATED = /^(?:eval at .{1,200}? \(){1,8}([^()]{1,400})\)/;
const WASM_OFFSET = /:0x[0-9a-f]{1,16}$/;
const QUALIFIED_NAME =
  /^(?:(?:async|new|get|set|static) ){0,3}(?:[\w$#]|<[\w ]{1,40}>)+(?:\.(?:[\w$#]|<[\w ]{1,40}>)+)*(?: \[as [^\]]{1,200}\])?$/;
const FILE_EXTENSION = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|go|rs|java|kt|php|cs|html?)$/;

/** V8 (Node, Chromium, Deno, Bun): `at function (location)` or `at location`; also members of an `AggregateError`, WebAssembly, nested `eval`. */
export const v8Parser: StackParser = {
  family: 'v8',
  isEvidence: (line) => line.startsWith('at '),
  parse: (stack) => parseExceptionTree(stack, parseV8Line, isForeignScriptLine),
};

/** Parses a trimmed line `at function (location)`, `at location` or `at function`; null for others. */
export function parseV8Line(text: string): StackFrame | null {
  if (!text.startsWith('at ')) return null;
  // After the last frame, an inspected error continues with ` {` and its properties, or in a list with a comma.
  const line = text.endsWith(' {') ? text.slice(0, -2) : text.endsWith(',') ? text.slice(0, -1) : text;
  const open = line.endsWith(')') ? line.indexOf(' (', 3) : -1;
  if (open > 0) return frameAt(line.slice(3, open), line.slice(open + 2, -1));
  const body = line.slice(3);
  const location = body.startsWith('async ') ? body.slice(6) : body;
  return QUALIFIED_NAME.test(location) && !FILE_EXTENSION.test(location)
    ? frameAt(location, '')
    : frameAt('', location);
}

function frameAt(name: string, location: string): StackFrame | null {
  const evaluated = (location.startsWith(EVALUATION) ? EVALUATED.exec(location)?.[1] : undefined) ?? location;
  const where = evaluated.includes(':0x') ? evaluated.replace(WASM_OFFSET, '') : evaluated;
  const split = splitLocation(where);
  // A line of a message may begin with "at" too: prose has spaces and no position.
  const isCertain = split.line !== null || isBuiltInPath(where) || where.includes('wasm-function[');
  if (!isCertain && (where.includes(' ') || (name !== '' && !QUALIFIED_NAME.test(name)))) return null;
  return scriptFrame(writtenCall({ name, ...split }));
}

const PACKAGES = '/node_modules/';
const EVALUATION = 'eval at ';
const NODE_LOCATION = /node:[a-z]/y;

/** Whether a trimmed line, if it is a frame of V8, certainly belongs to a package or to Node. */
export function isForeignScriptLine(line: string): boolean {
  const isBracketed = line.endsWith(')');
  if (!isBracketed && !/\d$/.test(line)) return false;
  const open = isBracketed ? line.indexOf(' (', 3) : -1;
  const start = open > 0 ? open + 2 : line.startsWith('async ', 3) ? 9 : 3;
  NODE_LOCATION.lastIndex = start;
  if (NODE_LOCATION.test(line)) return true;
  return line.includes(PACKAGES, start) && !line.startsWith(EVALUATION, start);
}

const HERMES_LINE = /^at (?:\?anon_|[^(]{0,256} \((?:address at |native\)$))/;
const ADDRESS = ' (address at ';
/** Hermes numbers the bodies of generators and async functions. */
const INNER_FUNCTION = /^at \?anon_\d{1,6}_?/;

/** Hermes of React Native: the form of V8, with an address in the bytecode as the location, or `(native)`. */
export const hermesParser: StackParser = {
  family: 'hermes',
  isEvidence: (line) => HERMES_LINE.test(line),
  parse: (stack) => parseExceptionTree(stack, parseHermesLine),
};

function parseHermesLine(line: string): StackFrame | null {
  const plain = line.replace(INNER_FUNCTION, 'at ').replace(ADDRESS, ' (');
  return parseV8Line(plain.startsWith('at (') ? `at anonymous ${plain.slice(3)}` : plain);
}

/** Firefox marks the first function after an asynchronous call: `async*`, `promise callback*`, `setTimeout handler*`. */
const ASYNC_CAUSE = /^(?:[A-Za-z][\w ]{0,60}\*)+/;
const ADJECTIVES = /^(?:(?:async|get|set|static|bound) ){1,3}/;
const NO_FUNCTION = /^(?:global|module|eval|program|wasm) code$/i;
const NAME = /^[^\s@()'"=]{0,256}$/;
const URL_START = /^(?:[a-z][\w+.-]{1,30}:\/\/|blob:|data:)/i;
const PATH_START = /^(?:[/\\]|[A-Za-z]:[/\\]|\.{1,2}[/\\])/;
const SCRIPT_NAME = /\.(?:[cm]?jsx?|tsx?|jsbundle|bundle|html?|wasm|vue)(?:[?#:]|$| line )/;

/** Firefox and JavaScriptCore (Safari): `function@file:line:column`, in Safari also a bare location or `[native code]`. */
export const firefoxSafariParser: StackParser = {
  family: 'firefox_safari',
  isEvidence: (line) => split(line) !== null,
  parse: (stack) => parseExceptionTree(stack, parseLine),
};

function parseLine(line: string): StackFrame | null {
  const parts = split(line);
  return parts === null ? null : scriptFrame(writtenCall({ name: parts.name, ...splitLocation(parts.location) }));
}

function split(line: string): { name: string; location: string } | null {
  if (line === '[native code]' || line === '[wasm code]') return { name: '', location: line };
  if (URL_START.test(line)) return hasColumn(line) && !line.includes(' ') ? { name: '', location: line } : null;
  const at = line.indexOf('@');
  if (at < 0) return null;
  const name = line.slice(0, at).replace(ASYNC_CAUSE, '').replace(ADJECTIVES, '');
  const location = line.slice(at + 1);
  if (NO_FUNCTION.test(name)) return isLocation(location) ? { name: '', location } : null;
  return NAME.test(name) && isLocation(location) ? { name, location } : null;
}

/** Excludes addresses of mail and hosts, which have no path and no column. */
function isLocation(location: string): boolean {
  if (isBuiltInPath(splitLocation(location).path))
    return location !== '' && (hasPosition(location) || location.startsWith('['));
  if (URL_START.test(location)) return hasPosition(location);
  return hasColumn(location) && (PATH_START.test(location) || SCRIPT_NAME.test(location));
}

function hasColumn(location: string): boolean {
  return /:\d{1,9}:\d{1,9}$/.test(location);
}
