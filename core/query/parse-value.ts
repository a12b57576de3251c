import { levelSeverity } from '../event/level.js';
import type { Bound, FieldNode, QueryNode, ValueTest, WrittenVersion } from './query-ast.js';
import { QueryFault } from './query-fault.js';
import type { FieldKind, QueryField } from './query-fields.js';
import type { QueryScanner } from './query-scanner.js';
import { compareReleaseVersions, parseReleaseVersion } from './release-version.js';
import { suggestion } from './suggestion.js';
import { anywhereInText, type TextPattern, wholeText } from './text-pattern.js';
import { parseTimeAgo, parseWrittenTime, type TimePoint } from './time-point.js';

/** Longer signs first. */
const COMPARISONS = ['>=', '<=', '>', '<'] as const;
type Comparison = (typeof COMPARISONS)[number];

/** Separates the ends of a range; `*` is an open end. */
const RANGE_SIGN = '..';

/** Forms of values that can be compared, for messages; other kinds have no order. */
const RANGE_FORMS: Readonly<Partial<Record<FieldKind, string>>> = {
  number: 'a number such as 100, a range such as 10..100 or >=500, or a pattern such as 5*',
  mixed: 'a number such as 100',
  version: 'a version such as 1.4.0',
  level: 'a level such as warn',
  time: 'a time ago such as <24h or >7d, a date such as >2026-11-01, or a range such as 2026-11-01..2026-11-08',
};

const NUMBER = /^-?\d{1,15}(?:\.\d{1,6})?$/;

/** Parses what follows `name:`; a list in brackets becomes an `or`. Throws `QUERY_INVALID`. */
export function parseFieldValue(scanner: QueryScanner, field: QueryField): QueryNode {
  const start = scanner.index;
  if (scanner.peek() === '[') return parseList(scanner, field);
  if (scanner.peek() === '~') return parseContained(scanner, field);
  const comparison = COMPARISONS.find((sign) => scanner.isAt(sign));
  if (comparison !== undefined) return parseComparison(scanner, field, comparison);
  const isQuoted = scanner.peek() === '"';
  const value = scanner.scanValue();
  if (value === undefined) throw missingValue(field, start);
  return parseOne({ field, value, isQuoted, start });
}

function parseList(scanner: QueryScanner, field: QueryField): QueryNode {
  const open = scanner.index;
  scanner.accept('[');
  const nodes: QueryNode[] = [];
  do {
    scanner.skipSpace();
    const start = scanner.index;
    const isQuoted = scanner.peek() === '"';
    const value = scanner.scanListValue();
    if (value === undefined) throw new QueryFault(start, `expected a value of ${field.name}, for example [a, "b c"].`);
    nodes.push(parseOne({ field, value, isQuoted, start }));
    scanner.skipSpace();
  } while (scanner.accept(','));
  if (!scanner.accept(']')) {
    throw new QueryFault(open, '"[" is not closed; separate the values by commas and add "]", or put it in quotes.');
  }
  const [only] = nodes;
  return only !== undefined && nodes.length === 1 ? only : { kind: 'or', nodes };
}

function parseContained(scanner: QueryScanner, field: QueryField): FieldNode {
  const start = scanner.index;
  if (field.kind === 'time' || field.kind === 'flag') {
    throw new QueryFault(start, `${field.name} cannot be searched with ~; ${expected(field)}.`);
  }
  scanner.accept('~');
  const value = scanner.scanValue();
  if (value === undefined) throw missingValue(field, scanner.index);
  return { kind: 'field', field, test: { kind: 'pattern', pattern: anywhereInText(value) } };
}

function parseComparison(scanner: QueryScanner, field: QueryField, sign: (typeof COMPARISONS)[number]): FieldNode {
  const start = scanner.index;
  if (RANGE_FORMS[field.kind] === undefined) {
    throw new QueryFault(
      start,
      `values of ${field.name} cannot be compared with ${sign}; put it in quotes to search for it.`,
    );
  }
  scanner.skip(sign.length);
  const valueStart = scanner.index;
  const value = scanner.scanValue();
  const test = value && parseRange(field, sign, value.join('*'));
  if (test === undefined || test === 'empty')
    throw new QueryFault(valueStart, `after ${field.name}:${sign} ${expected(field)}.`);
  return { kind: 'field', field, test };
}

interface Written {
  readonly field: QueryField;
  readonly value: TextPattern;
  readonly isQuoted: boolean;
  readonly start: number;
}

function parseOne({ field, value, isQuoted, start }: Written): FieldNode {
  const text = value.join('*');
  if (field.kind === 'flag')
    return { kind: 'field', field, test: { kind: 'flag', flag: choiceIn(field, text, start) } };
  if (field.kind === 'choice' && value.length === 1) choiceIn(field, text, start);
  const isAnything = value.length > 1 && value.every((part) => part === '');
  // A quoted value is text, except in a time field.
  const isText = isAnything || (isQuoted && field.kind !== 'time');
  const test = isText ? undefined : (parseTwoEnds(field, text, start) ?? parseExact(field, text));
  if (test !== undefined) return { kind: 'field', field, test };
  const isNumberOnly = field.kind === 'number' && !isQuoted && value.length === 1;
  if (!isAnything && (field.kind === 'time' || isNumberOnly)) {
    throw new QueryFault(start, `"${text}" is not a value of ${field.name}; ${expected(field)}.`);
  }
  const isExact = isQuoted && field.kind === 'level';
  return { kind: 'field', field, test: { kind: 'pattern', pattern: wholeText(value), ...(isExact && { isExact }) } };
}

