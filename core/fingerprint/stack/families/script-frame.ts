import { normalizeFile } from '../file-names.js';
import { normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import { type Call, splitPosition } from './call.js';

const BUILT_IN =
  /^(?:|native|unknown|builtin|<anonymous>|evalmachine\.<anonymous>|<eval>|unknown location|index \d{1,9}|(?:code)? ?\[native code\]|\[wasm code\]|self-hosted|debugger eval code|address at InternalBytecode\.js)$/;
/** Bun writes a line and no file. */
const ONLY_LINE = /^\d{1,9}$/;
/** What React lists between its components, without a place. */
const HTML_ELEMENT =
  /^(?:a|article|aside|b|body|br|button|canvas|code|dd|div|dl|dt|em|fieldset|figure|footer|form|g|h[1-6]|head|header|hr|html|i|iframe|img|input|label|legend|li|nav|ol|optgroup|option|p|path|picture|pre|rect|section|small|span|strong|sup|svg|table|tbody|td|textarea|tfoot|th|thead|tr|ul|video)$/;
/** Node names its own files without a folder before version 15; those of a program have one. */
const NODE_FILE =
  /^(?:bootstrap_node|node|_(?:debug|http|linklist|stream|tls)\w{0,20}|assert|async_hooks|buffer|child_process|cluster|console|crypto|dgram|dns|domain|events|fs|https?2?|inspector|module|net|os|path|perf_hooks|process|punycode|querystring|readline|repl|stream|string_decoder|timers|tls|tty|url|util|v8|vm|worker_threads|zlib)\.js$/;
const WEB_ASSEMBLY = /^wasm:\/\/|wasm-function\[|\.wasm(?:$|:)|^\[wasm code\]/;
const WASM_FUNCTION = /^(?:wasm-function\[\d{1,9}\]|<\?>\.wasm-function\[.{0,60}\]|func\d{1,9}|\d{1,9})$/;
/** Of Hermes: where a function begins in the bytecode. */
const ADDRESS = 'address at ';
const EVALUATION = 'eval at ';
/** Chrome numbers what was evaluated, before the name that it gave itself. */
const EVALUATION_NUMBER = /^VM\d{1,9}(?: (?=\S)|$)/;
/** The innermost location of an `eval`: the one in the file that called it. */
const EVALUATED = /^(?:eval at [^(]{1,200}\(){1,8}([^()]{1,400})\)/;

/** Creates a frame of JavaScript or TypeScript; SDKs derive the module from the file, so that it does not count. */
export function scriptFrame(call: Call): StackFrame {
  const { path, line, column } = locationOf(call);
  const isBuiltIn = isBuiltInPath(path) || ONLY_LINE.test(path);
  const isWasm = path.includes('wasm') && WEB_ASSEMBLY.test(path);
  const file = isWasm ? '<wasm>' : isBuiltIn ? null : normalizeFile(path);
  const name = scriptFunction(call.name, isWasm, path === '' ? '' : file);
  // An empty path with a line is code of the engine, unless an SDK knows better; without a line nothing is known.
  const isEngine = isBuiltIn && !(path === '' && (line === null || call.isMarkedApp));
  return {
    function: name,
    module: null,
    file,
    line,
    column,
    inApp: !isEngine && !(isWasm && name === null) && !isForeignCall(call) && !NODE_FILE.test(path) && isAppFile(path),
  };
}

/** Whether it is an element, which SDKs take for a file, or named after a module of a package, as in bundles for development. */
function isForeignCall({ name, path, line, isMarkedApp }: Call): boolean {
  if (name.includes('node_modules/')) return true;
  if (line !== null) return false;
  return path === '' ? !isMarkedApp && HTML_ELEMENT.test(name) : HTML_ELEMENT.test(path);
}

function locationOf({ path, line, column }: Call): Pick<Call, 'path' | 'line' | 'column'> {
  const evaluated = path.startsWith(EVALUATION) ? EVALUATED.exec(path)?.[1] : undefined;
  if (evaluated !== undefined) return splitPosition(evaluated);
  if (path.startsWith(ADDRESS)) return { path: path.slice(ADDRESS.length), line, column };
  if (path.startsWith('VM')) return { path: path.replace(EVALUATION_NUMBER, ''), line, column };
  // Webpack writes the loaders of a module before its path, separated by exclamation marks.
  if (path.startsWith('webpack')) return { path: path.slice(path.lastIndexOf('!') + 1), line, column };
  if (path.startsWith('<data:')) return { path: 'data:', line, column };
  // SDKs of Node split a line only from a column.
  return line === null ? splitPosition(path) : { path, line, column };
}

/** Schemes and folders of runtimes. */
const RUNTIME_FILE = /^(?:(?:node|internal|deno|ext|bun)[:/]|dart:)/;

/** Whether a frame is code of a language or its runtime and not of a package. */
export function isRuntimeFrame({ module, file, isOfLanguage = false }: StackFrame): boolean {
  if (isOfLanguage) return true;
  return module === null && (file === null || RUNTIME_FILE.test(file) || NODE_FILE.test(file));
}

/** Whether a path, without line and column, is code of the engine. */
export function isBuiltInPath(path: string): boolean {
  return BUILT_IN.test(path);
}

/** Names of runtimes for the top level of a file and for timer callbacks. */
const RUNTIME_NAME =
  /^(?:global|(?:[Gg]lobal|[Mm]odule|[Ee]val|program|wasm) code)$|^(?:Timeout|Immediate)\.(?:_onTimeout|_onImmediate|_callback|_idleNext)$/;
const INNER_ADJECTIVE = /\.(?:get|set|async|static) (?=[\w$#])/;
/** Receivers of the language or its runtime, which other engines omit. */
const BORROWED_RECEIVER =
  /^(?:(?:\[object \w{1,40}\]|(?:[\w$]{1,2}\.|module\.)?exports|_?this\d{0,2}|Array|(?:Big)?(?:Int|Uint|Float)\d{1,2}(?:Clamped)?Array|Map|Set|WeakMap|Proxy|Promise|Generator|AsyncGenerator|String|Number|Boolean|RegExp|Date|Error|EventEmitter|EventTarget|Timeout|Immediate|Socket|TLSSocket|Server|IncomingMessage|ServerResponse|ClientRequest|ChildProcess|Worker|AbortSignal|process|undefined|VueComponent|(?:HTML|SVG)\w{0,40}Element|HTMLDocument|FileReader|IDB\w{1,20}|XMLHttpRequest|WebSocket)\.){1,4}(?=[\w$#])/;
/** Of V8: what initializes a class, and names that were computed. Only a class that was not minified tells one from another. */
const NAMELESS = /^(?:[\w$]{1,2}\.)?<(?:static_initializer|instance_members_initializer)>$|(?:^|\.)<computed>$/;
/** A fast test for names that are not minified. */
const LONG_WORDS = /^[A-Za-z]{4,}(?:\.[A-Za-z]{4,})?$/;
const MINIFIED_CHAIN = /^(?:[A-Za-z_$]{1,2}\d?\.){0,8}#?(?:[A-Za-z_$]{1,2}\d?|[A-Za-z_$]\d[A-Za-z_$])$/;
/** Minified classes before a method that was not minified. */
const MINIFIED_RECEIVERS =
  /^(?:(?:[A-Za-z_$]\d?|[A-Za-z_$]\d[A-Za-z_$]|[_$][A-Za-z]|[a-z][A-Z])\.){1,8}(?=[A-Za-z_$#][\w$#]{2})/;
/** A file that only a bundler makes, where longer names are minified too. */
const BUNDLED_FILE = /<hash>|\bmin\.|\bbundle\b/;
const BUNDLED_RECEIVERS =
  /^(?:[A-Za-z_$](?:[\w$]?\d?|[\d_$][\w$]|[a-z][A-Z]|[A-Z][a-z])\.){1,8}(?=[A-Za-z_$#][\w$#]{2})/;
/** Three characters that are no word, and how compilers hold each method of a class. */
const BUNDLED_NAME = /^#?[A-Za-z_$](?:[\d_$][\w$]|[\w$][\d_$]|[a-z][A-Z]|[A-Z][a-z])$|^(?:[\w$]{1,3}\.)?value$/;

/** `file` is empty if it is unknown, and null in the engine, whose functions keep their receivers. */
function scriptFunction(written: string, isWasm: boolean, file: string | null): string | null {
  const raw = plainName(written);
  if ((isWasm && WASM_FUNCTION.test(raw)) || RUNTIME_NAME.test(raw)) return null;
  const hasReceiver = file !== null && raw.includes('.');
  const plain = raw.includes(' ') ? raw.replace(INNER_ADJECTIVE, '.') : raw;
  const name = normalizeFunction(hasReceiver ? plain.replace(BORROWED_RECEIVER, '') : raw);
  if (name === null || (LONG_WORDS.test(name) && name !== 'value')) return name;
  if (MINIFIED_CHAIN.test(name) || NAMELESS.test(name)) return null;
  if (file === null || !BUNDLED_FILE.test(file)) return name.replace(MINIFIED_RECEIVERS, '');
  return BUNDLED_NAME.test(name) ? null : name.replace(BUNDLED_RECEIVERS, '');
}

/** Firefox marks the first function after an asynchronous call: `async*`, `promise callback*`, `EventListener.handleEvent*`. */
const ASYNC_CAUSE = /^(?:[A-Za-z][\w. ]{0,60}\*)+/;
/** Hermes numbers the bodies of generators and async functions. */
const INNER_FUNCTION = /^\?anon_\d{1,6}_?/;
const MODULE_FILE = /\.(?:[cm]?[jt]sx?|vue|svelte|json)$/;

/** Removes what engines write around the name of a function. */
export function plainName(written: string): string {
  if (written.startsWith('?anon_')) return written.replace(INNER_FUNCTION, '');
  const name = written.includes('*') ? written.replace(ASYNC_CAUSE, '') : written;
  return name.includes('/') || name.endsWith('<') ? innermostName(name) : name;
}

/** Firefox names what encloses a function, separated by slashes: `cart/this.total/<`, where `<` has no name. Bundlers number modules. */
function innermostName(path: string): string {
  const named = path.replace(/[/<]{1,64}$/, '');
  if (MODULE_FILE.test(named)) return named;
  const last = named.split('/').findLast((part) => /[A-Za-z_$]/.test(part));
  return last?.replace(/<+$/, '') ?? '';
}
