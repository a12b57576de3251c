import { behindOperators, endOfStopped, insideOf, stopOfBare } from './bare-values.js';
import { isAlphanumeric } from './characters.js';
import { type ReportFinding, searchLimit } from './finding.js';
import { isPlainValue, looksSecret } from './plain-values.js';
import { endOfQuoted, quoteAt } from './quotes.js';
import { isReference } from './references.js';
import { isOtherMeaning, MAX_NAME_LENGTH, type SecretName, secretName } from './secret-names.js';
import { findStructureValues, isStructure } from './structures.js';
import { blockAt } from './value-blocks.js';
import { type ValueStart, valueStart } from './value-starts.js';

/** Schemes of `Authorization`, which are kept. */
const SCHEME =
  /(?:bearer|basic|token|apikey|api-key|negotiate|ntlm|digest|aws4-hmac-sha256|hawk|oauth|signature)(?:[ \t]{1,8}|%20|\+)/iy;
const HAS_PARAMETERS = /^(?:digest|aws4|hawk|oauth|signature)/i;
const ONLY_SCHEME = /^(?:bearer|basic|token|digest|negotiate|ntlm)$/i;
const PRECEDING_WORD = /(?:api|access|secret|private|auth|signing|encryption|master|account) $/i;
/** `Secret: shop/db not found` names where one is. */
const NAMES_PLACE = /^[A-Za-z][\w.-]{0,62}\/[A-Za-z][\w.-]{0,62}$/;
const SAYS_STATE = / (?:not found|does not|is |was |not |already )/y;
/** How much of a value is looked at before it is taken for a secret. */
const HEAD_LENGTH = 129;
/** Units of a list behind a name that also has other meanings, because the names in it are looked at too. */
const SHORT_LIST = 160;

/** Names come again with every event; those of a hostile one must not fill the memory. */
const MAX_REMEMBERED = 1_024;

/** A name where it stands in a text. */
interface Name extends SecretName {
  readonly written: string;
}

/** Builds the detector of values behind names; it remembers what names mean. */
export function createNamedValueDetector(): (text: string, at: number, found: ReportFinding) => number {
  const remembered = new Map<string, Name | null>();
  const meaningOf = (name: string): Name | null => {
    const known = remembered.get(name);
    if (known !== undefined) return known;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    // A copy: a piece of a text would keep all of the text.
    const written = Buffer.from(name).toString();
    const meant = isOfCookies(name) ? undefined : secretName(name);
    const meaning = meant === undefined ? null : { ...meant, written };
    remembered.set(written, meaning);
    return meaning;
  };
  return (text, at, found) => findNamedValue(text, at, found, meaningOf);
}

/**
 * Finds the value behind a name that says that it is a secret: `password=x`, `"token":"x"`, `--password x`, `<secret>x</secret>`. `at` lies in the name.
 * Answers where the next name may begin.
 */
function findNamedValue(
  text: string,
  at: number,
  found: ReportFinding,
  meaningOf: (name: string) => Name | null,
): number {
  const start = startOfName(text, at);
  const end = endOfName(text, at);
  const name = meaningOf(nameOf(text, start, end));
  if (name === null) return end;
  const value = valueStart(text, start, end);
  return value === undefined ? end : Math.max(end, findValue(text, value, name, found) ?? end);
}

/** Answers where what was looked at as the value ends; undefined where there is none. */
function findValue(text: string, value: ValueStart, name: Name, found: ReportFinding): number | undefined {
  if (value.until !== undefined) return findUntil(text, value, value.until, name, found);
  const sign = text[value.from];
  if (sign === '|' || sign === '>') {
    const block = blockAt(text, value.from);
    if (block === undefined) return undefined;
    found(block.from, block.end, name.kind);
    return block.end;
  }
  if (sign !== '[' && sign !== '(' && sign !== '{') return findSingle(text, value, name, found);
  if (isStructure(text, value.from)) return findInStructure(text, value, name, found);
  return findSingle(text, sign === '{' ? value : { ...value, from: value.from + 1 }, name, found);
}

function findInStructure(text: string, value: ValueStart, name: Name, found: ReportFinding): number | undefined {
  const take = (start: number, end: number): void => {
    const inner = start + schemeAt(text, start, name).length;
    const head = text.slice(inner, Math.min(end, inner + HEAD_LENGTH));
    if (isSecret(name, head, value)) found(inner, end, name.kind);
  };
  if (!name.isWeak)
    return findStructureValues(text, value.from, take, { rest: (start) => found(start, text.length, name.kind) });
  findStructureValues(text, value.from, take, { most: SHORT_LIST });
  return undefined;
}

function findUntil(
  text: string,
  value: ValueStart,
  until: string,
  name: Name,
  found: ReportFinding,
): number | undefined {
  const { from } = value;
  const most = searchLimit(text, from);
  // The end of a harmless value is not searched: it may be far, and the next name would search it again.
  const near = text.slice(from, from + HEAD_LENGTH);
  const head = near.slice(0, near.includes(until) ? near.indexOf(until) : HEAD_LENGTH).trim();
  if (!isSecret(name, head, value)) return undefined;
  const place = text.slice(from, most).indexOf(until);
  const end = place < 0 ? text.length : from + place;
  const last = text[end - 1] === '\r' ? end - 1 : end;
  found(from, last, name.kind);
  return last;
}

