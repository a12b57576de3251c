import { levelSeverity } from '../../../core/event/level.js';
import { findQueryField, isListed, type QuerySubject } from '../../../core/query/query-fields.js';
import { similarWord } from '../../../core/query/suggestion.js';
import { queryProblem } from '../../overlays/query-prompt.js';
import type { PromptProblem } from '../../state/overlay.js';

/** What the text of a filter means while it is typed. */
export type FilterDraft =
  | { readonly kind: 'query'; readonly query: string }
  /** `missing` says what would complete it, `shown` which part of it is listed. */
  | { readonly kind: 'unfinished'; readonly query: string; readonly missing: string; readonly shown: string }
  | ({ readonly kind: 'mistake' } & PromptProblem)
  /** The values of a field are not known yet. */
  | { readonly kind: 'waiting' };

/** Values of a field that were read; undefined: not yet. */
export type ReadValues = (field: string) => readonly string[] | undefined;

/** Fields with few values, of which an unknown one is a mistake. */
const FEW_VALUED: readonly string[] = ['level', 'service', 'env', 'environment', 'environments', 'assignee'];

/** If a field has as many values, an unknown one may be among those that were not read. */
export const MAX_FEW_VALUES = 200;

/** A term with a plain value: neither quoted, nor a list, a comparison or a pattern. */
interface PlainTerm {
  readonly name: string;
  readonly value: string;
  readonly at: number;
  readonly end: number;
}

/** A quoted text, or a term with a plain value. */
const QUOTED_OR_TERM = /"(?:\\.|[^"\\])*"?|(?<![^\s(-])([a-z_]+):([^\s"()[\]*~<>=]+)(?=[\s)]|$)/g;

/** Level names as lists show them; queries understand them. */
export function shownValue(field: string, value: string): string {
  if (field !== 'level') return value;
  return value === 'warning' ? 'warn' : value === 'critical' ? 'crit' : value;
}

/** Reads a filter at a cursor: the value before the cursor matches as a beginning. Events have more values than were read, so that none is a mistake. */
export function readDraft(text: string, cursor: number, subject: QuerySubject, valuesOf: ReadValues): FilterDraft {
  let query = '';
  let copied = 0;
  let isWaiting = false;
  for (const { name, value, at, end } of plainTerms(text)) {
    const known = subject === 'issues' && FEW_VALUED.includes(name) ? valuesOf(name) : [];
    isWaiting ||= known === undefined;
    const isTyped = end === cursor;
    const mistake = unknownValue(name, value, known ?? [], isTyped);
    if (mistake !== undefined) return { kind: 'mistake', reason: mistake, column: at + 1 };
    if (!isTyped) continue;
    query += text.slice(copied, at) + beginning(name, value);
    copied = end;
  }
  const draft = parsed(query + text.slice(copied), subject);
  return isWaiting && draft.kind !== 'mistake' ? { kind: 'waiting' } : draft;
}

/** The filter to keep: a value that exists, else the beginning with its `*`. */
export function acceptedQuery(text: string, cursor: number, subject: QuerySubject, valuesOf: ReadValues): string {
  const term = plainTerms(text).find(({ end }) => end === cursor);
  const isKnown = term !== undefined && valuesOf(term.name)?.some((value) => isSame(term.name, value, term.value));
  const draft = readDraft(text, isKnown === true ? -1 : cursor, subject, valuesOf);
  return draft.kind === 'query' || draft.kind === 'unfinished' ? draft.query : text;
}

function plainTerms(text: string): PlainTerm[] {
  return [...text.matchAll(QUOTED_OR_TERM)].flatMap(({ 0: { length }, 1: name, 2: value, index }) => {
    if (name === undefined || value === undefined || findQueryField(name) === undefined) return [];
    return [{ name, value, at: index + name.length + 1, end: index + length }];
  });
}

function isSame(field: string, known: string, value: string): boolean {
  const written = value.toLowerCase();
  return known.toLowerCase() === written || shownValue(field, known.toLowerCase()) === written;
}

