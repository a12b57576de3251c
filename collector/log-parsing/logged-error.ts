import { isNamelessError } from '../../core/fingerprint/main-error.js';
import { failureInText } from './failure-in-text.js';
import { joinMessages } from './line-form.js';
import { ERROR_FIELDS, type LogField } from './log-fields.js';
import type { LogMember, LogMembers } from './log-members.js';

/** First match wins. */
const STACK_FIELDS: readonly LogField[] = [
  ERROR_FIELDS.stack,
  ERROR_FIELDS.anyStack,
  ERROR_FIELDS.exceptionText,
  ERROR_FIELDS.chain,
  ERROR_FIELDS.formatted,
  ERROR_FIELDS.location,
];
/** What a log entry says about its error. */
export interface LoggedError {
  readonly errorName: string | number | undefined;
  /** Undefined if the entry has none. */
  readonly message: string | number | undefined;
  readonly stackText: string | null;
  /** What the logger said, whether or not it is the message. */
  readonly logMessage: string | number | undefined;
}

interface DescribeOptions {
  /** Default: the one that `findStack` finds. */
  readonly stack?: LogMember | undefined;
  /** Whether the program is in Go, whose errors are texts that the logger's message belongs to. Default: by the name. */
  readonly isGo?: boolean;
}

/** Whether a name is a type of Go, a pointer: `*errors.errorString`. */
export function isTypeOfGo(errorName: string): boolean {
  return errorName.startsWith('*');
}

/** Finds the member that holds a stack trace. */
export function findStack(members: LogMembers): LogMember | undefined {
  for (const field of STACK_FIELDS) {
    const stack = members.find(field);
    if (stack !== undefined) return stack;
  }
  return undefined;
}

/** Describes the error of a log entry. */
export function describeError(
  members: LogMembers,
  { stack = findStack(members), isGo = false }: DescribeOptions = {},
): LoggedError {
  const logMessage = members.find(ERROR_FIELDS.logMessage);
  // Some loggers write the whole stack trace as the message, or as the message of the error.
  const trace = failureInText(textOf(stack ?? logMessage));
  const inMessage = stack === undefined && trace === undefined ? traceInError(members) : undefined;
  if (inMessage !== undefined) return { ...inMessage, logMessage: logMessage?.value };
  const stackText = stack === undefined ? (trace?.stack ?? null) : textOf(stack);
  members.use(stack);
  const errorName = members.use(members.find(ERROR_FIELDS.name)) ?? trace?.error_name;
  const errorMessage = members.find(ERROR_FIELDS.message);
  const isText = errorMessage !== undefined && isTextError(errorName, isGo);
  // An error's own message belongs to its name; the logger's message then stays in `extra`.
  const ofError = errorName === undefined || isText ? undefined : (members.use(errorMessage) ?? trace?.message);
  const message = ofError ?? joinMessages(members.use(logMessage), members.use(errorMessage ?? findErrorLine(members)));
  if (logMessage?.value === message || logMessage?.value === stackText) members.use(logMessage);
  return { errorName, message, stackText, logMessage: logMessage?.value };
}

function isTextError(errorName: string | number | undefined, isGo: boolean): boolean {
  return isGo || isTypeOfGo(String(errorName));
}

/** Reads the stack trace in the message of an error that has no name of its own; undefined without one. */
function traceInError(members: LogMembers): Omit<LoggedError, 'logMessage'> | undefined {
  if (!isNamelessError(textOf(members.find(ERROR_FIELDS.name)))) return undefined;
  const trace = failureInText(textOf(members.find(ERROR_FIELDS.message)));
  return trace && { errorName: trace.error_name, message: trace.message, stackText: trace.stack };
}

function textOf(member: LogMember | undefined): string {
  return String(member?.value ?? '');
}

/** Finds the error as one line; of more lines the first, and the member stays. */
function findErrorLine(members: LogMembers): LogMember | undefined {
  const error = members.find(ERROR_FIELDS.errorText);
  const text = textOf(error).trim();
  const end = text.indexOf('\n');
  return error === undefined || end === -1 ? error : { ...error, value: text.slice(0, end), isCopied: true };
}
