import { createFrame, type StackFrame } from '../frames.js';
import { isAppFile, isLauncher } from '../in-app.js';
import type { Call, CallContext } from './call.js';

/** Code that was passed as text; other names in angle brackets are generated. */
const GIVEN_AS_TEXT = /^<(string|stdin|console|ipython-input|unknown|template)\b/;
/** SDKs make a path in the folder of the process of a name in angle brackets. */
const NAME_OF_TEXT = /(?:^|[/\\])(<[^<>/\\]{1,100}>)$/;
/** Cells of a notebook are files of the kernel, named by its process and a hash. */
const CELL = /[/\\]ipykernel_\d{1,10}[/\\]\d{1,20}\.py$/;
/** Templates of Mako that have no file are named by their address. */
const IN_MEMORY = /^memory:0x[0-9a-f]{1,16}$/;
/** Cython names the source as it was built: below the folder of its package. */
const CYTHON = /^([A-Za-z_]\w{0,99})[/\\].{1,400}\.p(?:yx|xi|xd)$/;
/** Newer versions inline comprehensions; a generator is in the function that reads it. */
const INLINED = /^<(?:(?:list|dict|set)comp|genexpr)>$/;
const LAMBDA = '<lambda>';
const MODULE = '<module>';
/** The standard library, in the folder or the archive of its version. */
const STANDARD_LIBRARY = /[/\\](?:python|pypy)[\d.]{1,8}(?:\.zip)?[/\\]|^<frozen /i;

/**
 * Creates a frame of Python. A traceback has no module, and of a name only what is after the last dot; a comprehension, and a lambda that its
 * own file calls, count as the function around them.
 */
export function pythonFrame({ name, path, line, column }: Call, { caller }: CallContext): StackFrame | null {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (INLINED.test(last) || (last === LAMBDA && path !== '' && path === caller?.path)) return null;
  const file = fileOf(path);
  const text = file.startsWith('<') ? (GIVEN_AS_TEXT.exec(file)?.[1] ?? 'generated') : null;
  // What was typed, and what starts a command, only calls the code that fails.
  const isStart = last === MODULE && (text !== null || isLauncher(file));
  if (text !== null) {
    return createFrame({ name: last, path: `<${text}>`, line, column, inApp: text !== 'generated' && !isStart });
  }
  const inApp = isAppFile(file) && !isStart && !isForeignCython(file, caller);
  const frame = createFrame({ name: last, path: file, line, column, inApp });
  return !inApp && isOfLanguage(file) ? { ...frame, isOfLanguage: true } : frame;
}

function isOfLanguage(path: string): boolean {
  return STANDARD_LIBRARY.test(path) && !path.includes('-packages');
}

/** Compiled code belongs to the package that calls it. */
function isForeignCython(path: string, caller: Call | undefined): boolean {
  if (caller === undefined || path.endsWith('.py')) return false;
  const folder = CYTHON.exec(path)?.[1];
  return folder !== undefined && (!isAppFile(caller.path) || caller.path.startsWith(`${folder}/`));
}

function fileOf(path: string): string {
  if (IN_MEMORY.test(path)) return '<template>';
  if (path.endsWith('>')) return NAME_OF_TEXT.exec(path)?.[1] ?? path;
  return CELL.test(path) ? '<ipython-input>' : path;
}