/** Finds one value: what stands in quotes, also inside of a call, or up to where it stops. */
function findSingle(text: string, value: ValueStart, name: Name, found: ReportFinding): number | undefined {
  const isEncoded = value.sign.startsWith('%');
  let { from } = value;
  let quote = quoteAt(text, from);
  let opened = from + (quote?.length ?? 0);
  if (quote === undefined) {
    from = behindOperators(text, from);
    const stop = stopOfBare(text, from, isEncoded, from + HEAD_LENGTH);
    const inside = insideOf(text, from, stop);
    if (inside === undefined) return stop;
    quote = inside.from === stop ? quoteAt(text, stop) : undefined;
    opened = inside.from + (quote?.length ?? 0);
    if (quote === undefined && inside.isCall) return findCall(text, from, stop, name, found);
  }
  const scheme = schemeAt(text, opened, name);
  const inner = opened + scheme.length;
  const most = searchLimit(text, inner);
  const headEnd = endOfValue(text, inner, quote, isEncoded, Math.min(inner + HEAD_LENGTH, text.length));
  const head = text.slice(inner, headEnd);
  if (!isSecret(name, head, value)) return undefined;
  if (quote === undefined && isBareName(text, head, headEnd)) return headEnd;
  const ended = endOfValue(text, inner, quote, isEncoded, most);
  const whole = ended === most ? text.length : ended;
  // Schemes with parameters reach to the end of the line.
  const last = quote === undefined && HAS_PARAMETERS.test(scheme) ? endOfLine(text, inner) : whole;
  found(inner, last, name.kind);
  return last;
}

/** What looks like a call but has no name of one is masked with what it holds: `a1("b"`. */
function findCall(text: string, from: number, stop: number, name: Name, found: ReportFinding): number {
  const quote = quoteAt(text, stop) ?? '';
  const start = stop + quote.length;
  const end = endOfQuoted(text, start, quote, searchLimit(text, start));
  found(from, end, name.kind);
  return end;
}

function isSecret(name: Name, head: string, { isOption, mustLook, sign }: ValueStart): boolean {
  if (head === '' || head.startsWith('=') || isPlainValue(head) || isOtherMeaning(name.written, head)) return false;
  if (isOption === true) return !head.startsWith('-');
  if (name.kind === 'bearer_tokens' && ONLY_SCHEME.test(head)) return false;
  if (sign === 'is')
    return looksSecret(head) && /[a-z]/.test(head) && /[A-Z]/.test(head) && !/^(?:sha|md)\d/i.test(head);
  if (mustLook === true) return looksSecret(head);
  // A signature is long, the name of a signal is not.
  const least = name.kind === 'cloud_keys' ? 16 : 6;
  return !name.isWeak || (sign === '=' && head.length >= least) || looksSecret(head);
}

/** Whether what has no quotes is a name: of a type, of a variable, or of the place where a secret is. */
function isBareName(text: string, head: string, end: number): boolean {
  if (isReference(head) || (text[end] === '>' && /^\$\w{1,40}-$/.test(head))) return true;
  if (!NAMES_PLACE.test(head)) return false;
  SAYS_STATE.lastIndex = end;
  return SAYS_STATE.test(text);
}

/** The scheme of an `Authorization` with the blanks behind it, which stays; empty where there is none. */
function schemeAt(text: string, at: number, name: SecretName): string {
  if (name.kind !== 'bearer_tokens') return '';
  SCHEME.lastIndex = at;
  return SCHEME.exec(text)?.[0] ?? '';
}

/** Cookies have a detector of their own where they are written as a header. */
function isOfCookies(name: string): boolean {
  return /cookies?$/i.test(name);
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
  while (start > 0 && at - start < MAX_NAME_LENGTH && isOfName(text.charCodeAt(start - 1))) start -= 1;
  if (start === at) return start;
  // Of `%3Ftoken`, `%253Ftoken`, `\u0022token` and `\ntoken` the name is `token`.
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
  while (end < most && isOfName(text.charCodeAt(end))) end += 1;
  return text.startsWith('ña', end) ? end + 2 : end;
}

function isOfName(code: number): boolean {
  return isAlphanumeric(code) || code === 0x5f || code === 0x2d || code === 0x2e;
}

/** Where a value ends: at its quote, or where what is not quoted ends. Looks no further than `limit`. */
function endOfValue(text: string, from: number, quote: string | undefined, isEncoded: boolean, limit: number): number {
  const most = Math.min(limit, text.length);
  if (quote !== undefined) return endOfQuoted(text, from, quote, most);
  const stop = stopOfBare(text, from, isEncoded, most);
  // Not what may go on behind the limit.
  return stop === most && most < text.length ? most : endOfStopped(text, from, stop);
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
