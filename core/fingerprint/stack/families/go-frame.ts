import { normalizeFile } from '../file-names.js';
import { normalizeFunction, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import type { Call } from './call.js';

const TYPE_ARGUMENTS = /\[[^[\]]{0,200}\]/g;
const RECEIVER = /^\(\*?([^)]{1,200})\)/;
/** Packages of the standard library whose names other languages use too. */
const STANDARD = /^(?:log|flag|embed|hash|html|image|mime|path|plugin|unsafe|unique|weak|debug\/\w{1,40})(?:\/|$)/;
/** The first part of the name of a module that is downloaded. */
const HOST = /^[\w-]{1,80}(?:\.[\w-]{1,80}){1,4}(?=\/)/;

/**
 * Creates a frame of Go; a package before the name, as the runtime writes it, is the module. The program is the package `main`, even if it was
 * installed into the folder of modules.
 */
export function goFrame({ name, module: sentModule, path, line, column }: Call): StackFrame {
  const plain = name.includes('[') ? name.replace(TYPE_ARGUMENTS, '').replace(TYPE_ARGUMENTS, '') : name;
  const hasPackage = sentModule === '' && !plain.startsWith('(');
  const dot = hasPackage ? plain.indexOf('.', plain.lastIndexOf('/') + 1) : -1;
  const module = (dot < 0 ? sentModule : plain.slice(0, dot)).replaceAll('%2e', '.');
  const isStandard = isOfGo(module);
  const inApp = module === 'main' || (!isStandard && isAppFile(belowWorkspace(module, path)));
  return {
    function: normalizeFunction(plain.slice(dot + 1).replace(RECEIVER, '$1')),
    module: module === '' ? null : programOf(module, path),
    file: normalizeFile(path),
    line,
    column,
    inApp,
    // A tool that was installed, or whose program is not on the stack, has only modules that were downloaded.
    stepsBack: !inApp && !isStandard && module !== '',
  };
}

/** A repository with several programs has each in a folder of its own in `cmd`; https://go.dev/doc/modules/layout. */
const COMMAND = /(?:^|[/\\])cmd[/\\]([\w.-]{1,80})[/\\][^/\\]{1,200}$/;

/** The package; of programs, which are all named `main`, with the folder that tells them apart. */
function programOf(module: string, path: string): string {
  const command = module === 'main' ? COMMAND.exec(path)?.[1] : undefined;
  return command === undefined ? module : `cmd/${command}/main`;
}

function isOfGo(module: string): boolean {
  return !isAppModule(module) || STANDARD.test(module);
}

/** The path below a workspace of the time before modules, which may be the folder of Go itself. */
function belowWorkspace(module: string, path: string): string {
  const host = path.includes('/src/') ? HOST.exec(module)?.[0] : undefined;
  const at = host === undefined ? -1 : path.indexOf(`/src/${host}/`);
  return at < 0 ? path : path.slice(at + '/src/'.length);
}
