import { normalizeFile } from '../file-names.js';
import { normalizeFunction, normalizeGenerated } from '../frames.js';
import { isAppFile, standingOf } from '../in-app.js';
import type { Call, FrameOfCall } from './call.js';
import { enclosingFunction, JVM_CLASSES, JVM_METHODS, withoutParts } from './jvm-names.js';

/** Sources of the languages of the JVM. */
export const JVM_SOURCE = /\.(?:java|kts?|scala|groovy|gradle|clj[cs]?|jspx?|gsp|jrb|rb|py|xtend)$/;
/** Methods that D8 and R8 add only call others. */
const SYNTHETIC_SOURCE = /^[DR]8\$\$SyntheticClass/;

/** Creates a frame of a JVM; null for marks between frames, for generated methods that only call others, and for minified names. */
export const jvmFrame: FrameOfCall = (call) => {
  const { owner, method } = partsOf(call);
  // JRuby writes no class, but the whole path.
  const isRuby = owner === 'RUBY';
  const source = isRuby ? call.path : fileName(call.path);
  const hasFile = JVM_SOURCE.test(source);
  if (isBoundary(owner, method, hasFile) || (!hasFile && SYNTHETIC_SOURCE.test(source))) return null;
  const isMinifiedClass = !hasFile && isMinifiedOwner(owner);
  if (isMinifiedClass && isMinified(method)) return null;
  const { inApp, stepsBack } = isMinifiedClass ? STEPS_BACK : standingOf(owner, call.isMarkedApp);
  const written = isMinifiedClass || isRuby ? { owner: '', method } : writtenIn(owner, method);
  return {
    function: functionOf(written.method),
    module: moduleOf(written.owner),
    file: hasFile ? normalizeFile(source) : null,
    line: call.line,
    column: null,
    inApp: isRuby ? isAppFile(source) : inApp,
    stepsBack,
  };
};

const MINIFIED = /^[A-Za-z_$]{1,2}\d?$/;
/** UTF-16 units of a minified class with those that it is in. */
const MAX_MINIFIED = 11;
/** A library may have called the method of a minified class by its name. */
const STEPS_BACK = { inApp: false, stepsBack: true };

function isMinified(name: string): boolean {
  return MINIFIED.test(name);
}

/** A class, and all classes that it is in. */
function isMinifiedOwner(owner: string): boolean {
  const name = owner.slice(owner.lastIndexOf('.') + 1);
  return isMinified(name) || (name.length <= MAX_MINIFIED && name.includes('$') && name.split('$').every(isMinified));
}

/** The class and the method in the source. */
function writtenIn(owner: string, method: string): { owner: string; method: string } {
  return (owner.includes('$') ? enclosingFunction(owner, method) : null) ?? { owner, method };
}

function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Class loader and module before the name of a class; behind it a hidden class has its address. */
const LOADER_AND_MODULE = /^[^/$]{0,100}\/(?!0x)(?:[^/$]{0,100}\/(?!0x))?/;
/** A method with its parameters, and the type that it returns. */
const SIGNATURE = /^(?:[\w.$<>[\],?]{1,200} )?([\w.$<>/-]{1,400})\([^()]{0,400}\)[\w/;$[]{0,200}$/;

/** SDKs write the class before the method, in the module, or in both. */
function partsOf({ name, module }: Call): { owner: string; method: string } {
  const written = name.includes('(') ? (SIGNATURE.exec(name)?.[1] ?? name) : name;
  const end = Math.max(written.lastIndexOf('.'), written.lastIndexOf('/'));
  const owner = end <= 0 ? module : ownerOf(module, written.slice(0, end));
  return { owner: owner.includes('/') ? owner.replace(LOADER_AND_MODULE, '') : owner, method: written.slice(end + 1) };
}

function ownerOf(module: string, before: string): string {
  if (module === '' || before.startsWith(module)) return before;
  return `.${module}`.replaceAll('$', '.').endsWith(`.${before}`) ? module : `${module}.${before}`;
}

/** Accessors, bridges, call sites of Groovy, and the class that runs the body of an application in Scala. */
const ONLY_CALLS = /^(?:access\$|\$r8\$|-(?:wrap|get|set)\d)/;
const CALL_SITE = /\$[a-z]\w{0,100}\.call$|\.call(?:Current|Static|Constructor|(?:Current)?GetProperty)$/;

function isBoundary(owner: string, method: string, hasFile: boolean): boolean {
  if (owner.startsWith('_COROUTINE') || owner === '___cps') return true;
  if (/[$-]/.test(method) && ONLY_CALLS.test(method)) return true;
  return (
    owner.includes('$') && (owner.endsWith('$delayedInit$body') || (!hasFile && CALL_SITE.test(`${owner}.${method}`)))
  );
}

/** D8 ends lambdas that it moves with their class. */
const MOVED_LAMBDA = /^(lambda\$\w{1,100}\$\d{1,6})\$[\w-]{1,200}$/;

function functionOf(method: string): string | null {
  if (!/[$-]/.test(method)) return normalizeFunction(method);
  const name = normalizeFunction(method.replace(MOVED_LAMBDA, '$1'));
  return name === null ? null : withoutParts(name, JVM_METHODS) || null;
}

function moduleOf(owner: string): string | null {
  const module = normalizeGenerated(/[$_]/.test(owner) ? withoutParts(owner, JVM_CLASSES) : owner);
  return module === '' ? null : module;
}
