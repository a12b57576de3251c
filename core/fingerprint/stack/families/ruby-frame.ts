import { createFrame, type StackFrame } from '../frames.js';
import { isAppFile, isLauncher } from '../in-app.js';
import type { Call, CallContext } from './call.js';

/** Prefix of a block or a clause, before the name of its method. */
const PART_OF_METHOD = /^(?:(?:block(?: \(\d{1,6} levels\))?|rescue|ensure) in )+/;
/** The class before a method, as versions since 3.4 and SDKs write it. */
const OWNER = /^((?:[A-Z]\w{0,99}(?:::\w{1,99}){0,16}|#<.{1,200}>)[#.])(?=[^#.\s])/;
const ADDRESS = /#<([\w:]{1,200}):0x[0-9a-f]{1,16}>/g;
/** Methods that template engines make, with numbers of the process: of Rails with two or three underscores, and of Tilt. */
const NUMBERED_TEMPLATE = /^(_[a-z_]{1,300}?)_{2,3}\d{1,20}_\d{1,20}$|^(__tilt)_\d{1,20}$/;
/** Rails shortens the path of a file in a gem to its name and version. */
const IN_GEM = /^([\w.-]{1,100}) \(\d[\w.-]{0,40}\) (?=[^\s])/;
const JRUBY = /^(?:org[/\\]jruby|java|jdk)[/\\]|^uri:classloader:/;
const JRUBY_METHOD = /^(?:org\.jruby|java)\./;
const MAIN = '<main>';
/** The standard library, in the folder of its version. */
const STANDARD_LIBRARY = /[/\\]ruby[/\\]\d{1,2}\.\d{1,2}\.\d{1,2}[/\\]|^<internal:/;

/** Creates a frame of Ruby. Its method counts and its class is shown, because only newer versions write the class. */
export function rubyFrame(call: Call, { caller }: CallContext): StackFrame {
  const { name, module, path, line, column } = call;
  const { owner, method } = methodOf(name);
  const isInGem = path.includes(' (') && IN_GEM.test(path);
  // RubyGems writes a file that loads the command of a gem.
  const isStart = (method === MAIN || method === 'load') && isLauncher(path);
  const isForeign = isStart || isInGem || JRUBY.test(path) || JRUBY_METHOD.test(name) || isWrittenInC(call, caller);
  const created = createFrame({
    name: method,
    path: isInGem ? path.replace(IN_GEM, '$1/') : path,
    line,
    column,
    inApp: isAppFile(path) && !isForeign,
  });
  const isOfLanguage = !created.inApp && STANDARD_LIBRARY.test(path) && !path.includes('/gems/');
  const frame = isOfLanguage ? { ...created, isOfLanguage } : created;
  const shown = owner || (module === '' ? '' : `${module}#`);
  return shown === '' || frame.function === null ? frame : { ...frame, owner: shown };
}

function methodOf(name: string): { owner: string; method: string } {
  const part = name.includes(' in ') ? name.replace(PART_OF_METHOD, '') : name;
  const whole = part.includes('0x') ? part.replace(ADDRESS, '#<$1>') : part;
  const owner = OWNER.exec(whole)?.[1] ?? '';
  const own = whole.slice(owner.length);
  const method = own.startsWith('_') ? own.replace(NUMBERED_TEMPLATE, '$1$2') : own;
  return { owner, method: method === '<top (required)>' ? MAIN : method };
}

/** A method that is not written in Ruby has the location of its caller. */
function isWrittenInC({ name, path, line }: Call, caller: Call | undefined): boolean {
  if (caller === undefined || caller.line !== line || caller.path !== path) return false;
  return name !== '' && caller.name !== name && !PART_OF_METHOD.test(name);
}
