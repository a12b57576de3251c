import type { EventId, IssueId } from '../event/ids.js';
import type { JsonValue } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';
import type { Fingerprint } from '../fingerprint/fingerprint.js';
import { printValue } from '../query/print-query.js';

/** An event of a comparison, with its current grouping. */
export interface GroupedExample {
  /** The requested id, of an event or an issue. */
  readonly id: string;
  readonly eventId: EventId;
  /** The issue that contains it, after merges. */
  readonly issueId: IssueId;
  readonly payload: RawPayload;
  readonly fingerprint: Fingerprint;
}

/** Returns the value of a part of a basis, used or not; undefined if the part does not exist. */
export function basisValue({ basis }: Fingerprint, name: string): JsonValue | undefined {
  return basis.parts.find(({ part }) => part === name)?.value;
}

/** Longer values are left out of queries. */
const MAX_VALUE = 200;
const PLACEHOLDER = /<[a-z]{1,10}>/;

/** Queries that match both events: by service and error names, then by service alone. */
export function queriesFor(a: GroupedExample, b: GroupedExample): string[] {
  const service = term('service', a.payload.service);
  const types = [typeTerm(a.payload), typeTerm(b.payload)];
  return distinct([joined([service, eitherOf(types)]), joined([service])]);
}

/** A narrow query for both events, by type and the fixed text of their messages; undefined without fixed text. */
export function narrowQuery(a: GroupedExample, b: GroupedExample): string | undefined {
  const service = term('service', a.payload.service);
  const [type, other] = [typeTerm(a.payload), typeTerm(b.payload)];
  const messages = [messageTerm(a), messageTerm(b)];
  if (messages.includes('')) return undefined;
  if (type === other) return joined([service, type, eitherOf(messages)]);
  return joined([service, eitherOf([a, b].map((one) => joined([typeTerm(one.payload), messageTerm(one)])))]);
}

function typeTerm({ error_name: errorName }: RawPayload): string {
  return term('error_name', errorName);
}

function term(field: string, value: string): string {
  return value === '' || value.length > MAX_VALUE ? '' : `${field}:${printValue(value, 'text')}`;
}

/** Placeholders and further lines match any text. */
function messageTerm({ payload, fingerprint }: GroupedExample): string {
  const parameterized = basisValue(fingerprint, 'message');
  if (typeof parameterized !== 'string' || payload.message.trim() === '') return '';
  const [line = ''] = parameterized.split('\n');
  const pieces = line.slice(0, MAX_VALUE).split(PLACEHOLDER);
  if (pieces.every((piece) => piece.trim() === '')) return '';
  const text = pieces.map((piece) => piece.replaceAll(/["\\*]/g, String.raw`\$&`)).join('*');
  const isWhole = line.length <= MAX_VALUE && !payload.message.includes('\n');
  return `message:"${text}${isWhole ? '' : '*'}"`;
}

/** Empty if a term is empty, because the query could not match that event. */
function eitherOf(terms: readonly string[]): string {
  if (terms.includes('')) return '';
  const all = distinct(terms);
  const [only = ''] = all;
  if (all.length < 2) return only;
  return `(${all.map((one) => (isPlainTerm(one) ? one : `(${one})`)).join(' OR ')})`;
}

function isPlainTerm(text: string): boolean {
  return /^[a-z_]+:(?:[^" ]+|"(?:[^"\\]|\\.)*")$/s.test(text);
}

function joined(terms: readonly string[]): string {
  return terms.filter((one) => one !== '').join(' ');
}

function distinct(terms: readonly string[]): string[] {
  return [...new Set(terms)];
}
