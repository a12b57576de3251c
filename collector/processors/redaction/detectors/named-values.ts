import { findBareStop, innerValue, isReference, skipOperators, trimClosing } from './bare-values.js';
import { execAt, isAlphanumeric, testAt } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { isPlainValue, looksRandom, looksSecret, SCHEME } from './plain-values.js';
import { protobufValueAt } from './protobuf-values.js';
import { endOfQuoted, findStructureValues, isStructure, quoteAt } from './quotes.js';
import {
  carriedSecretName,
  isFieldName,
  isOtherMeaning,
  MAX_NAME_LENGTH,
  type SecretName,
  secretName,
} from './secret-names.js';
import type { TextSpan } from './value-patterns.js';
import { blockAt, type ValueStart, valueStart } from './value-starts.js';

const HAS_PARAMETERS = /^(?:digest|aws4|hawk|oauth|signature)/i;
const ONLY_SCHEME = /^(?:bearer|basic|token|digest|negotiate|ntlm)$/i;
const PRECEDING_WORD = /(?:api|access|secret|private|auth|signing|encryption|master|account) $/i;
/** `Secret: shop/db not found` names the path of a secret. */
const SECRET_PATH = /^[A-Za-z][\w.-]{0,62}\/[A-Za-z][\w.-]{0,62}$/;
const SAYS_STATE = / (?:not found|does not|is |was |not |already )/y;
/** By the sign before a name, the path whose end it is. */
const IN_PATH: Readonly<Record<string, RegExp>> = {
  '/': /(?:^|[\s"'`(])[.~]{0,2}\/(?:[\w.@-]{1,64}\/){1,8}$/,
  '\\': /(?:^|[\s"'`(])[A-Za-z]:(?:\\{1,8}[\w.@-]{1,64}){1,8}\\{1,8}$/,
};
const IN_RESOURCE_NAME = /(?:^|[^\w])(?:arn|urn):[\w./:-]{1,100}:$/;
/** How far before a name the path or resource name that it ends is searched, UTF-16 units. */
const LONGER_NAME_LENGTH = 128;
/** Nouns that begin what a program says of a secret: `passwd: Authentication token manipulation error`. */
const SUBJECT =
  /^(?:access|account|authentication|authorization|certificate|connection|decryption|decoding|header|login|permission|request|response|server|service|session|signature|user|validation|verification)$/i;
const NEXT_WORD = / [a-z]{2,20}(?![\w:=@-])/y;
/** Units of a value that decide whether it is a secret. */
const HEAD_LENGTH = 129;
/** Units of a list searched after a weak name, because the names in the list are checked too. */
const SHORT_LIST = 160;

interface Name extends SecretName {
  readonly written: string;
}

/** Bounds the cache against senders with ever new names. */
const MAX_CACHED_NAMES = 1_024;

/** The meanings of names, cached; undefined for names without one. */
class NameMeanings {
  /** Starts over when it is full. */
  readonly #cache = new Map<string, Name | 'none'>();

  readonly #meaningOf: (name: string) => SecretName | undefined;

  constructor(meaningOf: (name: string) => SecretName | undefined) {
    this.#meaningOf = meaningOf;
  }

  of(name: string): Name | undefined {
    let meaning = this.#cache.get(name);
    if (meaning === undefined) {
      // A copy, because a slice would keep the whole text alive.
      const written = Buffer.from(name).toString();
      // Cookies have their own detector.
      const meant = /cookies?$/i.test(name) ? undefined : this.#meaningOf(name);
      meaning = meant === undefined ? 'none' : { ...meant, written };
      if (this.#cache.size >= MAX_CACHED_NAMES) this.#cache.clear();
      this.#cache.set(written, meaning);
    }
    return meaning === 'none' ? undefined : meaning;
  }
}

/** Creates the detector of values such as `password=x`, `"token":"x"`, `--password x`, `<secret>x</secret>`; `at` lies in the name. It caches the meanings of names. */
export function createNamedValueFinder(): (text: string, at: number, report: ReportFinding) => number {
  const meanings = new NameMeanings(secretName);
  const parameters = new NameMeanings(carriedSecretName);
  return (text, at, report) => {
    const start = startOfName(text, at);
    const end = endOfName(text, at);
    const before = text[start - 1];
    const isParameter = text[end] === '=' && (before === '?' || before === '&');
    const name = (isParameter ? parameters : meanings).of(nameOf(text, start, end));
    if (name === undefined) return end;
    const inProtobuf = protobufValueAt(text, end);
    if (inProtobuf !== undefined) return findInProtobuf(text, inProtobuf, name, report);
    const begins = valueStart(text, start, end);
    const value = begins?.separator === ':' ? afterLongerName(text, start, begins) : begins;
    return value === undefined ? end : Math.max(end, findValue(text, value, name, report) ?? end);
  };
}

/** What follows a path is mostly a reason, as in `open /run/secrets/api_token: permission denied`, and in a resource name its next part. */
function afterLongerName(text: string, start: number, value: ValueStart): ValueStart | undefined {
  const before = text[start - 1] ?? '';
  const pattern = before === ':' ? IN_RESOURCE_NAME : IN_PATH[before];
  if (pattern?.test(text.slice(Math.max(0, start - LONGER_NAME_LENGTH), start)) !== true) return value;
  return before === ':' ? undefined : { ...value, mustLookSecret: true };
}

function findInProtobuf(text: string, { start, end }: TextSpan, name: Name, report: ReportFinding): number {
  const inner = start + schemeAt(text, start, name).length;
  const head = text.slice(inner, Math.min(end, inner + HEAD_LENGTH));
  if (isSecret(name, head, { from: inner, separator: '=' })) report(inner, end, name.kind);
  return end;
}

function findValue(text: string, value: ValueStart, name: Name, report: ReportFinding): number | undefined {
  if (value.until !== undefined) return findUntil(text, value, value.until, name, report);
  const sign = text[value.from];
  if (sign === '|' || sign === '>') {
    const block = blockAt(text, value.from);
    if (block === undefined) return undefined;
    report(block.from, block.end, name.kind);
    return block.end;
  }
  if (sign !== '[' && sign !== '(' && sign !== '{') return findSingle(text, value, name, report);
  if (isStructure(text, value.from)) return findInStructure(text, value, name, report);
  return findSingle(text, sign === '{' ? value : { ...value, from: value.from + 1 }, name, report);
}

function findInStructure(text: string, value: ValueStart, name: Name, report: ReportFinding): number | undefined {
  const check = (start: number, end: number): void => {
    const inner = start + schemeAt(text, start, name).length;
    const head = text.slice(inner, Math.min(end, inner + HEAD_LENGTH));
    if (isSecret(name, head, value)) report(inner, end, name.kind);
  };
  if (name.shortest === 0)
    return findStructureValues(text, value.from, check, { rest: (start) => report(start, text.length, name.kind) });
  findStructureValues(text, value.from, check, { most: SHORT_LIST });
  return undefined;
}

function findUntil(
  text: string,
  value: ValueStart,
  until: string,
  name: Name,
  report: ReportFinding,
): number | undefined {
  const { from } = value;
  const most = searchLimit(text, from);
  // Do not search for the end of a harmless value: it can be far, and the next name would search again.
  const near = text.slice(from, from + HEAD_LENGTH);
  const head = near.slice(0, near.includes(until) ? near.indexOf(until) : HEAD_LENGTH).trim();
  if (!isSecret(name, head, value)) return undefined;
  const length = text.slice(from, most).indexOf(until);
  const end = length < 0 ? text.length : from + length;
  const last = text[end - 1] === '\r' ? end - 1 : end;
  report(from, last, name.kind);
  return last;
}

function findSingle(text: string, value: ValueStart, name: Name, report: ReportFinding): number | undefined {
  const isEncoded = value.separator.startsWith('%');
  const quote = quoteAt(text, value.from);
  if (quote !== undefined)
    return findIn(text, { from: value.from + quote.length, quote, isEncoded }, value, name, report);
  const from = skipOperators(text, value.from);
  const stop = findBareStop(text, from, isEncoded, from + HEAD_LENGTH);
  const inner = innerValue(text, from, stop);
  if (inner === undefined) return stop;
  const innerQuote = inner.from === stop ? quoteAt(text, stop) : undefined;
  if (innerQuote === undefined && inner.isCall) return findCall(text, from, stop, name, report);
  const begin = { from: inner.from + (innerQuote?.length ?? 0), quote: innerQuote, isEncoded };
  return findIn(text, begin, value, name, report);
}

/** Where a single value begins, after its quote, and how it is written. */
interface ValueText {
  readonly from: number;
  readonly quote: string | undefined;
  readonly isEncoded: boolean;
}

function findIn(
  text: string,
  { from, quote, isEncoded }: ValueText,
  value: ValueStart,
  name: Name,
  report: ReportFinding,
): number | undefined {
  const scheme = schemeAt(text, from, name);
  const start = from + scheme.length;
  const headEnd = endOfValue(text, start, quote, isEncoded, Math.min(start + HEAD_LENGTH, text.length));
  const head = text.slice(start, headEnd);
  // A scheme says that what follows it is a secret.
  if (!isSecret(name, head, scheme === '' ? value : { ...value, mustLookSecret: false })) return undefined;
  if (quote === undefined && isBareName(text, head, headEnd)) return headEnd;
  const most = searchLimit(text, start);
  const ended = endOfValue(text, start, quote, isEncoded, most);
  const whole = ended === most ? text.length : ended;
  // Schemes with parameters extend to the end of the line.
  const end = quote === undefined && HAS_PARAMETERS.test(scheme) ? endOfLine(text, start) : whole;
  report(start, end, name.kind);
  return end;
}

/** Masks text that looks like a call but has a value as its name, with its argument: `a1("b"`. */
function findCall(text: string, from: number, stop: number, name: Name, report: ReportFinding): number {
  const quote = quoteAt(text, stop) ?? '';
  const start = stop + quote.length;
  const end = endOfQuoted(text, start, quote, searchLimit(text, start));
  report(from, end, name.kind);
  return end;
}

function isSecret(name: Name, head: string, { isOption, mustLookSecret, separator }: ValueStart): boolean {
  if (head === '' || head.startsWith('=') || isPlainValue(head) || isOtherMeaning(name.written, head)) return false;
  if (isOption === true) return !head.startsWith('-');
  if (separator === '' && isFieldName(head)) return false;
  if (name.kind === 'bearer_tokens' && ONLY_SCHEME.test(head)) return false;
  if (separator === 'beside') return head.length >= 20 && looksRandom(head);
  if (separator === 'is') return looksSecretInSentence(head);
  if (mustLookSecret === true) return looksSecret(head);
  return looksSecret(head) || name.shortest === 0 || (separator === '=' && head.length >= name.shortest);
}

/** After `is`, where most words are prose or hashes. */
function looksSecretInSentence(head: string): boolean {
  return looksSecret(head) && /[a-z]/.test(head) && /[A-Z]/.test(head) && !/^(?:sha|md)\d/i.test(head);
}

/** Whether an unquoted value is a name: of a type, a variable, or the path of a secret. */
function isBareName(text: string, head: string, end: number): boolean {
  if (isReference(head) || (text[end] === '>' && /^\$\w{1,40}-$/.test(head))) return true;
  if (SUBJECT.test(head)) return testAt(NEXT_WORD, text, end);
  return SECRET_PATH.test(head) && testAt(SAYS_STATE, text, end);
}

function schemeAt(text: string, at: number, name: SecretName): string {
  if (name.kind !== 'bearer_tokens') return '';
  return execAt(SCHEME, text, at)?.[0] ?? '';
}

function nameOf(text: string, start: number, end: number): string {
  const name = text.slice(Math.max(start, end - MAX_NAME_LENGTH), end);
  if (/^passe$/i.test(name)) return /mot de $/i.test(text.slice(Math.max(0, start - 7), start)) ? 'password' : name;
  if (!/^keys?$/i.test(name)) return name;
  const before = PRECEDING_WORD.exec(text.slice(Math.max(0, start - 12), start))?.[0];
  return before === undefined ? name : `${before}${name}`;
}

function startOfName(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_NAME_LENGTH && isNameChar(text.charCodeAt(start - 1))) start -= 1;
  if (start === at) return start;
  // The name in `%3Ftoken`, `%253Ftoken`, `\u0022token` and `\ntoken` is `token`.
  const before = text[start - 1];
  if (before !== '%' && before !== '\\') return start;
  const written = (before === '%' ? /^(?:25){0,3}[0-9A-Fa-f]{2}/ : /^(?:u00[0-9a-f]{2}|[nrt])/).exec(
    text.slice(start, at),
  );
  return start + (written?.[0].length ?? 0);
}

function endOfName(text: string, at: number): number {
  const most = searchLimit(text, at);
  let end = at;
  while (end < most && isNameChar(text.charCodeAt(end))) end += 1;
  return text.startsWith('ña', end) ? end + 2 : end;
}

function isNameChar(code: number): boolean {
  return isAlphanumeric(code) || code === 0x5f || code === 0x2d || code === 0x2e;
}

function endOfValue(text: string, from: number, quote: string | undefined, isEncoded: boolean, limit: number): number {
  const most = Math.min(limit, text.length);
  if (quote !== undefined) return endOfQuoted(text, from, quote, most);
  const stop = findBareStop(text, from, isEncoded, most);
  // The value can continue after the limit, so keep its punctuation.
  return stop === most && most < text.length ? most : trimClosing(text, from, stop);
}

function endOfLine(text: string, from: number): number {
  const most = searchLimit(text, from);
  for (let end = from; end < most; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x0a || code === 0x0d || code === 0x27) return end;
    if (code === 0x5c && /[nr]/.test(text[end + 1] ?? '')) return end;
  }
  return text.length;
}
