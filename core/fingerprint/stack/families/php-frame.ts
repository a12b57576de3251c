import { createFrame, normalizeGenerated, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import type { Call, CallContext } from './call.js';

const CLOSURE = '{closure}';
/** Functions of compiled Smarty templates end with numbers of their compilation. */
const NUMBERED_TEMPLATE = /^(content|unifunc|tplFunction|callback)_[0-9a-f]{10,30}(?:_\d{1,12})?$/;
/** Code of a file outside of functions, named by what loaded the file. */
const LOADED = /^(?:require|include)(?:_once)?$/;
const CLOSURE_IN = /\{closure:([^}]{1,250}?)(?:\(\))?:\d{1,9}\}/;
/** Where a function stands that PHP itself called: in no file. */
const INTERNAL = /^\[internal(?: function)?\]$/;

/** Handlers that make exceptions of errors have the location of the error. */
const HANDLER =
  /(?:^|[\\:>])(?:Handle(?:Error|Exception)s?|\w{0,60}(?:Error|Exception)s?Handler)(?:->|::|$)|(?:^|[\\:>])\w{0,60}error_?handler$/i;

/** Creates a frame of PHP; a function of PHP itself has no file or the location of its caller. */
export function phpFrame({ name, module, path, line, column }: Call, { caller }: CallContext): StackFrame {
  const { owner, member } = partsOf(name);
  const isInternal = INTERNAL.test(path);
  const isBuiltIn =
    isInternal ||
    (name.includes('andle') && HANDLER.test(name)) ||
    (path !== '' && caller?.path === path && caller.line === line);
  return createFrame({
    name: owner === '' && (member === CLOSURE || LOADED.test(member)) ? '' : member.replace(NUMBERED_TEMPLATE, '$1'),
    module: normalizeGenerated(owner || module),
    path: isInternal ? '' : path,
    line: isInternal ? null : line,
    column,
    inApp: !isBuiltIn && isAppFile(path),
  });
}

/** Splits `Shop\Cart->total` into class and method; a closure belongs to the class that contains it. */
function partsOf(name: string): { owner: string; member: string } {
  const written = CLOSURE_IN.exec(name)?.[1] ?? name;
  const arrow = Math.max(written.lastIndexOf('->'), written.lastIndexOf('::'));
  const isClosure = written !== name || name.endsWith(CLOSURE) || name.startsWith('{closure:');
  if (arrow <= 0) return { owner: '', member: isClosure ? CLOSURE : written };
  return { owner: written.slice(0, arrow), member: isClosure ? CLOSURE : written.slice(arrow + 2) };
}
