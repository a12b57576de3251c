import type { JsonValue } from '../../core/event/json.js';
import { isNamelessError } from '../../core/fingerprint/main-error.js';
import type { StackParser } from '../../core/fingerprint/stack/parsers/stack-parser.js';
import { detectParser } from '../../core/fingerprint/stack/parsers/stack-parsers.js';
import { withoutLinePrefix } from '../../core/fingerprint/stack/pasted-text.js';
import { findExceptionHeader } from './exception-header.js';
import { OpenTraces } from './open-traces.js';
import { errorOfValue, serializedErrorIn } from './serialized-error.js';
import { createTextLine, type TextFailure } from './text-failure.js';

/** The error fields of a payload. */
export interface ErrorFields {
  readonly error_name: string;
  readonly message: string;
  readonly stack: string | null;
}

/** Returns the error fields; if they name neither a type nor a stack, those of a stack trace or an error in the message, or of a logged value. */
export function withLoggedFailure(fields: ErrorFields, values: readonly JsonValue[] = []): ErrorFields {
  if (fields.stack !== null || !isNamelessError(fields.error_name)) return fields;
  const ofText = failureInText(fields.message);
  if (ofText !== undefined) return ofText;
  for (const value of values) {
    const error = errorOfValue(value);
    if (error !== undefined) return error;
  }
  return fields;
}

/** UTF-16 units and lines; a longer text is searched up to here. */
const MAX_TEXT = 131_072;
const MAX_LINES = 4_096;

/** Lines at the start of one entry, which tell what it is. */
const MAX_PRINTED_LINES = 16;

/** PHP and web servers write a whole trace in one line. */
const FOLDED_TRACE = ' Stack trace:';

/** Reads the error that a text holds as JSON, else the first stack trace in a text of several lines, like one in a log file; undefined without one. */
export function failureInText(text: string): ErrorFields | undefined {
  const error = serializedErrorIn(text.slice(0, MAX_TEXT));
  if (error !== undefined) return error;
  const start = withoutAnnouncement(text.slice(0, MAX_TEXT).split('\n', MAX_LINES).join('\n'));
  if (!start.includes('\n') && !start.includes(FOLDED_TRACE)) return undefined;
  const failure = tracedFailure(start) ?? headedFailure(start);
  if (failure !== undefined) return failure;
  const plain = withoutLinePrefix(start);
  return plain === start ? undefined : (tracedFailure(plain) ?? headedFailure(plain));
}

const ANNOUNCEMENT = /^.{0,200}?\bUnhandled [Ee]xception:\s{1,8}/;

/** Dart writes a few words before the failure, on the line above or the same one. */
function withoutAnnouncement(text: string): string {
  return text.includes('\n#0 ') ? text.replace(ANNOUNCEMENT, '') : text;
}

/** Returns the first failure that the first lines of a text are in a log file; undefined without one. */
export function firstFailureIn(text: string): TextFailure | undefined {
  return failuresIn(text.slice(0, MAX_TEXT).split('\n', MAX_PRINTED_LINES))[0];
}

function tracedFailure(text: string): ErrorFields | undefined {
  return failuresIn(text.split('\n'))
    .map(errorFieldsOf)
    .find(({ stack }) => stack !== null);
}

/** Returns the error fields of a failure that was printed. */
export function errorFieldsOf({ value }: TextFailure): ErrorFields {
  const { error_name, message, stack } = value;
  return { error_name: String(error_name), message: String(message), stack: typeof stack === 'string' ? stack : null };
}

/** In the order in which they began. */
function failuresIn(lines: readonly string[]): TextFailure[] {
  const traces = new OpenTraces();
  const failures: TextFailure[] = [];
  let from = 0;
  for (const line of lines) {
    const to = from + line.length + 1;
    failures.push(...traces.push(createTextLine(line, { from, to })));
    from = to;
  }
  failures.push(...traces.endAll());
  return failures.sort((one, other) => one.span.from - other.span.from);
}

/** A line with name and message among frames that only a report of a failure has, not a log file: the first one, of Python the last. */
function headedFailure(text: string): ErrorFields | undefined {
  const stack = text.trim();
  const parser = detectParser(stack);
  if (parser === null) return undefined;
  const headers = stack.split('\n').flatMap((line) => {
    const header = findExceptionHeader(line);
    return header === undefined || parser.isEvidence(line.trim()) ? [] : [{ ...header, line }];
  });
  const header = headers.at(parser.family === 'python' ? -1 : 0);
  if (header === undefined) return undefined;
  const isFirst = header.at === 0 && stack.startsWith(header.line);
  if (!isFirst && !hasLocation(parser, stack)) return undefined;
  const [message = ''] = header.line.slice(header.messageAt).split(FOLDED_TRACE);
  return { error_name: header.name, message: message.trim(), stack };
}

/** Prose may have a line that begins like a frame. */
function hasLocation(parser: StackParser, stack: string): boolean {
  let found = false;
  parser.parse(stack).walk(({ line }) => {
    found = line !== null;
    return !found;
  });
  return found;
}
