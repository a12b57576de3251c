import { isJsonObject, type JsonValue, ownValue, parseJson } from '../../event/json.js';
import { plainText } from '../../event/text.js';
import { mayHoldStatement, statementAt } from './sql-text.js';

/** What a message says, with its values. */
export interface TellingText {
  /** One line; empty if no line says anything. */
  readonly title: string;
  /** The lines that count, first to last. */
  readonly lines: readonly string[];
}

/** Lines with text; further lines are often data. */
const MAX_LINES = 2;
/** Lines of a statement of SQL that count as one. */
const MAX_STATEMENT_LINES = 60;
const LETTER = /\p{L}/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** Of a line without letters that is a title all the same: a number or an emoji. */
const SIGN = /[\p{N}\p{Extended_Pictographic}]/u;
/** Most messages. */
const PLAIN_LINE = /^[A-Za-z][^\n]*$/;
/** Declarations and opening tags say nothing, nor does the fence of a text. */
const MARKUP = /^(?:<[!?][^<>]{0,300}>|<[A-Za-z][^<>]{0,300}>|```\w{0,20})$/;
/** Other texts that begin with a bracket are not parsed. */
const JSON_TEXT = /^\s{0,40}[{[][\s\S]*[}\]]\s{0,40}$/;
const DOCUMENT = /^\s{0,20}<(?:!doctype|html|\?xml)\b/i;
const HEADING = /<(title|h1|message|faultstring)\b[^<>]{0,200}>([^<]{1,300})/i;

const TRACEBACK = 'Traceback (most recent call last)';
/** Name and message of an exception of Python, which follow the frames. */
const PYTHON_EXCEPTION = /^[A-Za-z_][\w.]{0,200}(?:: .*)?$/m;

/** The lines of a message that say something. */
export function tellingText(message: string): TellingText {
  if (PLAIN_LINE.test(message)) {
    const line = plainText(message);
    return { title: line, lines: [line] };
  }
  const frame = message.includes(TRACEBACK) ? message.lastIndexOf('\n  File "') : -1;
  const last = frame < 0 ? '' : plainText(PYTHON_EXCEPTION.exec(message.slice(frame + 1))?.[0] ?? '');
  if (last !== '') return { title: last, lines: [last] };
  const lines = tellingLines(message);
  const [first = ''] = lines;
  if (JSON_TEXT.test(message) || !LETTER.test(first)) return withReason(message, lines);
  if (!first.startsWith('<') || !DOCUMENT.test(message)) return { title: first, lines };
  const heading = plainText(HEADING.exec(message)?.[2] ?? '');
  return LETTER.test(heading) ? { title: heading, lines: [heading] } : { title: first, lines };
}

/** The first lines with letters, before a stack; without such lines, the first ones with any text. */
function tellingLines(message: string): string[] {
  const telling: string[] = [];
  const others: string[] = [];
  const mayBeSql = mayHoldStatement(message);
  for (const { line, at } of linesWithText(message)) {
    if (!isTelling(line, telling.length > 0)) others.push(line);
    else if (telling.length > 0 && line.startsWith('at ')) break;
    else if (mayBeSql && statementAt(line) >= 0) return [...telling, statementFrom(message, at)];
    else telling.push(line);
    if (telling.length === MAX_LINES) break;
  }
  return telling.length > 0 ? telling : others.slice(0, MAX_LINES);
}

/** A further line may be a number. */
function isTelling(line: string, isFurther: boolean): boolean {
  return (isFurther ? LETTER_OR_DIGIT : LETTER).test(line) && !MARKUP.test(line);
}

function* linesWithText(message: string): Generator<{ line: string; at: number }, void, undefined> {
  let at = 0;
  while (at < message.length) {
    const newline = message.indexOf('\n', at);
    const end = newline < 0 ? message.length : newline;
    const line = plainText(message.slice(at, end));
    if (line !== '') yield { line, at };
    at = end + 1;
  }
}

/** A statement of SQL from its first line to an empty line, a list of parameters or an indication of its place. */
function statementFrom(message: string, start: number): string {
  const lines = message.slice(start).split('\n', MAX_STATEMENT_LINES);
  const end = lines.findIndex((line, index) => index > 0 && /^\s{0,80}(?:$|\[|\^|LINE \d|at )/.test(line));
  return plainText((end < 0 ? lines : lines.slice(0, end)).join(' '));
}

/** Members of a JSON object that say what failed, most telling first. */
const REASONS = [
  'message',
  'msg',
  'error_description',
  'errorMessage',
  'error',
  'errors',
  'detail',
  'details',
  'title',
  'reason',
  'description',
  'exception',
  'name',
  'code',
  'type',
  'status',
];
/** Levels of objects that are searched for a reason. */
const MAX_LEVELS = 4;

/** A JSON text has the title that its members give; one of several lines counts like the same in one line. */
function withReason(message: string, lines: readonly string[]): TellingText {
  const [first = ''] = lines;
  const value = JSON_TEXT.test(message) ? parseJson(message) : undefined;
  if (value === undefined || value === null || typeof value !== 'object') {
    return { title: LETTER.test(first) || SIGN.test(first) ? first : '', lines };
  }
  const counted = message.includes('\n') ? [plainText(JSON.stringify(value))] : lines;
  return { title: plainText(reasonIn(value, MAX_LEVELS) ?? '') || first, lines: counted };
}

function reasonIn(value: JsonValue | undefined, levels: number): string | undefined {
  if (typeof value === 'string') return LETTER.test(value) ? (value.trim().split('\n')[0] ?? '') : undefined;
  if (levels === 0 || value === undefined) return undefined;
  if (Array.isArray(value)) return reasonIn(value[0], levels - 1);
  if (!isJsonObject(value)) return undefined;
  for (const key of REASONS) {
    const reason = reasonIn(ownValue(value, key), levels - 1);
    if (reason !== undefined) return reason;
  }
  const code = ownValue(value, 'code') ?? ownValue(value, 'status');
  return typeof code === 'number' ? `code ${code}` : undefined;
}