function unknownValue(field: string, value: string, known: readonly string[], isTyped: boolean): string | undefined {
  if (!FEW_VALUED.includes(field) || value.includes('..')) return undefined;
  const written = value.toLowerCase();
  const isKnown = (one: string): boolean =>
    isSame(field, one, value) || (isTyped && one.toLowerCase().startsWith(written));
  const isPartial = known.length === 0 || known.length >= MAX_FEW_VALUES;
  if (isPartial || known.some(isKnown) || (field === 'level' && levelSeverity(value) > 0)) return undefined;
  const shown = known.map((one) => shownValue(field, one));
  const similar = similarWord(written, shown);
  const listed = shown.slice(0, 5).join(', ');
  return `no ${field} "${value}" here; ${similar === undefined ? `known are ${listed}` : `did you mean ${similar}?`}`;
}

function beginning(name: string, value: string): string {
  const { kind, values = [] } = findQueryField(name) ?? {};
  if (kind === 'flag' || kind === 'choice') {
    const begun = values.filter((one) => one.startsWith(value.toLowerCase()));
    if (begun.length === 0 || begun.includes(value.toLowerCase())) return value;
    return begun.length === 1 ? (begun[0] ?? value) : `[${begun.join(', ')}]`;
  }
  const isName = name === 'level' && levelSeverity(value) > 0;
  const isBegun = ['text', 'version', 'level', 'mixed'].includes(kind ?? '') && !value.includes('..') && !isName;
  return isBegun ? `${value}*` : value;
}

function parsed(text: string, subject: QuerySubject): FilterDraft {
  const problem = queryProblem(text, subject);
  if (problem === undefined) return { kind: 'query', query: text };
  return unfinished(text, subject) ?? { kind: 'mistake', ...problem };
}

/** What the end of an unfinished query may be: an operator, an open group, or a field without its value. */
const OPEN_END = /(?:^|[\s(]+|(?<=[(-]))(?:AND|OR|NOT|-|\(|-?[a-z_]+:(?:[~<>]=?)?)$/;

/** The beginning of a text that is a query once its groups are closed; undefined if there is more wrong than its end. */
function unfinished(text: string, subject: QuerySubject): FilterDraft | undefined {
  let begin = text.trimEnd();
  while (OPEN_END.test(begin)) begin = begin.replace(OPEN_END, '').trimEnd();
  const isCut = begin !== text.trimEnd();
  const closing = closingOf(begin);
  if ((!isCut && closing === '') || queryProblem(begin + closing, subject) !== undefined) return undefined;
  const shown = begin.replace(/^\(+/, '') + closing.replace(/\)+$/, '');
  const missing = [isCut && 'a term', closingOf(text) !== '' && `"${closingOf(text)}"`].filter(
    (part) => part !== false,
  );
  return { kind: 'unfinished', query: begin + closing, missing: missing.join(' and '), shown };
}

/** The quote, brackets and parentheses that are open at the end of a text, closed. */
function closingOf(text: string): string {
  let closing = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (!closing.startsWith('"')) closing = closingAfter(closing, character, text.charAt(at - 1));
    else if (character === '\\') at += 1;
    else if (character === '"') closing = closing.slice(1);
  }
  return closing;
}

/** What is open after a character outside of quotes. */
function closingAfter(closing: string, character: string, before: string): string {
  if (character === '"') return `"${closing}`;
  if (character === '(') return `)${closing}`;
  if (character === '[' && before === ':') return `]${closing}`;
  return closing.startsWith(character) ? closing.slice(1) : closing;
}

/** A field whose values are needed: all of a field with few, else those with a beginning. */
export interface NeededValues {
  readonly field: string;
  readonly prefix: string;
}

const FIELD_AT_END = /(?<![^\s(-])([a-z_]+):([^\s"()[\]*~<>=]*)$/;

/** The field whose value is being typed; undefined elsewhere and for fields with fixed values. */
export function typedField(text: string, cursor: number): NeededValues | undefined {
  const [, name = '', written = ''] = FIELD_AT_END.exec(text.slice(0, cursor)) ?? [];
  const field = findQueryField(name);
  if (field === undefined || !isListed(field) || field.kind === 'choice') return undefined;
  return { field: name, prefix: FEW_VALUED.includes(name) ? '' : written };
}

/** The fields whose values are needed to read and complete a filter. */
export function neededValues(text: string, cursor: number): readonly NeededValues[] {
  const typed = typedField(text, cursor);
  const few = plainTerms(text).filter(({ name }) => FEW_VALUED.includes(name) && name !== typed?.field);
  return [...(typed === undefined ? [] : [typed]), ...few.map(({ name }) => ({ field: name, prefix: '' }))];
}
