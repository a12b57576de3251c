import type { JsonObject } from '../../../../core/event/json.js';
import { type Collected, frame, headOf, numberOf, sentEvent } from './sent-event.js';

/*
 * Python and Ruby call code of the project's folder the application's; Python gives no mark to the standard library. PHP moves locations to
 * the called function. Elixir marks the modules that its settings name.
 */

const ROOT = '/srv/shop/releases/';
const PYTHON_FRAME = /^File "(.+)", line (\d+), in (.+)$/;
const PYTHON_LINK = /^(?:The above exception was the direct cause|During handling of the above exception, another)/;
const PYTHON_MEMBER = /^\+(?:-\+)?-{3,}(?: \d+ -{3,})?$/;

function pythonFrame(text: string): JsonObject | undefined {
  const [, path, line, name] = PYTHON_FRAME.exec(text) ?? [];
  if (path === undefined || name === undefined) return undefined;
  const isLibrary = /[\\/](?:dist|site)-packages[\\/]/.test(path);
  const relative = path
    .replace(/^.*\/(?:site-packages|python3\.\d+)\//, '')
    .replace(/^.*\//, (folders) => (path.startsWith(ROOT) && !isLibrary ? '' : folders));
  return frame({
    filename: relative,
    abs_path: path.startsWith('<') ? `${ROOT}17/${path}` : path,
    function: name,
    module: name === '<module>' && path.endsWith('/main.py') ? '__main__' : moduleOf(relative),
    lineno: numberOf(line),
    in_app: isLibrary ? false : /^(?:\/srv\/|<(?!frozen))/.test(path) || undefined,
  });
}

function moduleOf(relative: string): string | undefined {
  if (relative.startsWith('<')) return undefined;
  if (relative === 'main.py') return '__main__';
  return relative.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.');
}

/** Makes what the SDK of Python sends. */
export function sentByPython(type: string, message: string, stack: string): JsonObject {
  const text = message.includes('\n') && stack.endsWith(message) ? stack.slice(0, -message.length) : stack;
  const sections: { one: Collected; link: string }[] = [];
  let link = '';
  let current = section('');
  sections.push(current);
  for (const line of text.split('\n')) {
    const bare = line.replace(/^[ |]*(?:\| |(?=\+))/, '').trim();
    if (PYTHON_LINK.test(bare)) link = bare.startsWith('The') ? '__cause__' : '__context__';
    if (/^\+? ?(?:Exception Group )?Traceback \(most/.test(bare) && current.one.frames.length > 0) {
      current = section(link);
      sections.push(current);
    }
    const repeated = /^\[Previous line repeated (\d+) more times?\]$/.exec(bare)?.[1];
    const [last] = current.one.frames;
    if (repeated && last) current.one.frames.unshift(...Array.from({ length: Number(repeated) }, () => last));
    const read = pythonFrame(bare);
    if (read !== undefined) current.one.frames.unshift(read);
    else if (/^[A-Za-z_][\w.]*(?:: |$)/.test(bare) && current.one.type === '') Object.assign(current.one, headOf(bare));
  }
  const isGroup = PYTHON_MEMBER.test(
    text
      .split('\n')
      .find((line) => line.includes('+-+--'))
      ?.trim() ?? '',
  );
  return sentEvent('python', isGroup ? groupOf(sections, type, message) : chainOf(sections, type, message));
}

function section(link: string): { one: Collected; link: string } {
  return { one: { type: '', value: '', frames: [], behind: [] }, link };
}

/** The text prints causes first. */
function chainOf(sections: readonly { one: Collected; link: string }[], type: string, value: string): Collected {
  let main: Collected | undefined;
  for (const { one, link } of sections) {
    main = { ...one, behind: main === undefined ? [] : [{ ...main, source: link }] };
  }
  return { ...(main ?? { frames: [], behind: [] }), type, value };
}

function groupOf([group, ...members]: readonly { one: Collected }[], type: string, value: string): Collected {
  const behind = members.map(({ one }, at) => ({ ...one, source: `exceptions[${at}]` }));
  const message = value.replace(/ \(\d+ sub-exceptions?\)$/, '');
  return { type, value: message, frames: group?.one.frames ?? [], behind, isGroup: true };
}

const RUBY_FRAME = /^(?:from )?([^:]+|<.*>):(\d+)(?::in ['`](?:([\w:]+)#)?(.+?)')?(?:: (.*) \(([\w:]+)\))?$/;

/** Makes what the SDK of Ruby sends: each cause, without ids. */
export function sentByRuby(type: string, message: string, stack: string): JsonObject {
  const chain: Collected[] = [];
  for (const line of stack.replace(message, message.split('\n')[0] ?? '').split('\n')) {
    const [, path, row, module, name, text, causeType] = RUBY_FRAME.exec(line.trim()) ?? [];
    if (path === undefined) continue;
    if (!line.startsWith('\t')) chain.push({ type: causeType ?? '', value: text ?? '', frames: [], behind: [] });
    const isOwn = path.startsWith(ROOT) && !path.includes('/gems/');
    const filename = path.replace(/^.*\/gems\/[^/]+\/lib\/|^\/srv\/shop\/releases\/\d+\//, '');
    const read = { abs_path: path, filename, lineno: Number(row), function: name, module, in_app: isOwn };
    chain.at(-1)?.frames.push(frame(read));
  }
  return sentEvent('ruby', { type, value: message, frames: chain[0]?.frames ?? [], behind: chain.slice(1) });
}

const PHP_CALL = /^#\d+ (?:(.+)\((\d+)\)|\[internal function\]): (.+?)\(.*$/;

/** Makes what the SDK of PHP sends: each function with the place where it stopped, not where it was called. */
export function sentByPhp(type: string, message: string, stack: string): JsonObject {
  let main: Collected | undefined;
  for (const text of stack.split(/\n\n(?=Next )/)) {
    const [, causeType = '', value = '', path, line] =
      /^(?:Next )?([\w\\]+)(?:: ([\s\S]*))? (?:in|defined in) (\S+):(\d+)\nStack trace:/.exec(text) ?? [];
    const frames: JsonObject[] = [];
    let [at, row] = [path, line];
    for (const call of text.split('\n')) {
      const [, calledAt, calledLine, name] = PHP_CALL.exec(call) ?? [];
      if (name === undefined) continue;
      frames.push(phpFrame(at, row, name.replace('->', '::')));
      [at, row] = [calledAt, calledLine];
    }
    frames.push(phpFrame(at, row, undefined));
    main = { type: causeType, value, frames, behind: main === undefined ? [] : [main] };
  }
  return sentEvent('php', { ...(main ?? { frames: [], behind: [] }), type, value: message });
}

function phpFrame(path: string | undefined, line: string | undefined, name: string | undefined): JsonObject {
  if (path === undefined) return frame({ function: name, filename: '[internal]', lineno: 0, in_app: false });
  return frame({
    function: name,
    raw_function: name,
    filename: path.replace(/^\/srv\/shop\/releases\/\d+/, ''),
    abs_path: path,
    lineno: numberOf(line),
    in_app: !path.includes('/vendor/'),
  });
}

const ELIXIR_FRAME =
  /^(?:\((\w+) [\d.]+\) )?(?:(\S+\.[eh]?[er][xr]?ls?):(\d+): |(\S+\.exs?):(\d+): )?(.+?(?:\/\d+|\(.*\)))$/;
const ELIXIR_MODULE = /^(?:anonymous fn\/\d+ in )?((?:[A-Z]\w*\.)*[A-Z]\w*|:\w+)\./;

function elixirFrame(text: string): JsonObject | undefined {
  const [, app, erlangFile, erlangLine, elixirFile, elixirLine, called] = ELIXIR_FRAME.exec(text) ?? [];
  const module = ELIXIR_MODULE.exec(called ?? '')?.[1];
  if (called === undefined || module === undefined) return undefined;
  const [, start, args] = /^(.*?)\((.*)\)$/.exec(called) ?? [];
  const name = start === undefined ? called : `${start}/${(args ?? '').split(/, (?![^{]*\})/).length}`;
  return frame({
    module: module.startsWith(':') ? module.slice(1) : `Elixir.${module}`,
    function: name,
    filename: elixirFile ?? erlangFile,
    lineno: numberOf(elixirLine ?? erlangLine),
    in_app: app === undefined && module.startsWith('Shop.'),
  });
}

/** Makes what the SDK of Elixir sends. */
export function sentByElixir(type: string, message: string, stack: string): JsonObject {
  const head = stack.indexOf(message);
  const rest = stack.slice(head < 0 ? 0 : head + message.length);
  const frames = rest.split('\n').flatMap((line): JsonObject[] => {
    const read = elixirFrame(line.trim());
    return read === undefined ? [] : [read];
  });
  return sentEvent('elixir', { type, value: message, frames, behind: [] });
}
