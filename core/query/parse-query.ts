import { parseFieldValue } from './parse-value.js';
import type { QueryNode } from './query-ast.js';
import { QueryFault } from './query-fault.js';
import { findQueryField, isFieldOf, type QueryField, type QuerySubject, queryFieldNames } from './query-fields.js';
import { QueryScanner } from './query-scanner.js';
import { suggestion } from './suggestion.js';
import { anywhereInText } from './text-pattern.js';

/** UTF-16 units. */
export const MAX_QUERY_LENGTH = 4096;
const MAX_DEPTH = 32;
const OPERATORS = ['OR', 'AND', 'NOT'];

/** Parses a query in linear time; blank text matches everything. Throws a `QueryFault` (`QUERY_INVALID`) with the column. */
export function parseQuery(text: string, subject: QuerySubject): QueryNode {
  if (text.length > MAX_QUERY_LENGTH) {
    throw new QueryFault(MAX_QUERY_LENGTH, `the query is longer than ${MAX_QUERY_LENGTH} characters; use fewer words.`);
  }
  const scanner = new QueryScanner(text);
  scanner.skipSpace();
  if (scanner.atEnd()) return { kind: 'and', nodes: [] };
  const query = parseAlternatives(scanner, subject, 0);
  if (!scanner.atEnd()) throw new QueryFault(scanner.index, '")" without "("; put it in quotes to search for it.');
  return query;
}

function parseAlternatives(scanner: QueryScanner, subject: QuerySubject, depth: number): QueryNode {
  const nodes = [parseTerms(scanner, subject, depth)];
  while (scanner.acceptWord('OR')) nodes.push(parseTerms(scanner, subject, depth));
  return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: 'or', nodes };
}

function parseTerms(scanner: QueryScanner, subject: QuerySubject, depth: number): QueryNode {
  const nodes = [parseTerm(scanner, subject, depth)];
  for (;;) {
    const explicit = scanner.acceptWord('AND');
    if (!explicit && (scanner.atEnd() || scanner.peek() === ')' || scanner.isAtWord('OR'))) break;
    nodes.push(parseTerm(scanner, subject, depth));
  }
  return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: 'and', nodes };
}

function parseTerm(scanner: QueryScanner, subject: QuerySubject, depth: number): QueryNode {
  if (depth > MAX_DEPTH) throw new QueryFault(scanner.index, `more than ${MAX_DEPTH} levels of parentheses and NOT.`);
  if (scanner.acceptWord('NOT') || scanner.acceptMinus()) {
    return { kind: 'not', node: parseTerm(scanner, subject, depth + 1) };
  }
  const start = scanner.index;
  const operator = OPERATORS.find((word) => scanner.isAtWord(word));
  if (operator !== undefined) {
    throw new QueryFault(start, `expected a term before ${operator}; put it in quotes to search for the word.`);
  }
  if (scanner.accept('(')) {
    scanner.skipSpace();
    const inner = parseAlternatives(scanner, subject, depth + 1);
    if (!scanner.accept(')')) throw new QueryFault(start, '"(" is not closed; add ")" or put it in quotes.');
    scanner.skipSpace();
    return inner;
  }
  if (scanner.atEnd() || scanner.peek() === ')') {
    throw new QueryFault(start, 'a term is missing here');
  }
  const node = parseField(scanner, subject) ?? parseText(scanner);
  scanner.skipSpace();
  return node;
}

function parseField(scanner: QueryScanner, subject: QuerySubject): QueryNode | undefined {
  const start = scanner.index;
  const name = scanner.scanFieldName();
  return name === undefined ? undefined : parseFieldValue(scanner, fieldOf(name, subject, start));
}

function parseText(scanner: QueryScanner): QueryNode {
  const start = scanner.index;
  const value = scanner.scanValue();
  if (value === undefined) throw new QueryFault(start, 'a term is missing here');
  return { kind: 'text', pattern: anywhereInText(value) };
}

function fieldOf(name: string, subject: QuerySubject, start: number): QueryField {
  const field = findQueryField(name);
  if (field !== undefined && isFieldOf(field, subject)) return field;
  const names = queryFieldNames(subject);
  const fieldList = `Fields are ${names.join(', ')}.`;
  if (field !== undefined) throw new QueryFault(start, `"${name}" is a field of ${ownersOf(field)}. ${fieldList}`);
  throw new QueryFault(
    start,
    `unknown field "${name}".${suggestion(name, names)} ${fieldList} To search for text with a colon, put it in quotes.`,
  );
}

function ownersOf(field: QueryField): string {
  return field.ofIssue === undefined
    ? 'events; queries for other subjects cannot use it'
    : 'issues; queries for payloads cannot use it';
}
