import { execAt, testAt } from './characters.js';
import { searchLimit } from './finding.js';
import { isPlainValue } from './plain-values.js';
import { endOfQuoted, quoteAt } from './quotes.js';
import { secretName } from './secret-names.js';

/** Types: `password: str`. */
const TYPES =
  /^[&*?\]]{0,2}(?:\[\]){0,2}(?:str|string|int|integer|float|double|bool|boolean|bytes?|bytearray|char|text|any|unknown|void|never|varchar|number|uuid|u?int(?:8|16|32|64)|SecretStr|Optional|Option|Maybe|Union|Nullable|Promise|Annotated|KeyObject|CryptoKey|Token)(?:[[(<]\w{1,40})?(?:[!?\])]|\[\]){0,3}$/i;
const PARTS = /[.:>$@/]/;
/** Member access in code: `config.password`. */
const PATH = /^(?:[$@]\w{1,40}|[$@]?([A-Za-z_]\w{0,40})(?:(?:\?\.|\.|::|->)[$#]?[A-Za-z_]{1,40}\d{0,2}){1,8}!?)$/;
const LAST_PART = /[A-Za-z_]\w*(?=!?$)/;
const CALLEE = /^[$@]?[A-Za-z_]\w{0,40}(?:(?:\?\.|\.|::|->)[A-Za-z_]\w{0,40}){0,8}[!?]?$/;
/** Names of objects that programs read values from. */
const HOLDERS: ReadonlySet<string> = new Set(
  (
    'process os env environ this self req request res response config configuration settings cfg conf props params options opts ' +
    'args argv ctx context state user body event data form values system vars var local module each deno bun credentials ' +
    'account input payload session store kwargs flags query headers cookies document window crypto getpass secrets uuid bcrypt ' +
    'hashlib import item row record entity client app auth'
  ).split(' '),
);
/** Functions whose argument names a value: `getenv("DB_PASSWORD")`. */
const READS =
  /(?:^|[._:>])(?:(?:get|fetch|lookup|read|load|find)\w*|[a-z]*env|require|prompt|input|translate|gettext|i18n|t|__|config|param|resolve|property)$/i;
/** Resource names of cloud secrets. */
const RESOURCE = /^(?:arn:aws|projects\/[\w-]{1,64}\/(?:secrets|locations)\/)/;
const VARIABLE = /^[A-Za-z_]+$/;
const BIND_PARAMETER = /^(?:\?\d{0,3}|\$\d{1,3}|[:@](?:[a-z_]{1,40}|p\d{1,2})|\{\d{0,2}\}?)$/i;

/** Whether an unquoted value names the value instead of being one: a type, a member access, a bind parameter. */
export function isReference(value: string): boolean {
  if (value.length > 128 || (value.length > 20 && !PARTS.test(value))) return false;
  if (TYPES.test(value) || BIND_PARAMETER.test(value) || RESOURCE.test(value)) return true;
  const path = PATH.exec(value);
  if (path === null) return false;
  if (path[1] !== undefined && HOLDERS.has(path[1].toLowerCase())) return true;
  return secretName(LAST_PART.exec(value)?.[0] ?? '') !== undefined;
}

/** Whether the text before a bracket names a function or a map. */
function isCallee(text: string): boolean {
  return CALLEE.test(text);
}

/** Whether the argument of a function names a value, so that it is not a secret. */
function isReader(callee: string): boolean {
  return READS.test(callee);
}

/** By ASCII code, 1 for characters that can end an unquoted value. */
const MAY_END = Uint8Array.from({ length: 0x80 }, (_, code) =>
  code <= 0x20 || '"\'`&<>|,;%\\'.includes(String.fromCharCode(code)) ? 1 : 0,
);
const NEXT_PAIR = /[,;](?:\s|$|["']?[\w .-]{1,40}[=:])/y;
const ENCODED_END = /%(?:25){0,3}2[267]/y;
const OPERATORS = /(?:(?:await|new|return|yield) )?/y;
const HAS_BRACKET = /[([{]/;
const OPENING = /[([{]{1,3}$/;
/** Prefix of a string literal: `b'x'`, `@"x"`, `N'x'`. */
const PREFIX = /^(?:[bBuUrRfFNEL]|rb|br|[@$&#:])$/;
const CLOSING = '.,;:)]}';

/** Returns where an unquoted value stops: at a blank, a quote, or the separator of the next pair; at most `limit`. */
export function findBareStop(text: string, from: number, isEncoded: boolean, limit: number): number {
  const most = Math.min(limit, text.length);
  let end = from;
  for (; end < most; end += 1) {
    const code = text.charCodeAt(end);
    if (code < 0x80 && MAY_END[code] === 0) continue;
    if (code >= 0x80 ? code === 0xa0 : endsBare(text, end, code, isEncoded)) break;
  }
  return end;
}

/** Returns the end of a value that stopped at `stop`, without closing punctuation and brackets. */
export function trimClosing(text: string, from: number, stop: number): number {
  let end = stop;
  while (end > from && CLOSING.includes(text[end - 1] ?? '')) end -= 1;
  return end;
}

/** Where a value begins that a call or a prefix may surround. */
export interface InnerValue {
  readonly from: number;
  /** Whether the value is the quoted argument of a call. */
  readonly isCall: boolean;
}

/** Returns where the value inside a call or prefixed string begins; undefined if the text names a value instead of being one. */
export function innerValue(text: string, from: number, stop: number): InnerValue | undefined {
  const head = text.slice(from, stop);
  // Fast path: most values have no bracket and are longer than a prefix.
  if (head.length > 2 && !HAS_BRACKET.test(head)) return { from, isCall: false };
  if (PREFIX.test(head) && isWhole(text, stop)) return { from: stop, isCall: false };
  const opening = OPENING.exec(head)?.[0];
  if (opening !== undefined && quoteAt(text, stop) !== undefined) return quotedArgument(head, opening, from, stop);
  return bareArgument(text, head, from, stop);
}

/** The value in `f("x"`, whose head is `f(`; a reader such as `getenv("X")` names its value. */
function quotedArgument(head: string, opening: string, from: number, stop: number): InnerValue | undefined {
  const before = head.slice(0, head.length - opening.length);
  const callee = before.slice(before.lastIndexOf('(') + 1);
  if (callee === '') return { from: stop, isCall: true };
  if (!isCallee(callee)) return { from, isCall: true };
  if (opening.startsWith('[') || isReader(callee)) return undefined;
  return { from: /\d/.test(callee) ? from : stop, isCall: true };
}

/** The value in `f(x)`; a value may look like a call without being one. */
function bareArgument(text: string, head: string, from: number, stop: number): InnerValue | undefined {
  const bracket = head.indexOf('(');
  const name = head.slice(0, bracket);
  if (bracket < 1 || !isCallee(name)) return { from, isCall: false };
  const argument = head.slice(bracket + 1, trimClosing(text, from, stop) - from);
  if (argument === '' || isReader(name) || isReference(argument) || isPlainValue(argument)) return undefined;
  // `token = sign(payload)` is code.
  if (text.slice(from - 3, from) === ' = ' && VARIABLE.test(argument)) return undefined;
  return { from: head.endsWith(')') && !/\d/.test(name) ? from + bracket + 1 : from, isCall: false };
}

/** Skips `await`, `new` and the like. */
export function skipOperators(text: string, from: number): number {
  // First letters of the operators.
  if (!'anry'.includes(text[from] ?? '-')) return from;
  return from + (execAt(OPERATORS, text, from)?.[0].length ?? 0);
}

/** Whether the quote at `at` opens a string that ends, and does not close the string around it. */
function isWhole(text: string, at: number): boolean {
  const quote = quoteAt(text, at);
  if (quote === undefined) return false;
  const start = at + quote.length;
  const most = searchLimit(text, start);
  const end = endOfQuoted(text, start, quote, most);
  return end > start && end < most && !/^[\s,:;)\]}]/.test(text.slice(start, start + 1));
}

/** Whether an unquoted value ends at a character that can end it. */
function endsBare(text: string, at: number, code: number, isEncoded: boolean): boolean {
  if (code === 0x25) return isEncoded && testAt(ENCODED_END, text, at);
  // An escaped line break or quote, as in JSON within a string.
  if (code === 0x5c) return /["'nrtu\\]/.test(text[at + 1] ?? '');
  if (code !== 0x2c && code !== 0x3b) return true;
  return testAt(NEXT_PAIR, text, at);
}
