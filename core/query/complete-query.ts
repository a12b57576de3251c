import { MAX_QUERY_LENGTH } from './parse-query.js';
import { printFieldName, printValue } from './print-query.js';
import {
  findQueryField,
  isFieldOf,
  KEY_PREFIXES,
  type QueryField,
  type QuerySubject,
  queryFieldNames,
} from './query-fields.js';

/** A text that completes a query. */
export interface QueryCandidate {
  /** Query text that replaces the range. */
  readonly text: string;
  readonly kind: 'field' | 'operator' | 'value';
}

/** Candidates for the range `from` to `to` (exclusive), in UTF-16 units. */
export interface QueryCompletion {
  readonly from: number;
  readonly to: number;
  /** At most 50; candidates that begin with the typed text come first. */
  readonly candidates: readonly QueryCandidate[];
}

/** Known values and keys; the lists may be empty. */
export interface KnownValues {
  /** Values of a field, the likely ones first. */
  valuesOf(field: string): readonly string[];
  /** Keys of `tags.` or `extra.`. */
  keysOf(prefix: string): readonly string[];
}

const MAX_CANDIDATES = 50;
const WORDS: readonly QueryCandidate[] = ['AND', 'OR', 'NOT'].map((text) => ({ text, kind: 'operator' }));
/** Signs that may begin a value. */
const SIGNS: Readonly<Partial<Record<QueryField['kind'], readonly string[]>>> = {
  text: ['~', '['],
  number: ['>', '>=', '<', '<='],
  version: ['>', '>=', '<', '<=', '~', '['],
  level: ['>=warn'],
  time: ['<24h', '<7d', '>7d', '>30d'],
};
const VALUE_SIGN = /^(?:>=|<=|>|<|~)/;
const FIELD_START = /^[-(]+/;

/** Returns the candidates at a cursor of an incomplete query. Never throws; linear in the text and the known values. */
export function completeQuery(
  text: string,
  cursor: number,
  subject: QuerySubject,
  known: KnownValues,
): QueryCompletion {
  const at = Math.min(Math.max(Math.trunc(cursor) || 0, 0), text.length);
  if (text.length > MAX_QUERY_LENGTH) return { from: at, to: at, candidates: [] };
  const term = termAt(text, at);
  if (term.colon === undefined) return completeField(text, term, at, subject, known);
  const field = findQueryField(term.name);
  if (field === undefined || !isFieldOf(field, subject)) return { from: at, to: at, candidates: [] };
  return completeValue(text, { field, start: term.colon + 1, end: term.end }, at, known);
}

/** Quoted texts and lists, which hold no border of terms, and single characters. */
const PIECE = /"(?:[^"\\]|\\.)*"?|:\[(?:"(?:[^"\\]|\\.)*"?|[^\]"])*\]?|./gs;

interface TermAtCursor {
  readonly start: number;
  readonly end: number;
  /** The text before the colon, as it is without quotes. */
  readonly name: string;
  /** Index of the colon, if it is before the cursor. */
  readonly colon: number | undefined;
}

function termAt(text: string, cursor: number): TermAtCursor {
  let start = 0;
  let colon: number | undefined;
  let end = text.length;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (isBorder(piece)) {
      if (index >= cursor) {
        end = index;
        break;
      }
      start = index + 1;
      colon = undefined;
    } else if (piece.startsWith(':') && index < cursor) colon ??= index;
  }
  const written = text.slice(start, colon ?? cursor);
  const signs = FIELD_START.exec(written)?.[0].length ?? 0;
  return { start: start + signs, end, name: unquotedName(written.slice(signs)), colon };
}

function isBorder(piece: string): boolean {
  return piece === ')' || piece.trim() === '';
}

function unquotedName(name: string): string {
  const prefix = KEY_PREFIXES.find((begin) => name.startsWith(`${begin}"`));
  return prefix === undefined ? name : prefix + name.slice(prefix.length + 1).replace(/"$/, '');
}

function completeField(
  text: string,
  { start, end }: TermAtCursor,
  cursor: number,
  subject: QuerySubject,
  known: KnownValues,
): QueryCompletion {
  const written = unquotedName(text.slice(start, cursor));
  const names = queryFieldNames(subject).flatMap((name) => {
    const prefix = KEY_PREFIXES.find((begin) => name.startsWith(begin));
    return prefix === undefined ? [name] : known.keysOf(prefix).map((key) => prefix + key);
  });
  const fields = names.map((name): QueryCandidate => ({ text: `${printFieldName(name)}:`, kind: 'field' }));
  const words = start === 0 ? [] : WORDS;
  const candidates = ranked([...fields, ...words], written, ({ text: name }) => unquotedName(name.replace(/:$/, '')));
  // An existing value after the colon stays.
  const colon = text.slice(cursor, end).indexOf(':');
  return { from: start, to: colon < 0 ? end : cursor + colon + 1, candidates };
}

function completeValue(
  text: string,
  { field, start, end }: { field: QueryField; start: number; end: number },
  cursor: number,
  known: KnownValues,
): QueryCompletion {
  let from = start;
  let to = end;
  const list = text.charAt(start) === '[' && cursor > start;
  if (list) {
    from = Math.max(text.lastIndexOf(',', cursor - 1), start) + 1;
    while (from < cursor && text.charAt(from) === ' ') from += 1;
    const closing = text.slice(cursor, end).search(/[,\]\s]/);
    to = closing < 0 ? end : cursor + closing;
  } else {
    from += VALUE_SIGN.exec(text.slice(start, cursor))?.[0].length ?? 0;
  }
  const written = text.slice(from, cursor).replace(/^"/, '');
  const values = (field.values ?? known.valuesOf(field.name)).map(
    (value): QueryCandidate => ({ text: printValue(value, field.kind), kind: 'value' }),
  );
  const signs = list || written !== '' || from !== start ? [] : (SIGNS[field.kind] ?? []);
  const operators = signs.map((sign): QueryCandidate => ({ text: sign, kind: 'operator' }));
  const matching = ranked(values, written, ({ text: value }) => value.replace(/^"/, ''));
  return { from, to, candidates: [...matching, ...operators].slice(0, MAX_CANDIDATES) };
}

/** Candidates that contain the written text; those that begin with it come first. */
function ranked(
  candidates: readonly QueryCandidate[],
  written: string,
  textOf: (candidate: QueryCandidate) => string,
): QueryCandidate[] {
  const sought = written.toLowerCase();
  const places = candidates.map((candidate) => ({ candidate, at: textOf(candidate).toLowerCase().indexOf(sought) }));
  const first = places.filter(({ at }) => at === 0);
  const others = places.filter(({ at }) => at > 0);
  return [...first, ...others].slice(0, MAX_CANDIDATES).map(({ candidate }) => candidate);
}
