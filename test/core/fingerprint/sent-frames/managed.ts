import type { JsonObject } from '../../../../core/event/json.js';
import { type Collected, frame, headOf, numberOf, sentEvent } from './sent-event.js';

/*
 * The JVM: the class is the module, code outside of the packages of the application has no mark. .NET: the declaring type is the module,
 * code of the system is marked as foreign.
 */

const JVM_FRAME = /^at (?:[\w.-]+(?:@[\w.-]+)?\/{1,2})?([^()]+)\.([^.()]+)\(([^:()]*)(?::(\d+))?\)$/;
const JVM_CAUSE = /^(\t*)(Caused by|Suppressed): (.*)$/;
const JVM_ELIDED = /^\.\.\. (\d+) (?:more|common frames omitted)$/;

function jvmFrame(text: string): JsonObject | undefined {
  const [, module, name, file, line] = JVM_FRAME.exec(text) ?? [];
  if (module === undefined) return undefined;
  const isNative = file === 'Native Method';
  const isUnknown = isNative || file === 'Unknown Source';
  return frame({
    module,
    function: name,
    filename: isUnknown ? undefined : file,
    lineno: numberOf(line),
    native: isNative || undefined,
    in_app: module.startsWith('shop.') || module.startsWith('com.acme.') ? true : undefined,
  });
}

/** Makes what the SDK of the JVM sends: the frames that a text leaves out are there, and suppressed exceptions. */
export function sentByJvm(type: string, message: string, stack: string): JsonObject {
  const main: Collected = { type, value: message, frames: [], behind: [] };
  const open = [{ depth: -1, one: main }];
  for (const line of stack.split('\n')) {
    const cause = JVM_CAUSE.exec(line);
    const [, tabs = '', relation, head = ''] = cause ?? [];
    if (cause !== null && head.startsWith('[CIRCULAR')) continue;
    if (cause !== null) {
      // A cause belongs to the exception at its own indent, a suppressed one to the exception around it.
      const depth = relation === 'Suppressed' ? tabs.length : tabs.length - 1;
      while (open.length > 1 && (open.at(-1)?.depth ?? -1) > (relation === 'Suppressed' ? depth - 1 : depth))
        open.pop();
      const one: Collected = {
        ...headOf(head),
        frames: [],
        behind: [],
        ...(relation === 'Suppressed' ? { source: 'suppressed' } : {}),
      };
      open.at(-1)?.one.behind.push(one);
      open.push({ depth, one });
      continue;
    }
    const current = open.at(-1)?.one;
    const around = open.at(-2)?.one;
    const elided = JVM_ELIDED.exec(line.trim());
    if (elided && around) current?.frames.push(...around.frames.slice(-Number(elided[1])));
    const read = jvmFrame(line.trim());
    if (read !== undefined) current?.frames.push(read);
  }
  return sentEvent('java', main);
}

const DOTNET_FRAME = /^at (.+?) ?\(([^()]*)\)(?: \[0x\w+\] in (\S+):(\d+)| in (.+):line (\d+))?$/;
const DOTNET_SYSTEM = /^(?:System|Microsoft|Mono)\./;

function dotnetFrame(text: string): JsonObject | undefined {
  const [, written = '', , monoPath, monoLine, path, line] = DOTNET_FRAME.exec(text) ?? [];
  // Names have no arguments: `Shop.Shelf`1`, not `Shop.Shelf`1[T]`.
  const whole = written.replace(/\[[^\]]*\]/g, '');
  const dot = whole.lastIndexOf(whole.endsWith('.ctor') ? '..ctor' : '.');
  if (dot < 0) return undefined;
  const module = whole.slice(0, dot);
  const file = monoPath?.startsWith('<') ? undefined : (monoPath ?? path);
  return frame({
    module,
    function: whole.slice(dot + 1),
    filename: file?.split('/').at(-1),
    abs_path: file,
    lineno: file === undefined ? undefined : numberOf(monoLine ?? line),
    package: `${DOTNET_SYSTEM.test(module) ? 'mscorlib' : 'Shop'}, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null`,
    in_app: !DOTNET_SYSTEM.test(module),
  });
}

/** Makes what the SDK of .NET sends; a text prints the innermost exception first. */
export function sentByDotnet(type: string, message: string, stack: string): JsonObject {
  const lines = stack.split('\n');
  const inner = lines.flatMap((line, at) => {
    const [first = '', ...heads] = line.split(' ---> ');
    return at === 0 || first === '' ? heads : [];
  });
  const main: Collected = { type, value: message, frames: [], behind: [], isGroup: isAggregate(type) };
  const chain = [main];
  for (const head of inner) {
    const around = chain.at(-1) ?? main;
    const source = around.isGroup ? 'InnerExceptions[0]' : 'InnerException';
    const one = { ...headOf(head), frames: [], behind: [], source, isGroup: isAggregate(headOf(head).type) };
    around.behind.push(one);
    chain.push(one);
  }
  for (const line of lines.slice(1)) {
    if (line.includes('--- End of inner exception stack trace ---')) chain.pop();
    const read = dotnetFrame(line.trim());
    if (read !== undefined) chain.at(-1)?.frames.push(read);
  }
  return sentEvent('csharp', main);
}

function isAggregate(type: string): boolean {
  return type === 'System.AggregateException';
}
