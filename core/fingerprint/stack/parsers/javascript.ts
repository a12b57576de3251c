import { splitPosition, writtenCall } from '../families/call.js';
import { isBuiltInPath, plainName, scriptFrame } from '../families/script-frame.js';
import type { StackFrame } from '../frames.js';
import { parseExceptionTree } from './exception-tree.js';
import type { StackParser } from './stack-parser.js';

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
  const { path, line, column } = splitPosition(location);
  // A line of a message may begin with "at" too: prose has spaces and no position.
  const isCertain = line !== null || isBuiltInPath(location) || location.includes('wasm-function[');
  if (!isCertain && (location.includes(' ') || (name !== '' && !QUALIFIED_NAME.test(name)))) return null;
  return scriptFrame(writtenCall({ name, path, line, column }));
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
  return line.includes(PACKAGES, start) && !line.startsWith(EVALUATION, start) && !line.includes('!', start);
}

const HERMES_LINE = /^at (?:\?anon_|[^(]{0,256} \((?:address at |native\)$))/;
/** Hermes of React Native: the form of V8, with an address in the bytecode as the location, or `(native)`. */
export const hermesParser: StackParser = {
  family: 'hermes',
  isEvidence: (line) => HERMES_LINE.test(line),
  parse: (stack) => parseExceptionTree(stack, parseHermesLine),
};

function parseHermesLine(line: string): StackFrame | null {
  return parseV8Line(line.startsWith('at (') ? `at anonymous ${line.slice(3)}` : line);
}

const ADJECTIVES = /^(?:(?:async|get|set|static|bound) ){1,3}/;
const NO_FUNCTION = /^(?:global|module|eval|program|wasm) code$/i;
const NAME = /^[^\s@()'"=]{0,256}$/;
const URL_START = /^(?:[a-z][\w+.-]{1,30}:\/\/|blob:|data:)/i;
const URL_BEHIND_NAME = /@(?:[a-z][\w+.-]{1,30}:\/\/|blob:|data:)/i;
const PATH_START = /^(?:[/\\]|[A-Za-z]:[/\\]|\.{1,2}[/\\])/;
const SCRIPT_NAME = /\.(?:[cm]?jsx?|tsx?|jsbundle|bundle|html?|wasm|vue)(?:[?#:]|$| line )/;

/** As the console of Chrome shows a call. */
const SHOWN =
  /^(?:\(anonymous\)|([^\s@()'"=:,]{1,256})) @ (\S{1,800}\.(?:[cm]?jsx?|tsx?|html?|vue)(?:[?#]\S{0,200})?:\d{1,9}(?::\d{1,9})?)$/;

/** Firefox and JavaScriptCore (Safari): `function@file:line:column`, in Safari also a bare location or `[native code]`. */
export const firefoxSafariParser: StackParser = {
  family: 'firefox_safari',
  isEvidence: (line) => split(line) !== null,
  parse: (stack) => parseExceptionTree(stack, parseLine),
};

function parseLine(line: string): StackFrame | null {
  const parts = split(line);
  if (parts === null) return null;
  return scriptFrame(writtenCall({ name: parts.name, ...splitPosition(parts.location) }));
}

function split(line: string): { name: string; location: string } | null {
  if (line === '[native code]' || line === '[wasm code]') return { name: '', location: line };
  if (URL_START.test(line)) return hasColumn(line) && !line.includes(' ') ? { name: '', location: line } : null;
  const [, name = '', location] = line.includes(' @ ') ? (SHOWN.exec(line) ?? []) : [];
  return location === undefined ? splitAtMark(line) : { name, location };
}

/** Splits `function@location`. */
function splitAtMark(line: string): { name: string; location: string } | null {
  const at = endOfName(line);
  if (at < 0) return null;
  const name = line.slice(0, at);
  const plain = plainName(name).replace(ADJECTIVES, '');
  const location = line.slice(at + 1);
  if (NO_FUNCTION.test(plain)) return isLocation(location) ? { name: '', location } : null;
  return NAME.test(plain) && isLocation(location) ? { name, location } : null;
}

/** The names of modules of packages have an `@` of their own. */
function endOfName(line: string): number {
  const first = line.indexOf('@');
  if (first < 0 || line.indexOf('@', first + 1) < 0) return first;
  const url = line.search(URL_BEHIND_NAME);
  return url < 0 ? first : url;
}

/** Excludes addresses of mail and hosts, which have no path and no column. */
function isLocation(location: string): boolean {
  const { path, line } = splitPosition(location);
  if (isBuiltInPath(path)) return location !== '' && (line !== null || location.startsWith('['));
  if (URL_START.test(location)) return line !== null;
  return hasColumn(location) && (PATH_START.test(location) || SCRIPT_NAME.test(location));
}

function hasColumn(location: string): boolean {
  return /:\d{1,9}:\d{1,9}$/.test(location);
}
