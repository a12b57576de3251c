import { hasMembers, isJsonObject, type JsonObject, type JsonValue } from '../../core/event/json.js';
import { readSentJson } from '../../core/event/sent-json.js';
import { cutText } from '../../core/event/text.js';
import { isAtLeastLevel } from '../../core/normalize/level.js';
import { findLevel } from '../../core/normalize/level-in-record.js';
import { joinMessages } from './line-form.js';
import { ERROR_FIELDS, type LogField, REQUEST_FIELDS } from './log-fields.js';
import { OpenTraces } from './open-traces.js';
import { createTextLine, type TextFailure, type TextLine } from './text-failure.js';
import type { ParsedTrace } from './trace-family.js';

/** First match wins. */
const STACK_FIELDS: readonly LogField[] = [
  ERROR_FIELDS.stack,
  ERROR_FIELDS.exceptionText,
  ERROR_FIELDS.chain,
  ERROR_FIELDS.formatted,
  ERROR_FIELDS.location,
];

/** UTF-16 units of a line that replace a missing message. */
const MAX_STAND_IN = 1_024;

/** Parses a JSON log line: its failure at this level, or with a stack and no level; empty for other log lines, undefined for text. */
export function readJsonLine(line: TextLine, minSeverity: string): readonly TextFailure[] | undefined {
  const log = parseObject(line.clean);
  if (log === undefined) return undefined;
  const level = levelIn(log);
  const stack = findStack(log);
  if (level === undefined && stack === undefined) return undefined;
  if (level !== undefined && !isAtLeastLevel(String(level.value), minSeverity)) return [];
  return [{ format: 'json', value: payloadOf(log, level, stack, line), text: line.printed, span: line.span }];
}

function parseObject(text: string): JsonObject | undefined {
  const line = text.trim();
  // A line in braces may be plain text.
  const value = line.startsWith('{') && line.endsWith('}') ? readSentJson(line) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** A member of a log line that holds a field. */
interface LogMember {
  readonly path: string;
  readonly value: string | number;
  /** Whether the member stays in `extra`. */
  readonly isCopied: boolean;
}

function levelIn(log: JsonObject): LogMember | undefined {
  const found = findLevel((path) => valueAt(log, path));
  if (found !== undefined) return { path: found.path, value: found.level, isCopied: false };
  // Serilog's compact format omits the level `info`.
  return Object.hasOwn(log, '@t') ? { path: '@l', value: 'info', isCopied: false } : undefined;
}

function findField(log: JsonObject, field: LogField): LogMember | undefined {
  for (const path of field.paths) {
    const member = valueAt(log, path);
    const value = member === undefined ? undefined : field.parse(member);
    if (value !== undefined) return { path, value, isCopied: field.isCopied };
  }
  return undefined;
}

function findStack(log: JsonObject): LogMember | undefined {
  for (const field of STACK_FIELDS) {
    const stack = findField(log, field);
    if (stack !== undefined) return stack;
  }
  return undefined;
}

/** Builds the payload of a line; unused members go to `extra.log`. */
function payloadOf(
  log: JsonObject,
  level: LogMember | undefined,
  stack: LogMember | undefined,
  line: TextLine,
): JsonObject {
  const members = new LogMembers(log);
  const { errorName = '', message, stackText } = describeError(members, stack);
  const payload: JsonObject = {
    error_name: errorName,
    message: message ?? cutText(line.clean.trim(), MAX_STAND_IN),
    stack: stackText,
    level: members.use(level) ?? 'error',
  };
  for (const [key, field] of Object.entries(REQUEST_FIELDS)) {
    const value = members.use(members.find(field));
    if (value !== undefined) payload[key] = value;
  }
  const unused = members.unused();
  if (unused !== undefined) payload['extra'] = { log: unused };
  return payload;
}

/** The members of a log line, and which of them became a field. */
class LogMembers {
  readonly #log: JsonObject;
  readonly #usedPaths: string[] = [];

  constructor(log: JsonObject) {
    this.#log = log;
  }

  find(field: LogField): LogMember | undefined {
    return findField(this.#log, field);
  }

  /** Returns the value of a member that becomes a field. */
  use(member: LogMember | undefined): string | number | undefined {
    if (member?.isCopied === false) this.#usedPaths.push(member.path);
    return member?.value;
  }

  /** Removes the used members from the log; undefined if none remains. */
  unused(): JsonObject | undefined {
    for (const path of this.#usedPaths) removeAt(this.#log, path);
    return hasMembers(this.#log) ? this.#log : undefined;
  }
}

interface DescribedError {
  readonly errorName: string | number | undefined;
  /** Undefined if the line has none. */
  readonly message: string | number | undefined;
  readonly stackText: string | null;
}

function describeError(members: LogMembers, stack: LogMember | undefined): DescribedError {
  const logMessage = members.find(ERROR_FIELDS.logMessage);
  const errorMessage = members.find(ERROR_FIELDS.message);
  const stackText = stack === undefined ? traceIn(logMessage) : String(members.use(stack));
  const inStack = stackText === null ? undefined : parseStackText(stackText);
  const errorName = members.use(members.find(ERROR_FIELDS.name)) ?? inStack?.errorName;
  // An error's own message belongs to its name; the logger's message then stays in `extra.log`.
  const ofError = errorName === undefined ? undefined : (members.use(errorMessage) ?? inStack?.message);
  const message = ofError ?? joinMessages(members.use(logMessage), members.use(errorMessage ?? findErrorLine(members)));
  const isRepeated = logMessage?.value === message || logMessage?.value === stackText;
  if (isRepeated) members.use(logMessage);
  return { errorName, message, stackText };
}

/** Finds the error as one line; of more lines the first, and the member stays. */
function findErrorLine(members: LogMembers): LogMember | undefined {
  const error = members.find(ERROR_FIELDS.errorText);
  const text = String(error?.value ?? '').trim();
  const end = text.indexOf('\n');
  return error === undefined || end === -1 ? error : { ...error, value: text.slice(0, end), isCopied: true };
}

/** Some loggers write the whole stack trace as the message. */
function traceIn(message: LogMember | undefined): string | null {
  const text = typeof message?.value === 'string' && message.value.includes('\n') ? message.value : undefined;
  return text !== undefined && parseStackText(text) !== undefined ? text : null;
}

function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(object, path)) return object[path];
  let value: JsonValue | undefined = object;
  for (const step of path.split('.')) {
    if (Array.isArray(value)) value = step === '0' ? value[0] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, step) ? value[step] : undefined;
    else return undefined;
  }
  return value;
}

function removeAt(object: JsonObject, path: string): void {
  if (Object.hasOwn(object, path)) {
    delete object[path];
    return;
  }
  const point = path.indexOf('.');
  if (point === -1) return;
  const head = path.slice(0, point);
  const inner = Object.hasOwn(object, head) ? object[head] : undefined;
  if (!isJsonObject(inner)) return;
  removeAt(inner, path.slice(point + 1));
  if (Object.keys(inner).length === 0) delete object[head];
}

function parseStackText(stack: string): Pick<ParsedTrace, 'errorName' | 'message'> | undefined {
  const traces = new OpenTraces();
  for (const [index, printed] of stack.split('\n').entries()) {
    const [failure] = traces.push(createTextLine(printed, { from: index, to: index + 1 }));
    if (failure !== undefined) return namedBy(failure.value);
  }
  const [failure] = traces.endAll();
  return failure && namedBy(failure.value);
}

function namedBy(value: Readonly<Record<string, unknown>>): Pick<ParsedTrace, 'errorName' | 'message'> {
  return { errorName: String(value['error_name']), message: String(value['message']) };
}
