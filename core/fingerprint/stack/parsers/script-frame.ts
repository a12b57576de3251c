import { isMinified, normalizeFile, normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';

/** A location `path:line:column`; missing members are null. */
type ScriptLocation = Pick<StackFrame, 'line' | 'column'> & { readonly path: string };

const MAX_DIGITS = 9;
const COLON = 0x3a;

/** Splits line and column from the end of a location: numbers of one to nine digits. */
export function splitLocation(location: string): ScriptLocation {
  const last = numberAtEnd(location, location.length);
  if (last < 0) return { path: location, line: null, column: null };
  const first = numberAtEnd(location, last);
  if (first < 0) return { path: location.slice(0, last), line: Number(location.slice(last + 1)), column: null };
  return {
    path: location.slice(0, first),
    line: Number(location.slice(first + 1, last)),
    column: Number(location.slice(last + 1)),
  };
}

/** Whether a location ends with a number. */
export function hasPosition(location: string): boolean {
  return numberAtEnd(location, location.length) >= 0;
}

/** Position of the colon before a number that ends at `end`; -1 without one. */
function numberAtEnd(text: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && isDigit(text.charCodeAt(at))) at--;
  const digits = end - 1 - at;
  return at >= 0 && digits > 0 && digits <= MAX_DIGITS && text.charCodeAt(at) === COLON ? at : -1;
}

export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
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
export function scriptFrame(name: string, location: ScriptLocation): StackFrame {
  const { path, line, column } = location;
  const file = plainAppPath(path);
  if (file === null) return unusualFrame(name, location, isBuiltInPath(path));
  return { function: scriptFunction(name, false, false), module: null, file, line, column, inApp: true };
}

function unusualFrame(name: string, { path, line, column }: ScriptLocation, isBuiltIn: boolean): StackFrame {
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
export function isBuiltInPath(path: string): boolean {
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

const MAX_PATH = 512;
const FILE_SCHEME = 'file://';

/** Folders of letters, then a name without hashes: after the first piece, all are in lower case. */
const SHAPE =
  /^(?:file:\/\/)?(?:\/[A-Za-z]+(?:[_-][A-Za-z]+)*)*\/[A-Za-z]+(?:[._-][a-z]+)*\.(?:[cm]?[jt]sx?|vue|svelte)$/;
/** Matches whenever a row of in-app.ts, stable-path.ts or frames.ts may match. */
const MAY_MEAN_SOMETHING =
  /[/_-](?:node_modules|bower_components|jspm_packages|(?:site|dist)-packages|third[_-]?party|vendor|polyfill|internalbytecode|dart_sdk|cargo|rustc|compiler-rt|libsanitizer|libexec|goroot|checkouts|data\/app|(?:lib|library|usr|share|go|mod|pods|deps|hosted|application|applications|devices|home|users|tmp|system|nix|buildroot|apex)\/)/i;
const GEMS = 'gems/';
const PACKAGES = '-packages/';
const MODULES = '_modules/';
const COMPONENTS = '_components/';
const HASH_OF_LETTERS = /[a-f]{8}/;

/** A fast path: returns what `normalizeFile` returns for an ordinary path with `isAppFile`; null for all other paths. */
export function plainAppPath(path: string): string | null {
  if (path.length > MAX_PATH || !SHAPE.test(path) || MAY_MEAN_SOMETHING.test(path) || HASH_OF_LETTERS.test(path))
    return null;
  if (path.includes(GEMS) || path.includes(PACKAGES) || path.includes(MODULES) || path.includes(COMPONENTS))
    return null;
  return path.startsWith(FILE_SCHEME) ? path.slice(FILE_SCHEME.length) : path;
}
