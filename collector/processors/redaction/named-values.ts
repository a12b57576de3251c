import { isAlphanumeric } from './characters.js';
import type { Found } from './finding.js';
import { isPlainValue, looksSecret } from './plain-values.js';
import { MAX_NAME_LENGTH, type SecretName, secretName } from './secret-names.js';

/** What may stand between a name and its value; group 1 is the sign. */
const SEPARATOR = /["'`\\\])]{0,5}[ \t]{0,8}(=>|:=|[=:]|%3[AaDd])[ \t]{0,8}[[(]?/y;
const OPENING_QUOTE = /\\{0,7}["'`]/y;
/** Schemes of `Authorization`, which are kept. */
const SCHEME =
  /(?:bearer|basic|token|apikey|api-key|negotiate|ntlm|digest|aws4-hmac-sha256|hawk|oauth|signature)(?:[ \t]{1,8}|%20|\+)/iy;
const HAS_PARAMETERS = /^(?:digest|aws4|hawk|oauth|signature)/i;
const NEXT_PAIR = /[,;](?:\s|$|["']?[\w .-]{1,40}[=:])/y;
const PRECEDING_WORD = /(?:api|access|secret|private|auth|signing|encryption|master|account) $/i;
/** By ASCII code, 1 for what may end a value without quotes. */
const MAY_END = Uint8Array.from({ length: 0x80 }, (_, code) =>
  code <= 0x20 || '"\'`&<>|,;%\\'.includes(String.fromCharCode(code)) ? 1 : 0,
);
/** How much of a value is looked at before it is taken for a secret. */
const HEAD_LENGTH = 129;

/** Names come again with every event; those of a hostile one must not fill the memory. */
const MAX_REMEMBERED = 1_024;

/** Builds the detector of values behind names; it remembers what names mean. */
export function createNamedValueDetector(): (text: string, at: number, found: Found) => number {
  const remembered = new Map<string, SecretName | null>();
  const meaningOf = (name: string): SecretName | null => {
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const meaning = isOfCookies(name) ? null : (secretName(name) ?? null);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    // A copy: a piece of a text would keep all of the text.
    remembered.set(Buffer.from(name).toString(), meaning);
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
  found: Found,
  meaningOf: (name: string) => SecretName | null,
): number {
  const start = startOfName(text, at);
  const end = endOfName(text, at);
  const name = meaningOf(nameOf(text, start, end));
  if (name === null) return end;
  const value = valueStart(text, start, end);
  if (value === undefined) return end;
  const { from, isEncoded, isOption } = value;
  OPENING_QUOTE.lastIndex = from;
  const quote = OPENING_QUOTE.exec(text)?.[0];
  const opened = from + (quote?.length ?? 0);
  const scheme = name.kind === 'bearer_tokens' ? schemeAt(text, opened) : '';
  const inner = opened + scheme.length;
  const head = text.slice(inner, endOfValue(text, inner, quote, isEncoded, inner + HEAD_LENGTH));
  if (!isSecret(name, head, { isOption, sign: value.sign })) return end;
  const whole = endOfValue(text, inner, quote, isEncoded, text.length);
  // Schemes with parameters reach to the end of the line.
  const last = quote === undefined && HAS_PARAMETERS.test(scheme) ? endOfLine(text, inner) : whole;
  found(inner, last, name.kind);
  return Math.max(last, end);
}

function isSecret(name: SecretName, head: string, { isOption, sign }: { isOption: boolean; sign: string }): boolean {
  if (head === '' || head.startsWith('=') || isPlainValue(head)) return false;
  if (isOption) return !head.startsWith('-');
  return !name.isWeak || (sign === '=' && head.length >= 6) || looksSecret(head);
}

/** The scheme of an `Authorization` with the blanks behind it, which stays; empty where there is none. */
function schemeAt(text: string, at: number): string {
  SCHEME.lastIndex = at;
  return SCHEME.exec(text)?.[0] ?? '';
}

/** Where values begin that belong to the name, and how they are written; undefined where none follows. */
function valueStart(
  text: string,
  start: number,
  end: number,
): { from: number; isEncoded: boolean; isOption: boolean; sign: string } | undefined {
  SEPARATOR.lastIndex = end;
  const separator = SEPARATOR.exec(text);
  const sign = separator?.[1];
  if (separator !== null && sign !== undefined) {
    return { from: end + separator[0].length, isEncoded: sign.startsWith('%'), isOption: false, sign };
  }
  const isOption = text.startsWith('--', start) && text[end] === ' ';
  const isElement = text[end] === '>' && (text[start - 1] === '<' || text[start - 1] === ':');
  return isOption || isElement ? { from: end + 1, isEncoded: false, isOption, sign: '=' } : undefined;
}

/** Cookies have a detector of their own where they are written as a header. */
function isOfCookies(name: string): boolean {
  return /cookies?$/i.test(name);
}

function nameOf(text: string, start: number, end: number): string {
  const name = text.slice(Math.max(start, end - MAX_NAME_LENGTH), end);
  if (!/^keys?$/i.test(name)) return name;
  const before = PRECEDING_WORD.exec(text.slice(Math.max(0, start - 12), start))?.[0];
  return before === undefined ? name : `${before}${name}`;
}

function startOfName(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_NAME_LENGTH && isOfName(text.charCodeAt(start - 1))) start -= 1;
  // Of `%3Ftoken` the name is `token`.
  return text[start - 1] === '%' && at - start >= 2 ? start + 2 : start;
}

function endOfName(text: string, at: number): number {
  let end = at;
  while (end < text.length && isOfName(text.charCodeAt(end))) end += 1;
  return end;
}

function isOfName(code: number): boolean {
  return isAlphanumeric(code) || code === 0x5f || code === 0x2d || code === 0x2e;
}

/** Where a value ends: at its quote, or where what is not quoted ends. Looks no further than `limit`. */
function endOfValue(text: string, from: number, quote: string | undefined, isEncoded: boolean, limit: number): number {
  const most = Math.min(limit, text.length);
  if (quote === undefined) return endOfBare(text, from, isEncoded, most);
  if (quote.length > 1) {
    const close = text.slice(from, most).indexOf(quote);
    return close < 0 ? most : from + close;
  }
  const sign = quote.charCodeAt(0);
  for (let at = from; at < most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === sign || code === 0x0a) return at;
    if (code === 0x5c) at += 1;
  }
  return most;
}

/** Whether a bare value ends at a sign that may end it. */
function endsBare(text: string, at: number, code: number, isEncoded: boolean): boolean {
  if (code === 0x25) return isEncoded && text.startsWith('%26', at);
  // An escaped line break or quote, as in JSON inside of a text.
  if (code === 0x5c) return /["'nrt\\]/.test(text[at + 1] ?? '');
  if (code !== 0x2c && code !== 0x3b) return true;
  NEXT_PAIR.lastIndex = at;
  return NEXT_PAIR.test(text);
}

function endOfBare(text: string, from: number, isEncoded: boolean, most: number): number {
  let end = from;
  for (; end < most; end += 1) {
    const code = text.charCodeAt(end);
    if (code < 0x80 && MAY_END[code] === 0) continue;
    if (code >= 0x80 ? code === 0xa0 : endsBare(text, end, code, isEncoded)) break;
  }
  // What closes a sentence or brackets belongs to the text around it.
  while (end > from && end < most + 1 && '.,;:)]}'.includes(text[end - 1] ?? '')) end -= 1;
  return end;
}

function endOfLine(text: string, from: number): number {
  for (let end = from; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x0a || code === 0x0d || code === 0x27) return end;
    if (code === 0x5c && /[nr]/.test(text[end + 1] ?? '')) return end;
  }
  return text.length;
}
