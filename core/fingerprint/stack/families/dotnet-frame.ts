import { normalizeFile } from '../file-names.js';
import { normalizeFunction, normalizeGenerated, type StackFrame } from '../frames.js';
import { isAppFile, standingOf } from '../in-app.js';
import type { Call, CallContext, FrameOfCall } from './call.js';

/** Creates a frame of .NET; null for methods that the runtime makes of expressions and for obfuscated ones. Where others have a location, a call without one belongs to a library. */
export const dotnetFrame: FrameOfCall = (call, context) => {
  const { owner, member } = methodOf(call);
  if (GENERATED.test(owner === '' ? member : `${owner}.${member}`)) return null;
  // Without a file, Mono writes the id of a build.
  const path = call.path.startsWith('<') ? '' : call.path;
  const { inApp, stepsBack } = standing(owner || member, path, call, context);
  return {
    function: normalizeFunction(member),
    module: owner === '' ? null : normalizeGenerated(owner),
    file: normalizeFile(path),
    line: path === '' ? null : call.line,
    column: call.column,
    inApp,
    stepsBack: stepsBack === true,
  };
};

/** Methods of call sites and of compiled expression trees, and names that obfuscators make anew for each build. */
const GENERATED = /(?:^|\.)(?:CallSite\.Target$|lambda_method\d{0,9}$|DynamicClass\.|#=[a-zA-Z])/;
/** Namespaces of the runtime, which programs of its makers have too. */
const OF_RUNTIME = /^(?:System|Microsoft)\./;
/** Folders in which its makers build it. */
const OF_BUILD =
  /^(?:\/_\/|[A-Za-z]:[/\\](?:a|dd|__w|projects|BuildAgent)[/\\]|\/Users\/(?:runner|builder)\/|\/home\/(?:runner|vsts)\/)|[/\\](?:_work|agent[/\\]work)[/\\]/i;

function standing(
  owner: string,
  path: string,
  { isMarkedApp }: Call,
  { hasLocations }: CallContext,
): Pick<StackFrame, 'inApp' | 'stepsBack'> {
  if (path === '' && hasLocations && !isMarkedApp) {
    const known = standingOf(owner, false);
    return { inApp: false, stepsBack: known.inApp || known.stepsBack };
  }
  if (!isAppFile(path)) return { inApp: false };
  if (path !== '' && OF_RUNTIME.test(owner) && !OF_BUILD.test(path)) return { inApp: true };
  return standingOf(owner, isMarkedApp);
}

/** A type and a method in it, as they were written. */
interface Method {
  readonly owner: string;
  readonly member: string;
}

/** The method that contains a lambda, a local function or a state machine; `<Main>$` contains the statements of a file without classes. */
const WRITTEN_IN =
  /^(.{1,400}?)[.+/](?:<>c(?:__DisplayClass[\w`]{0,40})?[./+])?<{1,3}([\w.-]{1,200})>(?:\$>)?(?:[a-z]__(\w{1,200})\||.{0,100})/;
/** F# names classes of closures by the function and the line. */
const CLOSURE = /^(.{1,400}?)[.+/](\w{1,200})@\d{0,9}(?:-\d{1,6})?(?:\.\w{1,100})?$/;
/** A method that is named by the interface which it implements, if its namespace is that of the class or of the runtime. */
const OF_INTERFACE = /^((\w{1,100})\..{1,300}?)\.(?:\2|System|Microsoft)\.(?:\w{1,100}\.){0,10}I[A-Z]\w{0,100}$/;

/** SDKs write the type in the module, in the function, or in both; a text writes both as the function. */
function methodOf({ name, module }: Call): Method {
  const { written, local } = signatureOf(name, module === '');
  const type = typeOf(module);
  const whole = type === '' ? written : wholeName(type, written);
  const compiled = whole.includes('<') ? WRITTEN_IN.exec(whole) : whole.includes('@') ? CLOSURE.exec(whole) : null;
  if (compiled !== null) {
    const inner = compiled[3] ?? local;
    // The method of an interface is written with its namespace.
    const member = compiled[2]?.replace(/^.+[.-]/, '') ?? '';
    return { owner: dotted(compiled[1]), member: inner === '' ? member : `${member}.${inner}` };
  }
  const dot = dotBeforeMember(whole);
  const owner = dotted(whole.slice(0, Math.max(dot, 0)));
  const member = `${whole.slice(dot <= 0 ? 0 : dot + 1)}${local === '' ? '' : `.${local}`}`;
  return { owner: OF_INTERFACE.exec(owner)?.[1] ?? owner, member };
}

function dotted(type = ''): string {
  const name = /[+/]/.test(type) ? type.replace(/[+/]/g, '.') : type;
  return name.startsWith('FSI_') ? name.replace(RUN_OF_CONSOLE, 'FSI') : name;
}

/** The console of F# numbers what it runs. */
const RUN_OF_CONSOLE = /^FSI_\d{1,6}(?=\.|$)/;

/** The type without its arguments and its assembly. */
function typeOf(module: string): string {
  const type = withoutArguments(module);
  const end = type.indexOf(',');
  return end < 0 ? type : type.slice(0, end);
}

/** Position of the dot before a member; constructors have one in their name, `.ctor`. */
function dotBeforeMember(name: string): number {
  return name.replace(/\.(c?ctor)$/, '$1').lastIndexOf('.');
}

/** The name of an interface, with its namespace. */
const INTERFACE = /^(?!<)(?:.*\.)?I[A-Z]\w*$/s;

/** The function may repeat the type, or the end of it; an interface that it names is not its type. */
function wholeName(type: string, written: string): string {
  const dot = dotBeforeMember(written);
  if (dot <= 0) return `${type}.${written}`;
  const before = dotted(written.slice(0, dot));
  if (before.startsWith(`${dotted(type)}.`)) return written;
  const isRepeated = `.${dotted(type)}`.endsWith(`.${before}`);
  return isRepeated || INTERFACE.test(before) ? `${type}.${written.slice(dot + 1)}` : `${type}.${written}`;
}

/** A type that a method returns, of several values, or the kind of a wrapper in Mono. */
const IN_FRONT = /^\((?:[^()]|\([^()]{0,200}\)){0,400}\)\??(?:\[\])?\s{1,4}/;
const LAMBDA_OF_SDK = /\s{0,4}\{ ?<lambda> ?\}$/;
/** Unity separates the method by a colon. */
const OF_UNITY = /^([\w.+/<>]{1,300}):(?=[\w<.])/;
/** A local function as it is written in source: `Total(int id)+Round(decimal value)`. */
const LOCAL = /\)\+(?!MoveNext\()(\w{1,100})\(/;

/** The name in a signature without its types, and the local function in it. */
function signatureOf(name: string, mayHaveSpaces: boolean): { written: string; local: string } {
  const text = withoutArguments(name.replace(LAMBDA_OF_SDK, '')).replace(IN_FRONT, '').replace(OF_UNITY, '$1.');
  const open = text.indexOf('(', 1);
  const head = (open < 0 ? text : text.slice(0, open)).trimEnd();
  return { written: nameIn(head, mayHaveSpaces), local: LOCAL.exec(text)?.[1] ?? '' };
}

function nameIn(head: string, mayHaveSpaces: boolean): string {
  const last = head.slice(head.lastIndexOf(' ') + 1);
  if (head === `new ${last}`) return `${last}..ctor`;
  if (head === `static ${last}`) return `${last}..cctor`;
  return mayHaveSpaces && isNameWithSpaces(head) ? head : last;
}

/** F# allows spaces in the name of a method, which is the part behind the last dot. */
function isNameWithSpaces(head: string): boolean {
  const space = head.indexOf(' ');
  return head.slice(0, Math.max(0, space)).includes('.') && !head.includes('.', space);
}

/** How deep type arguments are that are removed. */
const MAX_DEPTH = 8;
const SQUARE = /\[[^[\]]{0,400}\]|`\d{1,3}/g;
const ANGLE = /(?<=\w)<[^<>]{0,400}>/g;

/** Removes type arguments and their count, as `` `1[System.String] `` and `<(int Total, string Currency)>`. */
export function withoutArguments(name: string): string {
  let rest = name;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const before = rest;
    if (/[[`]/.test(rest)) rest = rest.replace(SQUARE, '');
    if (rest.includes('<')) rest = rest.replace(ANGLE, '');
    if (rest === before) break;
  }
  return rest;
}
