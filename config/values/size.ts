import { ValueError } from './value-error.js';

const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['B', 1],
  ['KB', 1e3],
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
]);

const MAX_TEXT_LENGTH = 64;
const SIZE = /^(\d+(?:\.\d+)?) ?([^\d. ]*)$/;

/** Bytes of `10GiB` (powers of 1024), `500KB` (of 1000) or `1048576`, rounded down. Throws a ValueError; above 2^53 is invalid. */
export function parseSize(text: string): number {
  if (text === '') throw new ValueError('it is empty');
  if (text.length > MAX_TEXT_LENGTH) throw new ValueError(`it is longer than ${MAX_TEXT_LENGTH} characters`);
  if (text.startsWith('-')) throw new ValueError('a size cannot be negative');
  const match = SIZE.exec(text);
  if (match === null) throw new ValueError('it is not a number with a unit');
  const [, amount = '', unit = ''] = match;
  const unitBytes = UNIT_BYTES.get(unit);
  if (unitBytes === undefined) throw unknownUnit(amount, unit);
  const bytes = Math.floor(Number(amount) * unitBytes);
  if (bytes > Number.MAX_SAFE_INTEGER) throw new ValueError('it is larger than 2^53 bytes');
  return bytes;
}

function unknownUnit(amount: string, unit: string): ValueError {
  const letter = unit.charAt(0).toUpperCase();
  const suggestion = 'KMGT'.includes(letter) && /^.(i?b)?$/i.test(unit) ? `${amount}${letter}iB` : undefined;
  return new ValueError(`"${unit}" is not a unit of size`, suggestion);
}
