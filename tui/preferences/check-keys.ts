import type { FoundFault } from '../../config/check/place-faults.js';
import { quoted } from '../../config/values/printable.js';
import { closest } from '../../config/values/suggest.js';
import { ValueError } from '../../config/values/value-error.js';
import { parseKeyName } from './key-name.js';

/** What a key table has to say of a command; a command may have several rows. */
export interface KeyRow {
  readonly command: string;
  /** As `KeyInput` has them. */
  readonly keys: readonly string[];
  /** Places where it works: a screen, or `screen/pane`; absent: everywhere. */
  readonly on?: readonly string[];
}

/** Keys by command, as a person wrote them; undefined if the value is not a list of keys. */
export type WrittenKeys = ReadonlyMap<string, readonly string[] | undefined>;

/** Without a key of this command nothing ends the terminal. */
const ALWAYS_NEEDED = 'quit';
const EVERYWHERE = 'every screen';

/** What is wrong with the keys that a person chose: no command, no key, a key twice, one key for two commands of one screen. Paths begin below `keys`. */
export function checkKeys(written: WrittenKeys, rows: readonly KeyRow[]): FoundFault[] {
  const commands = [...new Set(rows.map(({ command }) => command))];
  const parsed = new Map<string, readonly (string | undefined)[]>();
  const faults: FoundFault[] = [];
  for (const [command, names] of written) {
    if (!commands.includes(command)) {
      faults.push(unknownCommand(command, commands));
      continue;
    }
    if (names === undefined) continue;
    if (command === ALWAYS_NEEDED && names.length === 0) {
      faults.push({
        path: [command],
        message: 'expected at least one key, found none: nothing would end the terminal',
      });
    }
    const keys = names.map((name, place) => {
      const key = parsedOrFault(name);
      if (typeof key === 'string') return key;
      faults.push({ path: [command, place], ...key });
      return undefined;
    });
    faults.push(...repeated(command, keys, names));
    parsed.set(command, keys);
  }
  return [...faults, ...clashes(written, parsed, rows)];
}

/** A key table with the keys that a person chose, all of which `checkKeys` found right. Rows of other commands stay as they are. */
export function applyKeys<Row extends KeyRow>(rows: readonly Row[], written: WrittenKeys): readonly Row[] {
  return rows.map((row) => {
    const names = written.get(row.command);
    return names === undefined ? row : { ...row, keys: names.map(parseKeyName) };
  });
}

function unknownCommand(command: string, commands: readonly string[]): FoundFault {
  const fault = { path: [command], isOfKey: true };
  const suggestion = closest(command, commands);
  if (suggestion !== undefined)
    return { ...fault, message: `the command ${quoted(command)} does not exist`, suggestion };
  return { ...fault, message: `the command ${quoted(command)} does not exist; expected one of ${commands.join(', ')}` };
}

function parsedOrFault(name: string): string | Pick<FoundFault, 'message' | 'suggestion'> {
  try {
    return parseKeyName(name);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const message = `expected a key such as r, ctrl-r, pagedown or space, found ${quoted(name)}: ${error.message}`;
    return error.suggestion === undefined ? { message } : { message, suggestion: error.suggestion };
  }
}

function repeated(command: string, keys: readonly (string | undefined)[], names: readonly string[]): FoundFault[] {
  return keys.flatMap((key, place) => {
    if (key === undefined || keys.indexOf(key) === place) return [];
    return [{ path: [command, place], message: `the key ${quoted(names[place] ?? key)} stands here a second time` }];
  });
}

/** Keys of chosen commands that mean something else at the same place; of two chosen commands the later is named. */
function clashes(
  written: WrittenKeys,
  parsed: ReadonlyMap<string, readonly (string | undefined)[]>,
  rows: readonly KeyRow[],
): FoundFault[] {
  const order = [...parsed.keys()];
  const now = rows.map((row) => ({ ...row, keys: parsed.get(row.command) ?? row.keys }));
  const faults: FoundFault[] = [];
  for (const [command, keys] of parsed) {
    const standsBefore = (other: string): boolean => other !== command && order.indexOf(other) < order.indexOf(command);
    const own = now.filter((row) => row.command === command);
    const others = now.filter((row) => standsBefore(row.command));
    for (const [place, key] of keys.entries()) {
      if (key === undefined || keys.indexOf(key) < place) continue;
      const clash = firstClash(
        own,
        others.filter((row) => row.keys.includes(key)),
      );
      if (clash === undefined) continue;
      const name = quoted(written.get(command)?.[place] ?? key);
      const message = `the key ${name} means ${clash.command} too, on ${clash.where}; give one of them another key`;
      faults.push({ path: [command, place], message });
    }
  }
  return faults;
}

function firstClash(
  own: readonly Pick<KeyRow, 'on'>[],
  others: readonly Pick<KeyRow, 'on' | 'command'>[],
): { command: string; where: string } | undefined {
  for (const { on } of own) {
    for (const other of others) {
      const where = sharedPlace(on, other.on);
      if (where !== undefined) return { command: other.command, where };
    }
  }
  return undefined;
}

/** A place that lies in both; undefined when none does. */
function sharedPlace(one: KeyRow['on'], other: KeyRow['on']): string | undefined {
  if (one === undefined || other === undefined) return (one ?? other)?.[0] ?? EVERYWHERE;
  const isWithin = (place: string, outer: string): boolean => place === outer || place.startsWith(`${outer}/`);
  return (
    one.find((place) => other.some((outer) => isWithin(place, outer))) ??
    other.find((place) => one.some((outer) => isWithin(place, outer)))
  );
}
