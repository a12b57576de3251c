import type { JsonObject } from '../../../../core/event/json.js';
import { type Collected, frame, headOf, numberOf, sentEvent } from './sent-event.js';

/*
 * As the stack parsers of the SDKs for browsers, Node and React Native write frames. Browsers call every frame the application's; Node
 * judges by the path.
 */

const CHROME =
  /^\s*at (?:(.+?\)(?: \[.+\])?|.*?) ?\((?:address at )?)?(?:async )?((?:<anonymous>|[-a-z]+:|\/)?.*?)(?::(\d+))?(?::(\d+))?\)?\s*$/i;
const GECKO =
  /^\s*(.*?)(?:\((.*?)\))?(?:^|@)?((?:blob:)?(?:[-a-z]+)?:\/.*?|\[native code\]|[^@]*(?:bundle|\d+\.js)|\/[\w\-. /=]+)(?::(\d+))?(?::(\d+))?\s*$/i;
const NODE = /at (?:async )?(?:(.+?)\s+\()?(?:(.+):(\d+):(\d+)?|([^)]+))\)?/;
const IN_EVAL = /\((\S*)(?::(\d+))(?::(\d+))\)/;

/** A frame of Chrome, React Native or another browser of the same form. */
function chromeFrame(line: string): JsonObject | undefined {
  const whole = /^\s*at (\S+?)(?::(\d+))(?::(\d+))\s*$/.exec(line);
  if (whole) return browserFrame('?', whole[1], whole[2], whole[3]);
  const [, name, path, row, column] = CHROME.exec(line) ?? [];
  if (path === undefined) return undefined;
  if (path.startsWith('eval')) {
    const [, inner, innerRow, innerColumn] = IN_EVAL.exec(path) ?? [];
    if (inner !== undefined) return browserFrame(name || '?', inner, innerRow, innerColumn);
  }
  return browserFrame(name || '?', path, row, column);
}

function geckoFrame(line: string): JsonObject | undefined {
  const [, name, , path, row, column] = GECKO.exec(line) ?? [];
  if (path === undefined) return undefined;
  const [, file, evalRow] = /(\S+) line (\d+)(?: > eval line \d+)* > (?:eval|Function)/.exec(path) ?? [];
  return file === undefined
    ? browserFrame(name || '?', path, row, column)
    : browserFrame(name || 'eval', file, evalRow, undefined);
}

function browserFrame(name: string, path: string | undefined, row?: string, column?: string): JsonObject {
  return frame({ filename: path, function: name, in_app: true, lineno: numberOf(row), colno: numberOf(column) });
}

function nodeFrame(line: string): JsonObject | undefined {
  const match = NODE.exec(line);
  if (match === null) return undefined;
  const [, named, path, row, column, other] = match;
  const isNative = other === 'native';
  let filename = path?.startsWith('file://') ? path.slice('file://'.length) : path;
  if (filename === undefined && other !== undefined && !isNative) filename = other;
  const isInternal = isNative || (filename !== undefined && !/^(?:[/.]|[A-Z]:|[a-z][a-z0-9.+-]*:\/\/)/i.test(filename));
  return frame({
    filename,
    module: moduleOfFile(filename),
    function: nameInNode(named),
    lineno: numberOf(row),
    colno: numberOf(column),
    in_app: !isInternal && filename !== undefined && !filename.includes('node_modules/'),
  });
}

/** `Cart.<anonymous>` loses its name, not its receiver. */
function nameInNode(named: string | undefined): string {
  if (named === undefined) return '?';
  const dot = named.lastIndexOf('.');
  return dot > 0 && named.slice(dot + 1) === '<anonymous>' ? `${named.slice(0, dot)}.?` : named;
}

/** Folders and name without extension; of packages from their own name on. */
function moduleOfFile(filename: string | undefined): string | undefined {
  if (filename === undefined || !filename.includes('/')) return filename;
  const inPackage = filename.split('node_modules/').at(-1) ?? '';
  const [, folders = '', name = ''] = /^(?:\/srv\/shop\/)?(?:(.*)\/)?([^/]*?)(?:\.[cm]?[jt]s)?$/.exec(inPackage) ?? [];
  return folders === '' ? name : `${folders.replaceAll('/', '.')}:${name}`;
}

interface Open {
  readonly indent: number;
  readonly one: Collected;
}

/** Reads what Node inspects: `[cause]: …` and `[errors]: [ … ]` one level further in than their error. */
function collect(stack: string, main: Collected, toFrame: (line: string) => JsonObject | undefined): Collected {
  const open: Open[] = [{ indent: 0, one: main }];
  let membersAt: number | null = null;
  for (const line of stack.split('\n')) {
    const indent = line.search(/\S/);
    const text = line.trim().replace(/(?:,| \{)$/, '');
    while (open.length > 1 && indent >= 0 && indent < (open.at(-1)?.indent ?? 0)) open.pop();
    if (membersAt !== null && indent <= membersAt) membersAt = null;
    const parent = open.at(-1)?.one;
    if (parent === undefined) continue;
    const cause = /^\[cause\]: (.*)$/.exec(text)?.[1];
    if (text === '[errors]: [') {
      membersAt = indent;
      Object.assign(parent, { isGroup: true });
    } else if (cause !== undefined) addTo(parent, headOf(cause), 'cause', indent + 2, open);
    else if (membersAt !== null && indent === membersAt + 2 && /^[A-Z]\w*(?::|$)/.test(text)) {
      const group = open.findLast(({ one }) => one.isGroup)?.one ?? parent;
      while (open.length > 1 && open.at(-1)?.one !== group) open.pop();
      addTo(group, headOf(text), `errors[${group.behind.length}]`, indent, open);
    } else {
      const one = /^at |@|\bnative\b/.test(text) ? toFrame(text) : undefined;
      if (one !== undefined) parent.frames.push(one);
    }
  }
  return main;
}

function addTo(
  parent: Collected,
  head: Pick<Collected, 'type' | 'value'>,
  source: string,
  indent: number,
  open: Open[],
): void {
  const one: Collected = { ...head, frames: [], source, behind: [] };
  parent.behind.push(one);
  open.push({ indent, one });
}

function withoutMessage(stack: string, message: string): string {
  const at = message === '' ? -1 : stack.indexOf(message);
  return at < 0 ? stack : stack.slice(at + message.length);
}

/** Makes what the SDK of a browser or of React Native sends. */
export function sentByBrowser(type: string, message: string, stack: string): JsonObject {
  const rest = withoutMessage(stack, message);
  const toFrame = /^\s*at /m.test(rest) ? chromeFrame : geckoFrame;
  return sentEvent('javascript', collect(rest, { type, value: message, frames: [], behind: [] }, toFrame));
}

/** Makes what the SDK of Node sends, which Deno and Bun use too. */
export function sentByNode(type: string, message: string, stack: string): JsonObject {
  const main: Collected = { type, value: message, frames: [], behind: [] };
  return sentEvent('node', collect(withoutMessage(stack, message), main, nodeFrame));
}
