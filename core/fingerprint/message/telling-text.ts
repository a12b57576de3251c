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
const SIGN = /[\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
/** Most messages. */
const PLAIN_LINE = /^[A-Za-z][^\n]*$/;
/** Declarations and opening tags say nothing, nor does the fence of a text. */
const MARKUP = /^(?:<[!?A-Za-z][^<>]{0,300}>|```\w{0,20})$/;
/** Other texts that begin with a bracket are not parsed. */
const JSON_TEXT = /^\s{0,40}[{[][\s\S]*[}\]]\s{0,40}$/;
/** Lines that only say that a failure follows. */
const ANNOUNCEMENT =
  /^(?:un(?:handled|caught) (?:exception|error)|error|exception|thread (?:'.{0,200}' )?(?:\(\d{1,12}\) )?panicked at \S{1,400}):$/i;
/** Before a list of causes, the root last, as libraries of Rust print errors. */
const CAUSES = /^caused by:$/i;
const MAX_CAUSE_LINES = 60;
const DOCUMENT = /^\s{0,20}<(?:!doctype|html|\?xml)\b/i;
const HEADING = /<(title|h1|message|faultstring)\b[^<>]{0,200}>([^<]{1,300})/i;

const TRACEBACK = 'Traceback (most recent call last)';
/** Name and message of an exception of Python, which follow the frames. */
const PYTHON_EXCEPTION = /^[A-Za-z_][\w.]{0,200}(?:: .*)?$/m;

/** The lines of a message that say something. */
export function tellingText(message: string): TellingText {
  if (PLAIN_LINE.test(message)) return oneLine(plainText(message));
  const raised = pythonException(message);
  if (raised !== '') return oneLine(raised);
  const lines = tellingLines(message);
  const [first = ''] = lines;
  const json = JSON_TEXT.test(message) ? parseJson(message) : undefined;
  if (typeof json === 'object' && json !== null) {
    // Members in several lines count like the same in one line.
    const counted = message.includes('\n') ? [plainText(JSON.stringify(json))] : lines;
    return { title: plainText(reasonIn(json, MAX_LEVELS) ?? '') || first, lines: counted };
  }
  if (!LETTER.test(first)) return { title: SIGN.test(first) ? first : '', lines };
  const heading = first.startsWith('<') ? headingOfDocument(message) : '';
  return heading === '' ? { title: first, lines } : oneLine(heading);
}

function oneLine(line: string): TellingText {
  return { title: line, lines: [line] };
}

/** The exception at the end of a traceback in the message; empty without one. */
function pythonException(message: string): string {
  const frame = message.includes(TRACEBACK) ? message.lastIndexOf('\n  File "') : -1;
  return frame < 0 ? '' : plainText(PYTHON_EXCEPTION.exec(message.slice(frame + 1))?.[0] ?? '');
}

/** The title or the message of a document of HTML or XML; empty without one. */
function headingOfDocument(message: string): string {
  const heading = DOCUMENT.test(message) ? plainText(HEADING.exec(message)?.[2] ?? '') : '';
  return LETTER.test(heading) ? heading : '';
}

/** The first lines with letters, before a stack; without such lines, the first ones with any text. */
function tellingLines(message: string): string[] {
  const telling: string[] = [];
  const others: string[] = [];
  const mayBeSql = mayHoldStatement(message);
  for (const { line, at } of linesWithText(message)) {
    if (saysNothing(line, telling.length === 0)) others.push(line);
    else if (telling.length > 0 && line.startsWith('at ')) break;
    else {
      const block = blockAt(message, line, at, mayBeSql);
      telling.push(block ?? line);
      if (block !== undefined || telling.length === MAX_LINES) break;
    }
  }
  return telling.length > 0 ? telling : others.slice(0, MAX_LINES);
}

function saysNothing(line: string, isFirst: boolean): boolean {
  if (!(isFirst ? LETTER : LETTER_OR_DIGIT).test(line) || MARKUP.test(line)) return true;
  return line.endsWith(':') && ANNOUNCEMENT.test(line);
}

/** What a line and those below it say together; undefined if it stands alone. */
function blockAt(message: string, line: string, at: number, mayBeSql: boolean): string | undefined {
  if (line.endsWith(':') && CAUSES.test(line)) return rootOfCauses(message, at);
  return mayBeSql && statementAt(line) >= 0 ? statementFrom(message, at) : undefined;
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

/** The last cause of the list that begins at `start` and ends at an empty line. */
function rootOfCauses(message: string, start: number): string {
  const lines = message.slice(start).split('\n', MAX_CAUSE_LINES);
  const end = lines.findIndex((line) => line.trim() === '');
  const root = (end < 0 ? lines : lines.slice(0, end)).at(-1) ?? '';
  return plainText(root).replace(/^\d{1,3}: /, '');
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

/** The title of a JSON text: the first reason among its members. */
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
