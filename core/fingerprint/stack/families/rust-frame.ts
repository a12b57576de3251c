import { normalizeFile } from '../file-names.js';
import { normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import type { Call } from './call.js';

const HASH = /::h[0-9a-f]{16}$/;
/** The same before Rust 1.10, which wrote no crate before a name: its standard library is known by its modules. */
const OLD_HASH = /::(?:h[0-9a-f]{15,16}\w{1,5}|closure\.\d{1,9})$/;
const OLD_MODULE =
  /^(?:sys|sys_common|panicking|panic|rt|thread|boxed|option|result|ops|slice|vec|str|string|fmt|cell|rc|sync)::/;
const CRATE_HASH = /\[[0-9a-f]{6,16}\]/g;
/** Type parameters as in `<F as …>`, and types of the language, for which libraries implement their traits; tuples are rather those of a program. */
const TYPE_PARAMETER =
  /^<[&*]*(?:'\w+ )?(?:mut |const )?(?:[A-Z]\w?|[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|\[.{0,200}\]) as /;
const TYPE_ARGUMENTS = /(?:::|(?<=\w))<[\s\S]*/;
/** Crates that report failures, and those that run the tasks of others. */
const FOREIGN_CRATE =
  /^<?(?:sentry(?:_\w{1,40})?|anyhow|eyre|color_eyre|stable_eyre|miette|snafu|failure|error_chain|backtrace|log_panics|human_panic|better_panic|color_backtrace|panic_message|tokio(?:_\w{1,40})?|futures_(?:util|core|executor|task)|async_std|async_task|async_executor|smol|rayon(?:_core)?|crossbeam_\w{1,40}|hyper(?:_util)?|tower(?:_\w{1,40})?|tracing(?:_\w{1,40})?)::/;
/** The standard library as it was before Rust 1.48. */
const OLD_LIBRARY = /(?:^|[/\\])lib(?:std|core|alloc|panic_unwind|test|backtrace)[/\\]/;
const CLOSURES = /(?:::\{\{?(?:closure|async_fn|async_block|async_closure)(?:_env)?(?:#\d{1,6})?\}?\})+$/;
/** The same as debuggers of Windows number them, and what follows. */
const NUMBERED_CLOSURE = /^([^<]{1,400}?)::(?:closure|async_fn|async_block)(?:_env)?\$\d{1,6}(?:[<:][\s\S]*)?$/;
/** Blocks and closures around a function, as debuggers number them; those of Windows write `impl$3`. */
const NUMBERED_BLOCK = /::(?:\{(impl|closure|async_\w{1,20})#\d{1,6}\}|(impl)\$\d{1,6})(?=::)/g;
/** Standing for a name, or appended to it. */
const UNKNOWN_NAME = /<unknown>$/;

/** Creates a frame of Rust, with what stands before the last `::` as module; null without a name. */
export function rustFrame({ name, path, line, column }: Call): StackFrame | null {
  const whole = plainName(name);
  const isOldLibrary = OLD_MODULE.test(name) && OLD_HASH.test(name);
  if (whole === '' && path === '') return null;
  const split = lastColons(whole);
  return {
    function: normalizeFunction((split < 0 ? whole : whole.slice(split + 2)).replace(TYPE_ARGUMENTS, '')),
    module: split <= 0 ? null : whole.slice(0, split),
    file: normalizeFile(path),
    line,
    column,
    inApp: !isOldLibrary && isAppFile(path) && !OLD_LIBRARY.test(path) && isAppName(whole, path),
  };
}

/** Without hashes, closures and numbers. */
function plainName(name: string): string {
  const plain = name
    .replace(UNKNOWN_NAME, '')
    .replace(HASH, '')
    .replace(OLD_HASH, '')
    .replace(CRATE_HASH, '')
    .replace(CLOSURES, '');
  if (!/[$#]/.test(plain)) return plain;
  return plain.replace(NUMBERED_CLOSURE, '$1').replace(NUMBERED_BLOCK, '::{$1$2}');
}

function isAppName(name: string, path: string): boolean {
  if (name === '') return true;
  // A trait may be implemented for the types of others: where is known from the file only.
  if (path !== '' && name.startsWith('<')) return true;
  // A name without a crate is the start of a program or a thread.
  return name.includes('::') && isAppModule(name) && !FOREIGN_CRATE.test(name) && !TYPE_PARAMETER.test(name);
}

/** Position of the last `::` outside angle brackets; -1 without one. */
function lastColons(name: string): number {
  let depth = 0;
  for (let at = name.length - 1; at > 0; at--) {
    if (name[at] === '>' && name[at - 1] !== '-') depth++;
    else if (name[at] === '<') depth--;
    else if (depth === 0 && name[at] === ':' && name[at - 1] === ':') {
      // `::<` starts type arguments.
      if (name[at + 1] !== '<') return at - 1;
    }
  }
  return -1;
}