function parseTwoEnds(field: QueryField, text: string, start: number): FieldNode['test'] | undefined {
  if (!text.includes(RANGE_SIGN) || RANGE_FORMS[field.kind] === undefined) return undefined;
  const range = parseRange(field, RANGE_SIGN, text);
  if (range === 'empty') throw new QueryFault(start, `"${text}" is empty; write the lower end of a range first.`);
  return range;
}

function choiceIn(field: QueryField, text: string, start: number): string {
  const choice = text.toLowerCase();
  const values = field.values ?? [];
  if (values.includes(choice)) return choice;
  throw new QueryFault(
    start,
    `"${text}" is not a value of ${field.name}.${suggestion(choice, values)} Values are ${values.join(', ')}.`,
  );
}

function missingValue({ name, kind }: QueryField, start: number): QueryFault {
  return new QueryFault(start, `expected a value after "${name}:", for example ${name}:${EXAMPLES[kind]}.`);
}

function expected({ kind }: QueryField): string {
  return `expected ${RANGE_FORMS[kind] ?? 'a name'}`;
}

const EXAMPLES: Readonly<Record<QueryField['kind'], string>> = {
  text: '"some text"',
  mixed: '"some text"',
  number: '>100',
  time: '<24h',
  version: '>=1.4.0',
  level: '>=warn',
  choice: '"some text"',
  flag: 'open',
};

/** Parses a comparison or a range with two ends; undefined if it is malformed, `empty` if it contains no value. */
function parseRange(
  field: QueryField,
  sign: Comparison | typeof RANGE_SIGN,
  text: string,
): ValueTest | 'empty' | undefined {
  switch (field.kind) {
    case 'number':
    case 'mixed':
    case 'level': {
      const parse = field.kind === 'level' ? (end: string) => levelSeverity(end) || undefined : parseNumber;
      const bounds = parseBounds(sign, text, parse, (low, high) => low - high);
      return typeof bounds === 'object' ? { kind: 'numbers', ...bounds } : bounds;
    }
    case 'version': {
      const bounds = parseBounds(sign, text, parseVersion, (low, high) =>
        compareReleaseVersions(low.version, high.version),
      );
      return typeof bounds === 'object' ? { kind: 'versions', ...bounds } : bounds;
    }
    case 'time':
      return sign === RANGE_SIGN ? timesBetween(text) : timesCompared(sign, text);
    default:
      return undefined;
  }
}

/** Parses a single number or time; undefined for other fields and malformed values. */
function parseExact(field: QueryField, text: string): ValueTest | undefined {
  const value = field.kind === 'number' ? parseNumber(text) : undefined;
  if (value !== undefined) {
    const bound = { value, isOpen: false };
    return { kind: 'numbers', low: bound, high: bound };
  }
  const time = field.kind === 'time' ? parseWrittenTime(text) : undefined;
  return time && { kind: 'times', from: at(time.fromMs), to: at(time.toMs) };
}

/** Adding 0 turns -0 into 0. */
function parseNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) + 0 : undefined;
}

function parseVersion(text: string): WrittenVersion | undefined {
  const version = parseReleaseVersion(text);
  return version && { text, version };
}

function parseBounds<Value>(
  sign: Comparison | typeof RANGE_SIGN,
  text: string,
  parse: (end: string) => Value | undefined,
  compare: (low: Value, high: Value) => number,
): { low: Bound<Value> | null; high: Bound<Value> | null } | 'empty' | undefined {
  if (sign === RANGE_SIGN) {
    const ends = endsOf(text);
    const low = ends && parseEnd(ends[0], parse);
    const high = ends && parseEnd(ends[1], parse);
    if (low === undefined || high === undefined || (low === null && high === null)) return undefined;
    if (low !== null && high !== null && compare(low.value, high.value) > 0) return 'empty';
    return { low: low && { ...low, isOpen: false }, high: high && { ...high, isOpen: false } };
  }
  const value = parse(text);
  if (value === undefined) return undefined;
  const bound = { value, isOpen: !sign.endsWith('=') };
  return sign.startsWith('>') ? { low: bound, high: null } : { low: null, high: bound };
}

/** Null for an open end, undefined for a malformed one. */
function parseEnd<Value>(text: string, parse: (end: string) => Value | undefined): { value: Value } | null | undefined {
  if (text === '*') return null;
  const value = parse(text);
  return value === undefined ? undefined : { value };
}

function endsOf(text: string): [string, string] | undefined {
  const at = text.indexOf(RANGE_SIGN);
  return at < 0 ? undefined : [text.slice(0, at), text.slice(at + RANGE_SIGN.length)];
}

/** `<24h` means later than 24 hours ago; `>` of a date means after its end. */
function timesCompared(sign: Comparison, text: string): ValueTest | undefined {
  const ago = parseTimeAgo(text);
  if (ago !== undefined) return timesFrom(sign.startsWith('<'), { kind: 'ago', ms: ago });
  const time = parseWrittenTime(text);
  return time && timesFrom(sign.startsWith('>'), at(sign === '>' || sign === '<=' ? time.toMs : time.fromMs));
}

function timesFrom(isStart: boolean, point: TimePoint): ValueTest {
  return { kind: 'times', from: isStart ? point : null, to: isStart ? null : point };
}

/** Both ends are included; two times ago may come in either order. */
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
