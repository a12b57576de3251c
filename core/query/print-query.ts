import { levelName } from '../event/level.js';
import type { Bound, FieldNode, QueryNode, ValueTest } from './query-ast.js';
import { type FieldKind, KEY_PREFIXES } from './query-fields.js';
import type { TextPattern } from './text-pattern.js';
import type { TimePoint } from './time-point.js';

/** Values that need no quotes in text fields. */
const BARE = /^[\p{L}\p{N}_.@/+*-]+$/u;
const BARE_KEY = /^[^\s":]+$/u;
const BARE_KINDS: readonly FieldKind[] = ['text', 'mixed', 'version', 'level', 'choice'];

/** Prints a query as text that parses to the same query. */
export function printQuery(query: QueryNode): string {
  switch (query.kind) {
    case 'and':
      return query.nodes.map((node) => (isGroup(node) ? inParentheses(node) : printQuery(node))).join(' ');
    case 'or':
      return query.nodes.map((node) => (node.kind === 'or' ? inParentheses(node) : printQuery(node))).join(' OR ');
    case 'not':
      return `NOT ${isGroup(query.node) ? inParentheses(query.node) : printQuery(query.node)}`;
    case 'text': {
      const text = query.pattern.slice(1, -1).join('*');
      const isBare = BARE.test(text) && !text.startsWith('-') && hasNoStar(query.pattern);
      return isBare ? text : quotePattern(query.pattern.slice(1, -1));
    }
    case 'field':
      return `${printFieldName(query.field.name)}:${printTest(query)}`;
  }
}

/** A field name in query syntax. */
export function printFieldName(name: string): string {
  const prefix = KEY_PREFIXES.find((begin) => name.startsWith(begin)) ?? '';
  const key = name.slice(prefix.length);
  return prefix === '' || BARE_KEY.test(key) ? name : prefix + quotePattern([key]);
}

/** A text as a literal value, quoted if necessary. */
export function printValue(text: string, kind: FieldKind): string {
  const isBare = BARE.test(text) && !text.includes('*') && !text.includes('..');
  return isBare && kind !== 'number' && kind !== 'time' ? text : quotePattern([text]);
}

function printTest({ field, test }: FieldNode): string {
  switch (test.kind) {
    case 'pattern':
      return test.isExact ? quotePattern(test.pattern) : printPattern(test.pattern, field.kind);
    case 'flag':
      return test.flag;
    case 'numbers':
      return printRange(test, field.kind === 'level' ? levelName : String);
    case 'versions':
      return printRange(test, ({ text }) => text);
    case 'times':
      return printTimes(test);
  }
}

/** A pattern as a value, quoted if necessary. */
export function printPattern(pattern: TextPattern, kind: FieldKind): string {
  const text = pattern.join('*');
  if (pattern.length > 1 && pattern.every((part) => part === '')) return text;
  const isBare = BARE_KINDS.includes(kind) && BARE.test(text) && !text.includes('..') && hasNoStar(pattern);
  return isBare ? text : quotePattern(pattern);
}

function printRange<Value>(
  { low, high }: { low: Bound<Value> | null; high: Bound<Value> | null },
  print: (value: Value) => string,
): string {
  if (low !== null && high !== null) return `${print(low.value)}..${print(high.value)}`;
  if (low !== null) return `${low.isOpen ? '>' : '>='}${print(low.value)}`;
  return high === null ? '*' : `${high.isOpen ? '<' : '<='}${print(high.value)}`;
}

/** Fixed times are printed to the millisecond. */
function printTimes({ from, to }: Extract<ValueTest, { kind: 'times' }>): string {
  if (from !== null && to !== null) return `${printTime(from)}..${printTime(to.kind === 'at' ? lastBefore(to) : to)}`;
  if (from !== null) return from.kind === 'ago' ? `<${printTime(from)}` : `>=${printTime(from)}`;
  if (to !== null) return to.kind === 'ago' ? `>${printTime(to)}` : `<=${printTime(lastBefore(to))}`;
  return '*';
}

function lastBefore({ ms }: { ms: number }): TimePoint {
  return { kind: 'at', ms: ms - 1 };
}

function printTime({ kind, ms }: TimePoint): string {
  return kind === 'ago' ? `${ms / 1000}s` : new Date(ms).toISOString();
}

function quotePattern(parts: readonly string[]): string {
  return `"${parts.map((part) => part.replaceAll(/["\\*]/g, String.raw`\$&`)).join('*')}"`;
}

function hasNoStar(parts: readonly string[]): boolean {
  return parts.every((part) => !part.includes('*'));
}

function isGroup({ kind }: QueryNode): boolean {
  return kind === 'and' || kind === 'or';
}

function inParentheses(node: QueryNode): string {
  return `(${printQuery(node)})`;
}
