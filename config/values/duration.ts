import { ValueError } from './value-error.js';

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** The limit of Go, 2^63 nanoseconds, so that a file means the same in both. */
const MAX_MS = 2 ** 63 / 1e6;
const MAX_TEXT_LENGTH = 64;

const COMPONENT = /(\d+(?:\.\d*)?|\.\d+)([^\d.]*)/y;

/** Milliseconds of a duration in Go's notation: `300ms`, `1.5h`, `2h45m`, `0`. Throws a ValueError; negative or above 292 years is invalid. */
export function parseDuration(text: string): number {
  if (text === '0') return 0;
  if (text === '') throw new ValueError('it is empty');
  if (text.length > MAX_TEXT_LENGTH) throw new ValueError(`it is longer than ${MAX_TEXT_LENGTH} characters`);
  if (text.startsWith('-')) throw new ValueError('a duration cannot be negative');
  let totalMs = 0;
  COMPONENT.lastIndex = 0;
  while (COMPONENT.lastIndex < text.length) {
    const component = COMPONENT.exec(text);
    if (component === null) throw new ValueError('a number is missing before a unit');
    const [, amount = '', unit = ''] = component;
    totalMs += Number(amount) * unitMs(text, amount, unit);
  }
  if (totalMs >= MAX_MS) throw new ValueError('it is longer than 292 years');
  return totalMs;
}

function unitMs(text: string, amount: string, unit: string): number {
  const ms = UNIT_MS.get(unit);
  if (ms !== undefined) return ms;
  if (unit === '') throw new ValueError('the unit is missing', text === amount ? `${text}s` : undefined);
  const hours = unit === 'd' ? 24 : unit === 'w' ? 168 : undefined;
  const isWhole = hours !== undefined && text === `${amount}${unit}`;
  throw new ValueError(`"${unit}" is not a unit of time`, isWhole ? `${Number(amount) * hours}h` : undefined);
}
