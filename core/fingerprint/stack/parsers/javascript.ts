import { normalizeFile } from '../file-names.js';
import { isMinified, normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
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

const BUILT_IN =
  /^(?:|native|unknown|builtin|<anonymous>|<eval>|unknown location|index \d{1,9}|(?:code)? ?\[native code\]|\[wasm code\]|self-hosted|debugger eval code|address at InternalBytecode\.js)$/;
const WEB_ASSEMBLY = /^wasm:\/\/|wasm-function\[|\.wasm(?:$|:)|^\[wasm code\]/;
const WASM_FUNCTION = /^(?:wasm-function\[\d{1,9}\]|<\?>\.wasm-function\[.{0,60}\]|func\d{1,9}|\d{1,9})$/;
/** A minified class before a method that was not minified. */
const MINIFIED_RECEIVER = /^[A-Za-z_$]\d?\.(?=[A-Za-z_$#][\w$#]{2})/;
/** Receivers of the language or its runtime, which other engines omit. */
const BORROWED_RECEIVER =
  /^(?:Array|Map|Set|WeakMap|Proxy|Promise|Generator|AsyncGenerator|String|Number|Boolean|RegExp|Date|Error|EventEmitter|EventTarget|Timeout|Immediate|Socket|Server|Worker|AbortSignal|process|undefined|HTML\w{0,40}Element|HTMLDocument|XMLHttpRequest|WebSocket)\.(?=[\w$#])/;
/** Names of runtimes for the top level of a file and for timer callbacks. */
const RUNTIME_NAME =
  /^(?:global|(?:global|module|eval|program|wasm) code)$|^(?:Timeout|Immediate)\.(?:_onTimeout|_onImmediate|_callback|_idleNext)$/;
const INNER_ADJECTIVE = /\.(?:get|set|async|static) (?=[\w$#])/;
/** A fast test for names that are not minified. */
const LONG_WORDS = /^[A-Za-z]{4,}(?:\.[A-Za-z]{4,})?$/;
const MINIFIED_CHAIN = /^(?:[A-Za-z_$]{1,2}\d?\.){0,4}[A-Za-z_$]{1,2}\d?$/;

/** Creates a frame of JavaScript; the path is empty if it is unknown. */
function scriptFrame(name: string, { path, line, column }: ScriptLocation): StackFrame {
  const isBuiltIn = isBuiltInPath(path);
  const isWasm = WEB_ASSEMBLY.test(path);
  return {
    function: scriptFunction(name, isWasm, isBuiltIn),
    module: null,
    file: isWasm ? '<wasm>' : isBuiltIn ? null : normalizeFile(path),
    line,
    column,
    // An empty path with a line is code of the engine; without a line nothing is known.
    inApp: (!isBuiltIn || (path === '' && line === null)) && isAppFile(path),
  };
}

/** Whether a path, without line and column, is code of the engine. */
function isBuiltInPath(path: string): boolean {
  return BUILT_IN.test(path);
}

function scriptFunction(raw: string, isWasm: boolean, isBuiltIn: boolean): string | null {
  if ((isWasm && WASM_FUNCTION.test(raw)) || RUNTIME_NAME.test(raw)) return null;
  const own = isBuiltIn || !raw.includes('.') ? raw : raw.replace(INNER_ADJECTIVE, '.').replace(BORROWED_RECEIVER, '');
  const name = normalizeFunction(own);
  if (name !== null && LONG_WORDS.test(name)) return name;
  if (name === null || isMinified(name) || MINIFIED_CHAIN.test(name)) return null;
  return name.replace(MINIFIED_RECEIVER, '');
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
  return scriptFrame(name, split);
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
  return parts === null ? null : scriptFrame(parts.name, splitLocation(parts.location));
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
