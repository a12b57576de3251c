import { isNamelessError } from '../../core/fingerprint/main-error.js';
import { detectParser } from '../../core/fingerprint/stack/parsers/stack-parsers.js';
import { findExceptionHeader } from './exception-header.js';
import { OpenTraces } from './open-traces.js';
import { createTextLine, type TextFailure } from './text-failure.js';

/** What a program that logs a whole stack trace as its message says of the failure. */
export interface LoggedFailure {
  readonly errorName: string;
  readonly message: string;
  readonly stack: string;
}

/** The error fields of a payload. */
interface ErrorFields {
  readonly error_name: string;
  readonly message: string;
  readonly stack: string | null;
}

/** The error fields, those of the stack trace in the message where the sender named neither a type nor a stack. */
export function withLoggedFailure(fields: ErrorFields): ErrorFields {
  const { error_name, message, stack } = fields;
  if (stack !== null || !isNamelessError(error_name)) return fields;
  const found = failureInText(message);
  return found === undefined ? fields : { error_name: found.errorName, message: found.message, stack: found.stack };
}

/** UTF-16 units; a longer text is searched up to here. */
const MAX_TEXT = 131_072;

/** Reads the first stack trace in a text of several lines, like one in a log file; undefined without one. */
export function failureInText(text: string): LoggedFailure | undefined {
  const start = text.slice(0, MAX_TEXT);
  return start.includes('\n') ? (tracedFailure(start) ?? headedFailure(start)) : undefined;
}

function tracedFailure(text: string): LoggedFailure | undefined {
  const traces = new OpenTraces();
  const failures: TextFailure[] = [];
  let from = 0;
  for (const line of text.split('\n')) {
    const to = from + line.length + 1;
    failures.push(...traces.push(createTextLine(line, { from, to })));
    from = to;
  }
  failures.push(...traces.endAll());
  const [first] = failures
    .filter(({ value }) => typeof value['stack'] === 'string')
    .sort((one, other) => one.span.from - other.span.from);
  if (first === undefined) return undefined;
  const { error_name: errorName, message, stack } = first.value;
  return { errorName: String(errorName), message: String(message), stack: String(stack) };
}

/** A first line with name and message above frames that only a report of a failure has, not a log file. */
function headedFailure(text: string): LoggedFailure | undefined {
  const stack = text.trim();
  const end = stack.indexOf('\n');
  const header = findExceptionHeader(stack.slice(0, end));
  if (end < 0 || header?.at !== 0 || detectParser(stack.slice(end)) === null) return undefined;
  return { errorName: header.name, message: stack.slice(header.messageAt, end).trim(), stack };
}
