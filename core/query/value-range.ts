import type { Bound, ValueTest, WrittenVersion } from './query-ast.js';
import type { FieldKind, QueryField } from './query-fields.js';
import { compareReleaseVersions, parseReleaseVersion } from './release-version.js';
import { parseTimeAgo, parseWrittenTime, type TimePoint } from './time-point.js';

/** Signs that compare, longer ones first. */
export const COMPARISONS = ['>=', '<=', '>', '<'] as const;
type Comparison = (typeof COMPARISONS)[number];

/** Stands between the two ends of a range; `*` is an end that is open. */
export const RANGE_SIGN = '..';

/** What may be compared, in words; kinds that are not here have no order. */
export const RANGE_FORMS: Readonly<Partial<Record<FieldKind, string>>> = {
  number: 'a number such as 100, a range such as 10..100 or >=500, or a pattern such as 5*',
  mixed: 'a number such as 100',
  version: 'a version such as 1.4.0',
  time: 'a time ago such as <24h or >7d, a date such as >2026-11-01, or a range such as 2026-11-01..2026-11-08',
};

const NUMBER = /^-?\d{1,15}(?:\.\d{1,6})?$/;

/** The range that a comparison or two ends with `..` between them name; undefined when they name none, `empty` when nothing lies in it. */
export function readRange(field: QueryField, sign: Comparison, text: string): ValueTest | undefined;
export function readRange(field: QueryField, sign: typeof RANGE_SIGN, text: string): ValueTest | 'empty' | undefined;
export function readRange(field: QueryField, sign: Comparison | typeof RANGE_SIGN, text: string) {
  switch (field.kind) {
    case 'number':
    case 'mixed':
      return numbers(sign, text);
    case 'version':
      return versions(sign, text);
    case 'time':
      return sign === RANGE_SIGN ? timesBetween(text) : timesCompared(sign, text);
    default:
      return undefined;
  }
}

/** What a value of a number or a time asks for when it stands alone; undefined for other fields, and where it is none. */
export function readExact(field: QueryField, text: string): ValueTest | undefined {
  if (field.kind === 'number' && NUMBER.test(text)) {
    const bound = { value: toNumber(text), isOpen: false };
    return { kind: 'numbers', low: bound, high: bound };
  }
  const time = field.kind === 'time' ? parseWrittenTime(text) : undefined;
  return time && { kind: 'times', from: at(time.fromMs), to: at(time.toMs) };
}

function numbers(sign: Comparison | typeof RANGE_SIGN, text: string): ValueTest | 'empty' | undefined {
  const bounds = readBounds(sign, text, (part) => (NUMBER.test(part) ? toNumber(part) : undefined));
  if (bounds === undefined) return undefined;
  const { low, high } = bounds;
  return low !== null && high !== null && low.value > high.value ? 'empty' : { kind: 'numbers', low, high };
}

function versions(sign: Comparison | typeof RANGE_SIGN, text: string): ValueTest | 'empty' | undefined {
  const bounds = readBounds(sign, text, (part): WrittenVersion | undefined => {
    const version = parseReleaseVersion(part);
    return version && { text: part, version };
  });
  if (bounds === undefined) return undefined;
  const { low, high } = bounds;
  const isEmpty = low !== null && high !== null && compareReleaseVersions(low.value.version, high.value.version) > 0;
  return isEmpty ? 'empty' : { kind: 'versions', low, high };
}

/** Without a sign before zero. */
function toNumber(text: string): number {
  return Number(text) + 0;
}

function readBounds<Value>(
  sign: Comparison | typeof RANGE_SIGN,
  text: string,
  read: (part: string) => Value | undefined,
): { low: Bound<Value> | null; high: Bound<Value> | null } | undefined {
  if (sign === RANGE_SIGN) {
    const ends = endsOf(text);
    const low = ends && readEnd(ends[0], read);
    const high = ends && readEnd(ends[1], read);
    if (low === undefined || high === undefined || (low === null && high === null)) return undefined;
    return { low: low && { ...low, isOpen: false }, high: high && { ...high, isOpen: false } };
  }
  const value = read(text);
  if (value === undefined) return undefined;
  const bound = { value, isOpen: !sign.endsWith('=') };
  return sign.startsWith('>') ? { low: bound, high: null } : { low: null, high: bound };
}

/** Null for an end that is open, undefined for one that cannot be read. */
function readEnd<Value>(text: string, read: (part: string) => Value | undefined): { value: Value } | null | undefined {
  if (text === '*') return null;
  const value = read(text);
  return value === undefined ? undefined : { value };
}

function endsOf(text: string): [string, string] | undefined {
  const at = text.indexOf(RANGE_SIGN);
  return at < 0 ? undefined : [text.slice(0, at), text.slice(at + RANGE_SIGN.length)];
}

/** Less than so long ago is later; a date is compared as a whole, so that after a day means after its end. */
function timesCompared(sign: Comparison, text: string): ValueTest | undefined {
  const ago = parseTimeAgo(text);
  if (ago !== undefined) {
    const point: TimePoint = { kind: 'ago', ms: ago };
    return sign.startsWith('<') ? { kind: 'times', from: point, to: null } : { kind: 'times', from: null, to: point };
  }
  const time = parseWrittenTime(text);
  if (time === undefined) return undefined;
  switch (sign) {
    case '>':
      return { kind: 'times', from: at(time.toMs), to: null };
    case '>=':
      return { kind: 'times', from: at(time.fromMs), to: null };
    case '<':
      return { kind: 'times', from: null, to: at(time.fromMs) };
    case '<=':
      return { kind: 'times', from: null, to: at(time.toMs) };
  }
}

/** Both ends belong to it. Of two times ago either may stand first. */
function timesBetween(text: string): ValueTest | 'empty' | undefined {
  const ends = endsOf(text);
  if (ends === undefined) return undefined;
  const agos = ends.map(parseTimeAgo);
  const [first, last] = agos;
  if (first !== undefined && last !== undefined) {
    const [from, to] = [Math.max(first, last), Math.min(first, last)];
    return { kind: 'times', from: { kind: 'ago', ms: from }, to: { kind: 'ago', ms: to } };
  }
  const from = timeEnd(ends[0], 'fromMs');
  const to = timeEnd(ends[1], 'toMs');
  if (from === undefined || to === undefined || (from === null && to === null)) return undefined;
  if (from?.kind === 'at' && to?.kind === 'at' && from.ms >= to.ms) return 'empty';
  return { kind: 'times', from, to };
}

function timeEnd(text: string, end: 'fromMs' | 'toMs'): TimePoint | null | undefined {
  if (text === '*') return null;
  const ago = parseTimeAgo(text);
  if (ago !== undefined) return { kind: 'ago', ms: ago };
  const time = parseWrittenTime(text);
  return time && at(time[end]);
}

function at(ms: number): TimePoint {
  return { kind: 'at', ms };
}
