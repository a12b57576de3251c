import { closest } from '../../config/values/suggest.js';
import { ValueError } from '../../config/values/value-error.js';
import { NAMED_KEYS } from '../terminal/named-keys.js';

const SPACE = ' ';
const MAX_NAME_LENGTH = 32;
const NAMES: ReadonlyMap<string, string> = new Map([...NAMED_KEYS.map((key) => [key, key] as const), ['space', SPACE]]);

/** Keys that terminals send as the bytes of another key. */
const SAME_AS: ReadonlyMap<string, string> = new Map([
  ['ctrl-h', 'backspace'],
  ['ctrl-i', 'tab'],
  ['ctrl-j', 'enter'],
  ['ctrl-m', 'enter'],
  ['ctrl-[', 'escape'],
]);

/** Names of the same keys in other programs. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['esc', 'escape'],
  ['return', 'enter'],
  ['del', 'delete'],
  ['ins', 'insert'],
  ['pgup', 'pageup'],
  ['page_up', 'pageup'],
  ['page-up', 'pageup'],
  ['pgdn', 'pagedown'],
  ['pgdown', 'pagedown'],
  ['page_down', 'pagedown'],
  ['page-down', 'pagedown'],
  ['backtab', 'shift-tab'],
  ['spacebar', 'space'],
]);

/**
 * Parses the name of a key into the form of `KeyInput`: a printable character or a named key. Names are case-insensitive.
 * Throws a ValueError with a suggestion if no terminal sends such a key.
 */
export function parseKeyName(name: string): string {
  if (isCharacter(name)) return name;
  const lowered = name.slice(0, MAX_NAME_LENGTH).toLowerCase();
  const key = NAMES.get(lowered);
  if (key !== undefined && name.length <= MAX_NAME_LENGTH) return key;
  const same = SAME_AS.get(lowered);
  if (same !== undefined) throw new ValueError(`terminals send the same bytes for it as for ${same}`, same);
  const letter = /^shift[-+](\p{Ll})$/u.exec(lowered)?.[1];
  if (letter !== undefined) throw new ValueError('write a letter with Shift as a capital', letter.toUpperCase());
  if (/^(?:alt|meta|option)[-+]/.test(lowered)) throw new ValueError('terminals send it as Escape and another key');
  const control = /^(?:c-|ctrl[+_ ]|control[-+_ ]|\^)([a-z])$/.exec(lowered)?.[1];
  const meant = control === undefined ? OTHER_NAMES.get(lowered) : `ctrl-${control}`;
  throw new ValueError('it is not a key', meant ?? closest(lowered, [...NAMES.keys()]));
}

/** One printable code point, as the key parser reports it. */
function isCharacter(name: string): boolean {
  return name.length <= 2 && /^[^\p{C}\p{Zl}\p{Zp}\p{M}]$/u.test(name);
}
