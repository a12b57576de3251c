import { normalizeFile } from '../file-names.js';
import { normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import type { Call } from './call.js';

const TYPE_ARGUMENTS = /\[[^[\]]{0,200}\]/g;
const RECEIVER = /^\(\*?([^)]{1,200})\)/;

/** Creates a frame of Go; a package before the name, as the runtime writes it, is the module. */
export function goFrame({ name, module: sentModule, path, line, column }: Call): StackFrame {
  const plain = name.replace(TYPE_ARGUMENTS, '').replace(TYPE_ARGUMENTS, '');
  const hasPackage = sentModule === '' && !plain.startsWith('(');
  const dot = hasPackage ? plain.indexOf('.', plain.lastIndexOf('/') + 1) : -1;
  const module = (dot < 0 ? sentModule : plain.slice(0, dot)).replaceAll('%2e', '.');
  return {
    function: normalizeFunction(plain.slice(dot + 1).replace(RECEIVER, '$1')),
    module: module === '' ? null : module,
    file: normalizeFile(path),
    line,
    column,
    inApp: isAppFile(path) && isAppModule(module),
  };
}
