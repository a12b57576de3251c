import { normalizeFile } from '../file-names.js';
import { isMinified, normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import type { Call } from './call.js';

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

/** Creates a frame of JavaScript or TypeScript; SDKs derive the module from the file, so that it does not count. */
export function scriptFrame({ name, path, line, column }: Call): StackFrame {
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
