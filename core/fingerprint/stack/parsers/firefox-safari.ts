import type { StackFrame } from '../frames.js';
import { parseExceptionTree } from './exception-tree.js';
import { hasPosition, isBuiltInPath, scriptFrame, splitLocation } from './script-frame.js';
import type { StackParser } from './stack-parser.js';

/** Firefox marks the first function after an asynchronous call: `async*`, `promise callback*`, `setTimeout handler*`. */
const ASYNC_CAUSE = /^(?:[A-Za-z][\w ]{0,60}\*)+/;
const ADJECTIVES = /^(?:(?:async|get|set|static|bound) ){1,3}/;
const NO_FUNCTION = /^(?:global|module|eval|program|wasm) code$/i;
const NAME = /^[^\s@()'"=]{0,256}$/;
const URL_START = /^(?:[a-z][\w+.-]{1,30}:\/\/|blob:|data:)/i;
const PATH_START = /^(?:[/\\]|[A-Za-z]:[/\\]|\.{1,2}[/\\])/;
const SCRIPT_NAME = /\.(?:[cm]?jsx?|tsx?|jsbundle|bundle|html?|wasm|vue)(?:[?#:]|$| line )/;

interface Split {
  readonly name: string;
  readonly location: string;
}

/** Firefox and JavaScriptCore (Safari): `function@file:line:column`, in Safari also a bare location or `[native code]`. */
export const firefoxSafariParser: StackParser = {
  family: 'firefox_safari',
  isEvidence: (line) => split(line) !== null,
  parse: (stack) => parseExceptionTree(stack, parseLine),
};

function parseLine(line: string): StackFrame | null {
  const parts = split(line);
  return parts === null ? null : scriptFrame(parts.name, splitLocation(parts.location));
}

function split(line: string): Split | null {
  if (line === '[native code]' || line === '[wasm code]') return { name: '', location: line };
  if (URL_START.test(line)) return hasColumn(line) && !line.includes(' ') ? { name: '', location: line } : null;
  const at = line.indexOf('@');
  if (at < 0) return null;
  const name = line.slice(0, at).replace(ASYNC_CAUSE, '').replace(ADJECTIVES, '');
  const location = line.slice(at + 1);
  if (NO_FUNCTION.test(name)) return isLocation(location) ? { name: '', location } : null;
  return NAME.test(name) && isLocation(location) ? { name, location } : null;
}

/** Excludes addresses of mail and hosts, which have no path and no column. */
function isLocation(location: string): boolean {
  if (isBuiltInPath(splitLocation(location).path))
    return location !== '' && (hasPosition(location) || location.startsWith('['));
  if (URL_START.test(location)) return hasPosition(location);
  return hasColumn(location) && (PATH_START.test(location) || SCRIPT_NAME.test(location));
}

function hasColumn(location: string): boolean {
  return /:\d{1,9}:\d{1,9}$/.test(location);
}
