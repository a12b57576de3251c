import type { StackFrame } from '../frames.js';
import { parseExceptionTree } from './exception-tree.js';
import { hasPosition, isBuiltInPath, scriptFrame, splitPlace } from './script-frame.js';
import type { StackParser } from './stack-parser.js';

/** What Firefox writes before the first function behind a wait: `async*`, `promise callback*`, `setTimeout handler*`. */
const ASYNC_CAUSE = /^(?:[A-Za-z][\w ]{0,60}\*)+/;
const ADJECTIVES = /^(?:(?:async|get|set|static|bound) ){1,3}/;
const NO_FUNCTION = /^(?:global|module|eval|program|wasm) code$/i;
const NAME = /^[^\s@()'"=]{0,256}$/;
const URL_START = /^(?:[a-z][\w+.-]{1,30}:\/\/|blob:|data:)/i;
const PATH_START = /^(?:[/\\]|[A-Za-z]:[/\\]|\.{1,2}[/\\])/;
const SCRIPT_NAME = /\.(?:[cm]?jsx?|tsx?|jsbundle|bundle|html?|wasm|vue)(?:[?#:]|$| line )/;

interface Split {
  readonly name: string;
  readonly place: string;
}

/**
 * Firefox, and Safari with what else runs on JavaScriptCore, whose lines share one form: `function@file:line:column`, in Safari also a bare
 * place or `[native code]`.
 */
export const firefoxSafariParser: StackParser = {
  family: 'firefox_safari',
  isEvidence: (line) => split(line) !== null,
  parse: (stack) => parseExceptionTree(stack, readLine),
};

function readLine(line: string): StackFrame | null {
  const parts = split(line);
  return parts === null ? null : scriptFrame(parts.name, splitPlace(parts.place));
}

function split(line: string): Split | null {
  if (line === '[native code]' || line === '[wasm code]') return { name: '', place: line };
  if (URL_START.test(line)) return hasColumn(line) && !line.includes(' ') ? { name: '', place: line } : null;
  const at = line.indexOf('@');
  if (at < 0) return null;
  const name = line.slice(0, at).replace(ASYNC_CAUSE, '').replace(ADJECTIVES, '');
  const place = line.slice(at + 1);
  if (NO_FUNCTION.test(name)) return isPlace(place) ? { name: '', place } : null;
  return NAME.test(name) && isPlace(place) ? { name, place } : null;
}

/** An address of a mail or of a host has no path and no column. */
function isPlace(place: string): boolean {
  if (isBuiltInPath(splitPlace(place).path)) return place !== '' && (hasPosition(place) || place.startsWith('['));
  if (URL_START.test(place)) return hasPosition(place);
  return hasColumn(place) && (PATH_START.test(place) || SCRIPT_NAME.test(place));
}

function hasColumn(place: string): boolean {
  return /:\d{1,9}:\d{1,9}$/.test(place);
}
