import type { FieldNode, QueryNode } from './query-ast.js';
import { QueryFault } from './query-fault.js';
import type { QueryField } from './query-fields.js';
import type { QueryScanner } from './query-scanner.js';
import { suggestion } from './suggestion.js';
import { anywhereInText, type TextPattern, wholeText } from './text-pattern.js';
import { COMPARISONS, parseExact, parseRange, RANGE_FORMS, RANGE_SIGN } from './value-range.js';

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
  if (test === undefined) throw new QueryFault(valueStart, `after ${field.name}:${sign} ${expected(field)}.`);
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
