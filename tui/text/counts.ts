import { literal, type Visible } from './visible.js';

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;
const STEPS = [
  { suffix: 'G', value: 1e9 },
  { suffix: 'M', value: 1e6 },
  { suffix: 'k', value: 1e3 },
] as const;

/** A count in full, with grouped digits: `12,345`. */
export function fullCount(count: number): Visible {
  return literal(String(count).replace(THOUSANDS, ','));
}

/** A count in at most five cells, rounded down: `9999`, `12.3k`, `4.5M`. */
export function shortCount(count: number): Visible {
  const step = count < 10_000 ? undefined : STEPS.find(({ value }) => count >= value);
  if (step === undefined) return literal(String(count));
  const tenths = Math.floor((count / step.value) * 10);
  return literal(`${tenths >= 1_000 ? Math.floor(tenths / 10) : tenths / 10}${step.suffix}`);
}

/** A count with its noun: `1 issue`, `12 issues`. */
export function countWithNoun(count: number, noun: string): Visible {
  return literal(`${fullCount(count)} ${noun}${count === 1 ? '' : 's'}`);
}

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size in bytes, rounded down: `71 bytes`, `1.4 MiB`, `14 MiB`. */
export function byteWords(bytes: number): Visible {
  if (bytes < 1024) return countWithNoun(bytes, 'byte');
  const power = Math.min(BYTE_UNITS.length, Math.floor(Math.log2(bytes) / 10));
  const tenths = Math.floor((bytes / 1024 ** power) * 10) / 10;
  return literal(`${tenths < 10 ? tenths : Math.floor(tenths)} ${BYTE_UNITS[power - 1]}`);
}
