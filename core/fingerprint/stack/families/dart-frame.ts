import { normalizeFile } from '../file-names.js';
import { normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import type { Call } from './call.js';

const CLOSURES = /(?:\.<(?:anonymous closure|fn)>)+/g;
const ASYNC_BODY = /\s*\[async\]$|\.<async_op>/g;

/** Creates a frame of Dart. */
export function dartFrame({ name, path, line, column }: Call): StackFrame {
  return {
    function: normalizeFunction(name.replace(ASYNC_BODY, '').replace(CLOSURES, '')),
    module: null,
    file: normalizeFile(path),
    line,
    column,
    inApp: isAppFile(path),
  };
}
