import type { FieldNode, QueryNode } from './query-ast.js';
import { QueryFault } from './query-fault.js';
import type { QueryField } from './query-fields.js';
import type { QueryScanner } from './query-scanner.js';
import { suggestion } from './suggestion.js';
import { anywhereInText, type TextPattern, wholeText } from './text-pattern.js';
import { COMPARISONS, RANGE_FORMS, RANGE_SIGN, readExact, readRange } from './value-range.js';

/** Reads what follows `name:`, which is at its first character; what is between brackets becomes an `or`. Throws `QUERY_INVALID`. */
export function parseFieldValue(scanner: QueryScanner, field: QueryField): QueryNode {
  const start = scanner.index;
  if (scanner.peek() === '[') return parseList(scanner, field);
  if (scanner.peek() === '~') return parseContained(scanner, field);
  const comparison = COMPARISONS.find((sign) => scanner.sees(sign));
  if (comparison !== undefined) return parseComparison(scanner, field, comparison);
  const isQuoted = scanner.peek() === '"';
  const value = scanner.takeValue();
  if (value === undefined) throw missingValue(field, start);
  return parseOne({ field, value, isQuoted, start });
}

function parseList(scanner: QueryScanner, field: QueryField): QueryNode {
  const open = scanner.index;
  scanner.take('[');
  const nodes: QueryNode[] = [];
  do {
    scanner.skipSpace();
    const start = scanner.index;
    const isQuoted = scanner.peek() === '"';
    const value = scanner.takeMember();
    if (value === undefined) throw new QueryFault(start, `expected a value of ${field.name}, for example [a, "b c"].`);
    nodes.push(parseOne({ field, value, isQuoted, start }));
    scanner.skipSpace();
  } while (scanner.take(','));
  if (!scanner.take(']')) {
    throw new QueryFault(open, 'this "[" is never closed; part the values by commas and add "]", or put it in quotes.');
  }
  const [only] = nodes;
  return only !== undefined && nodes.length === 1 ? only : { kind: 'or', nodes };
}

function parseContained(scanner: QueryScanner, field: QueryField): FieldNode {
  const start = scanner.index;
  if (field.kind === 'time' || field.kind === 'mark') {
    throw new QueryFault(start, `${field.name} has no parts to look for with ~; ${expected(field)}.`);
  }
  scanner.take('~');
  const value = scanner.takeValue();
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
  const value = scanner.takeValue();
  const test = value && readRange(field, sign, value.join('*'));
  if (test === undefined) throw new QueryFault(valueStart, `after ${field.name}:${sign} ${expected(field)}.`);
  return { kind: 'field', field, test };
}

/** A value as it was written. */
interface Written {
  readonly field: QueryField;
  readonly value: TextPattern;
  readonly isQuoted: boolean;
  readonly start: number;
}

function parseOne({ field, value, isQuoted, start }: Written): FieldNode {
  const text = value.join('*');
  if (field.kind === 'mark')
    return { kind: 'field', field, test: { kind: 'mark', mark: choiceIn(field, text, start) } };
  if (field.kind === 'choice' && value.length === 1) choiceIn(field, text, start);
  const isAnything = value.length > 1 && value.every((part) => part === '');
  // What is quoted is text, except of a field that has none.
  const isText = isAnything || (isQuoted && field.kind !== 'time');
  const test = isText ? undefined : (readDotted(field, text, start) ?? readExact(field, text));
  if (test !== undefined) return { kind: 'field', field, test };
  const isNumberOnly = field.kind === 'number' && !isQuoted && value.length === 1;
  if (!isAnything && (field.kind === 'time' || isNumberOnly)) {
    throw new QueryFault(start, `"${text}" is no value of ${field.name}; ${expected(field)}.`);
  }
  return { kind: 'field', field, test: { kind: 'pattern', pattern: wholeText(value) } };
}

/** A range that is written with two ends; undefined for a value that is none. */
function readDotted(field: QueryField, text: string, start: number): FieldNode['test'] | undefined {
  if (!text.includes(RANGE_SIGN) || RANGE_FORMS[field.kind] === undefined) return undefined;
  const range = readRange(field, RANGE_SIGN, text);
  if (range === 'empty') {
    throw new QueryFault(start, `nothing lies in "${text}"; write the lesser end of a range first.`);
  }
  return range;
}

function choiceIn(field: QueryField, text: string, start: number): string {
  const choice = text.toLowerCase();
  const values = field.values ?? [];
  if (values.includes(choice)) return choice;
  throw new QueryFault(
    start,
    `"${text}" is no value of ${field.name}.${suggestion(choice, values)} Values are ${values.join(', ')}.`,
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
  choice: '"some text"',
  mark: 'open',
};
