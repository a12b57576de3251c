import { normalizeFile } from '../file-names.js';
import { normalizeFunction, normalizeGenerated, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import type { Call } from './call.js';

const BUILT_IN = /^(?:<[^>]*>|native|\[native code\])$/;

/** Creates a frame of a language without rules of its own. */
export function anyFrame({ name, module, path, line, column, isMarkedApp }: Call): StackFrame {
  const isBuiltIn = BUILT_IN.test(path);
  return {
    function: normalizeFunction(name),
    module: module === '' ? null : normalizeGenerated(module),
    file: path === '' || isBuiltIn ? null : normalizeFile(path),
    line,
    column,
    inApp: !isBuiltIn && isAppFile(path) && (isMarkedApp || isAppModule(module)),
  };
}
