import { execAt } from './characters.js';
import { searchLimit } from './finding.js';
import { QUOTE_SOURCE, quoteAt } from './quotes.js';

/** Where the value of a name begins, and conditions that it must meet. */
export interface ValueStart {
  readonly from: number;
  /** The separator before the value, `is` or `beside` in a sentence, else empty. */
  readonly separator: string;
  /** The only text that ends the value. */
  readonly until?: string;
  /** Set after `--name`, where a value that begins with a dash is the next option. */
  readonly isOption?: boolean;
  readonly mustLookSecret?: boolean;
}

/** Text between a name and its value; group 1 is the separator. */
const SEPARATOR = new RegExp(
  `(?:${QUOTE_SOURCE}|[\\\\\\])]|%(?:25){0,3}5[Dd]){0,5}[ \\t]{0,8}(=>|[ \\t]->[ \\t]|:=|[=:＝：]|%(?:25){0,3}3[AaDd])(?:(?<==>)(?:\\s|\\\\{1,15}n){0,16}|[ \\t]{0,8})(?:string\\(\\d{1,9}\\) )?`,
  'y',
);
/** After a quoted name, the member or attribute with its value: `"value": "x"`, `value="x"`. */
const PAIRED = new RegExp(
  `${QUOTE_SOURCE}[ \\t]{0,8},?\\s{0,32}(?:${QUOTE_SOURCE})?(?:\\w{0,20}value|val|content|v)(?:${QUOTE_SOURCE})?\\s{0,8}(?:=>|[:=])\\s{0,8}(?:\\{\\s{0,8}(?:${QUOTE_SOURCE})?\\w{0,16}value(?:${QUOTE_SOURCE})?\\s{0,8}:\\s{0,8})?`,
  'iy',
);
/** After a quoted name, the next list item; a length as in serialized PHP. */
const LISTED = new RegExp(`${QUOTE_SOURCE}(?:[ \\t]{0,8},\\s{0,8}|;(s):\\d{1,9}:)(?=[bru]?${QUOTE_SOURCE})`, 'iy');
/** A header in a tuple of a name and a value: `('X-Api-Key', 'x')`. */
const HEADER = /-|^authorization$/i;
const TUPLE = /[[(]\s{0,4}[bru]?\\{0,7}["']$/i;
/** After the name of a multipart field, the blank line before its content. */
const FORM_PART =
  /\\{0,15}["'](?:;[^\r\n\\]{0,200})?(?:(?:\r?\n[^\r\n]{1,200}){0,4}(\r?\n)\r?\n|(?:\\{1,15}r)?\\{1,15}n(?:\\{1,15}r)?(\\{1,15}n))/y;
const NAME_OF_PART = /name=\\{0,15}["']$/;
/** After the name of an element, its attributes. */
const REST_OF_TAG = /(?:\s[^<>]{0,400})?>\s{0,8}(<!\[CDATA\[)?/y;
const NAME_OF_PROPERTY = /(?:name|key)=\\{0,15}["']$/i;
const QUOTED_BY_BLANK = /[ \t]{1,4}(?:\.[ \t])?(?=\\{0,15}["'])/y;
const LOGIN = /(?:^|\s)(?:login|user|username|account) {1,4}\S{1,64} {1,4}$/;
const PASSWORD = /(?:pass(?:word|wd|phrase|wort)|pwd)\d*$/i;
/** Options of Java, PowerShell and the like have one dash. */
const PASSWORD_OPTION = /^-\w{0,30}(?:pass|password|passwd)$/i;
/** `{password, "x"}` and `{token,<<"x">>}`. */
const TUPLE_OF_ERLANG = /,\s{0,4}(?:<<)?(?=\\{0,7}")/y;
const IS = / (?:(?:is|was):? |(?:provided|given|supplied|received|sent|used|specified|value): ?)/y;
const READER = /^(?:get|fetch|find|load|read|lookup|has|is|resolve)/i;

/** Returns where the value of the name in `[start, end)` begins; undefined without one. */
export function valueStart(text: string, start: number, end: number): ValueStart | undefined {
  const separator = execAt(SEPARATOR, text, end);
  const sign = separator?.[1]?.trim();
  if (separator !== null && sign !== undefined) return { from: end + separator[0].length, separator: sign };
  if (quoteAt(text, end) !== undefined) return startAfterQuoted(text, start, end);
  const behind = text[end];
  if (behind === '(') return startAfterCall(text, start, end);
  const before = text[start - 1];
  if (before === '<' || (before === ':' && /<[\w-]{1,40}:$/.test(text.slice(Math.max(0, start - 42), start)))) {
    return startAfterTag(text, end);
  }
  if (before === ';' && text.startsWith('&gt;', end) && text.startsWith('&lt;', start - 4)) {
    return { from: end + 4, separator: '=' };
  }
  const inTuple = before === '{' ? execAt(TUPLE_OF_ERLANG, text, end)?.[0].length : undefined;
  if (inTuple !== undefined) {
    return { from: end + inTuple, separator: '', mustLookSecret: !PASSWORD.test(text.slice(start, end)) };
  }
  if (behind === '\n' || behind === '\r') return undefined;
  return startAfterBlank(text, start, end);
}

function startAfterQuoted(text: string, start: number, end: number): ValueStart | undefined {
  const paired = execAt(PAIRED, text, end)?.[0].length;
  if (paired !== undefined) return { from: end + paired, separator: '=' };
  const listed = execAt(LISTED, text, end);
  if (listed !== null) {
    const isOption = text.startsWith('--', start);
    const isHeader = HEADER.test(text.slice(start, end)) && TUPLE.test(text.slice(Math.max(0, start - 12), start));
    return {
      from: end + listed[0].length,
      separator: '',
      isOption,
      mustLookSecret: !isOption && !isHeader && listed[1] === undefined,
    };
  }
  const before = text.slice(Math.max(0, start - 24), start);
  if (NAME_OF_PART.test(before)) {
    const part = execAt(FORM_PART, text, end);
    if (part !== null)
      return { from: end + part[0].length, separator: '=', until: part[2] === undefined ? '\n' : '\\' };
  }
  return NAME_OF_PROPERTY.test(before) ? startAfterTag(text, end + (quoteAt(text, end)?.length ?? 0)) : undefined;
}

function startAfterTag(text: string, end: number): ValueStart | undefined {
  const rest = execAt(REST_OF_TAG, text, end);
  if (rest === null || rest[0].trimEnd().endsWith('/>')) return undefined;
  const from = end + rest[0].length;
  if (rest[1] !== undefined) return { from, separator: '=', until: ']]>' };
  // `<password> must be given` is a sentence or a usage line.
  const close = text.slice(from, from + 1024).indexOf('<');
  const isElement = close > 0 && text[from + close + 1] === '/';
  return isElement ? { from, separator: '=', until: '<' } : { from: end + rest[0].trimEnd().length, separator: '=' };
}

/** `PASSWORD('x')`, `setPassword("x")`, but not `getPassword("x")`. */
function startAfterCall(text: string, start: number, end: number): ValueStart | undefined {
  if (quoteAt(text, end + 1) === undefined || READER.test(text.slice(start, end))) return undefined;
  return { from: end + 1, separator: '', mustLookSecret: !PASSWORD.test(text.slice(start, end)) };
}

/** `--password x`, `PASSWORD 'x'` of SQL, `:password "x"`, and `login me password x`. */
function startAfterBlank(text: string, start: number, end: number): ValueStart | undefined {
  const isNamed = text.startsWith('--', start) || PASSWORD_OPTION.test(text.slice(start, end));
  if (isNamed && text[end] === ' ') return { from: end + 1, separator: '=', isOption: true };
  const blank = execAt(QUOTED_BY_BLANK, text, end)?.[0].length;
  const isPassword = PASSWORD.test(text.slice(start, end));
  if (blank !== undefined) {
    const isKeyword = text[start - 1] === ':' || text[end + blank - 2] === '.';
    const isStatement = isPassword && (quoteAt(text, end + blank) ?? '').endsWith("'");
    if (!isKeyword && !isStatement && !isPassword) return { from: end + blank, separator: 'beside' };
    return { from: end + blank, separator: '', mustLookSecret: !(isKeyword || isStatement) };
  }
  if (text[end] !== ' ') return undefined;
  const line = text.slice(Math.max(0, start - 100), start);
  if (isPassword && LOGIN.test(line))
    return { from: end + 1, separator: '', mustLookSecret: !/(?:machine|default) /.test(line) };
  const is = execAt(IS, text, end)?.[0].length;
  return is === undefined ? { from: end + 1, separator: 'beside' } : { from: end + is, separator: 'is' };
}

/** `|` or `>-` of YAML and the line break after it, also escaped; group 1 is the break, group 2 the indentation of the first line. */
const BEGIN = /[|>][+-]?\d?[+-]?[ \t]{0,4}((?:\r?\n|(?:\\{1,15}r)?\\{1,15}n))([ \t]{1,64})(?=\S)/y;

/** Returns the lines of the YAML block scalar that begins at `at`, up to one with less indentation; undefined without one. */
export function blockAt(text: string, at: number): { readonly from: number; readonly end: number } | undefined {
  const begin = execAt(BEGIN, text, at);
  if (begin === null) return undefined;
  const [whole, lineBreak = '', indent = ''] = begin;
  const from = at + whole.length;
  const most = searchLimit(text, from);
  let end = from;
  while (end < most) {
    const length = text.slice(end, most).indexOf(lineBreak);
    if (length < 0) return { from, end: most === text.length ? trimTrailing(text, from, text.length) : text.length };
    const next = end + length + lineBreak.length;
    if (!text.startsWith(indent, next)) return { from, end: trimTrailing(text, from, end + length) };
    end = next;
  }
  return { from, end };
}

/** Returns the end without blanks and quotes that close the surrounding text. */
function trimTrailing(text: string, from: number, end: number): number {
  let last = end;
  while (last > from && /["'`\s\\]/.test(text[last - 1] ?? '')) last -= 1;
  return last;
}
