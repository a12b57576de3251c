import { normalizeFile } from '../file-names.js';
import { normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import type { Call } from './call.js';

const HASH = /::h[0-9a-f]{16}$/;
const CRATE_HASH = /\[[0-9a-f]{6,16}\]/g;
/** Type parameters as in `<F as …>`, and types of the language. */
const TYPE_PARAMETER = /^<&?(?:mut )?(?:[A-Z]\w?|[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|\(\)) as /;
const TYPE_ARGUMENTS = /::<.*$/;
const CLOSURES = /(?:::\{\{?(?:closure|async_fn|async_block|async_closure)(?:_env)?(?:#\d{1,6})?\}?\})+$/;

/** Creates a frame of Rust, with what stands before the last `::` as module; null without a name. */
export function rustFrame({ name, path, line, column }: Call): StackFrame | null {
  const whole = name.replace(HASH, '').replace(CRATE_HASH, '').replace(CLOSURES, '');
  if ((whole === '' && path === '') || whole.startsWith('<unknown>')) return null;
  const split = lastColons(whole);
  return {
    function: normalizeFunction((split < 0 ? whole : whole.slice(split + 2)).replace(TYPE_ARGUMENTS, '')),
    module: split <= 0 ? null : whole.slice(0, split),
    file: normalizeFile(path),
    line,
    column,
    // A name without a crate is the start of a program or a thread.
    inApp: (whole === '' || split >= 0) && isAppModule(whole) && !TYPE_PARAMETER.test(whole) && isAppFile(path),
  };
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
