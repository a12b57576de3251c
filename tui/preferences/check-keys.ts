import type { SettingsFault } from '../../config/check/locate-faults.js';
import { quoted } from '../../config/values/printable.js';
import { closest } from '../../config/values/suggest.js';
import { ValueError } from '../../config/values/value-error.js';
import type { KeyBinding } from '../terminal/keymap.js';
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

/** A row of a keymap; a command may have several rows. */
export type KeyRow = Pick<KeyBinding<string>, 'command' | 'keys' | 'on'>;

/** Keys by command, as configured; undefined if the value is not a list of keys. */
export type ConfiguredKeys = ReadonlyMap<string, readonly string[] | undefined>;

/** Without a key of this command, no key would end the terminal. */
const REQUIRED_COMMAND = 'quit';
const EVERYWHERE = 'every screen';

/** Checks configured keys: unknown commands, invalid keys, repeated keys, one key for two commands of a screen. Paths are relative to `keys`. */
export function checkKeys(configured: ConfiguredKeys, keymap: readonly KeyRow[]): SettingsFault[] {
  const commands = [...new Set(keymap.map(({ command }) => command))];
  const parsed = new Map<string, readonly (string | undefined)[]>();
  const faults: SettingsFault[] = [];
  for (const [command, names] of configured) {
    if (!commands.includes(command)) {
      faults.push(unknownCommand(command, commands));
      continue;
    }
    if (names === undefined) continue;
    if (command === REQUIRED_COMMAND && names.length === 0) {
      faults.push({ path: [command], message: 'quit needs at least one key' });
    }
    const keys = names.map((name, index) => {
      const key = parseOrFault(name);
      if (typeof key === 'string') return key;
      faults.push({ path: [command, index], ...key });
      return undefined;
    });
    for (const [index, key] of keys.entries()) {
      if (key === undefined || keys.indexOf(key) === index) continue;
      faults.push({ path: [command, index], message: `the key ${quoted(names[index] ?? key)} is listed twice` });
    }
    parsed.set(command, keys);
  }
  return [...faults, ...findClashes(configured, parsed, keymap)];
}

/** Replaces the keys of a keymap by configured ones, which `checkKeys` accepted. Rows of other commands stay unchanged. */
export function applyKeys<Row extends KeyRow>(keymap: readonly Row[], configured: ConfiguredKeys): readonly Row[] {
  return keymap.map((row) => {
    const names = configured.get(row.command);
    return names === undefined ? row : { ...row, keys: names.map(parseKeyName) };
  });
}

function unknownCommand(command: string, commands: readonly string[]): SettingsFault {
  const fault = { path: [command], isAtKey: true };
  const suggestion = closest(command, commands);
  if (suggestion !== undefined)
    return { ...fault, message: `the command ${quoted(command)} does not exist`, suggestion };
  return { ...fault, message: `the command ${quoted(command)} does not exist; expected one of ${commands.join(', ')}` };
}

function parseOrFault(name: string): string | Pick<SettingsFault, 'message' | 'suggestion'> {
  try {
    return parseKeyName(name);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const message = `expected a key such as r, ctrl-r, pagedown or space, found ${quoted(name)}: ${error.message}`;
    return error.suggestion === undefined ? { message } : { message, suggestion: error.suggestion };
  }
}

/** Configured keys that have another command in the same scope; of two configured commands the later one is reported. */
function findClashes(
  configured: ConfiguredKeys,
  parsed: ReadonlyMap<string, readonly (string | undefined)[]>,
  keymap: readonly KeyRow[],
): SettingsFault[] {
  const order = [...parsed.keys()];
  const combined = keymap.map((row) => ({ ...row, keys: parsed.get(row.command) ?? row.keys }));
  const faults: SettingsFault[] = [];
  for (const [command, keys] of parsed) {
    const own = combined.filter((row) => row.command === command);
    const others = combined.filter((row) => order.indexOf(row.command) < order.indexOf(command));
    for (const [index, key] of keys.entries()) {
      if (key === undefined || keys.indexOf(key) < index) continue;
      const sameKey = others.filter((row) => row.keys.includes(key));
      const clashes = own.flatMap(({ on }) =>
        sameKey.map((other) => ({ command: other.command, scope: sharedScope(on, other.on) })),
      );
      const clash = clashes.find(({ scope }) => scope !== undefined);
      if (clash === undefined) continue;
      const name = quoted(configured.get(command)?.[index] ?? key);
      const message = `the key ${name} also means ${clash.command} on ${clash.scope}; change one of them`;
      faults.push({ path: [command, index], message });
    }
  }
  return faults;
}

/** A scope within both; undefined if they do not overlap. */
function sharedScope(one: KeyRow['on'], other: KeyRow['on']): string | undefined {
  if (one === undefined || other === undefined) return (one ?? other)?.[0] ?? EVERYWHERE;
  const isWithin = (scope: string, outer: string): boolean => scope === outer || scope.startsWith(`${outer}/`);
  return (
    one.find((scope) => other.some((outer) => isWithin(scope, outer))) ??
    other.find((scope) => one.some((outer) => isWithin(scope, outer)))
  );
}

/** Parses the name of a key, in any case, to that of `KeyInput`. Throws a ValueError with a suggestion if no terminal sends the key. */
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
