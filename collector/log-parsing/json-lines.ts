import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';
import { isAtLeastLevel } from '../../core/normalize/level.js';
import { joinMessages } from './line-form.js';
import { ERROR_FIELDS, LEVEL, type LogField, PAYLOAD_FIELDS } from './log-fields.js';
import { createOpenTraces } from './open-traces.js';
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

/** Parses JSON log lines: the failure of a line at this level, or with a stack and no level; empty for other log lines, undefined for text. */
export function createJsonLines(minSeverity: string): (line: TextLine) => readonly TextFailure[] | undefined {
  return (line) => {
    const log = parseObject(line.clean);
    if (log === undefined) return undefined;
    const level = findLevel(log);
    const stack = findStack(log);
    if (level === undefined && stack === undefined) return undefined;
    if (level !== undefined && !isAtLeastLevel(String(level.value), minSeverity)) return [];
    return [{ format: 'json', value: failureOf(log, level, stack, line), text: line.printed, span: line.span }];
  };
}

function parseObject(text: string): JsonObject | undefined {
  const line = text.trim();
  // A line in braces may be plain text.
  const value = line.startsWith('{') && line.endsWith('}') ? parseJson(line) : undefined;
  return isJsonObject(value) ? value : undefined;
}

interface FoundField {
  readonly path: string;
  readonly value: string | number;
  readonly isCopied: boolean;
}

function findLevel(log: JsonObject): FoundField | undefined {
  // Serilog's compact format omits the level `info`.
  const omitted = Object.hasOwn(log, '@t') ? { path: '@l', value: 'info', isCopied: false } : undefined;
  return findField(log, LEVEL) ?? omitted;
}

function findField(log: JsonObject, field: LogField): FoundField | undefined {
  for (const path of field.paths) {
    const found = valueAt(log, path);
    const value = found === undefined ? undefined : field.parse(found);
    if (value !== undefined) return { path, value, isCopied: field.isCopied };
  }
  return undefined;
}

function findStack(log: JsonObject): FoundField | undefined {
  for (const field of STACK_FIELDS) {
    const found = findField(log, field);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Builds the payload of a line; unused members go to `extra.log`. */
function failureOf(
  log: JsonObject,
  level: FoundField | undefined,
  stack: FoundField | undefined,
  line: TextLine,
): JsonObject {
  const used: string[] = [];
  const consume = (found: FoundField | undefined): string | number | undefined => {
    if (found?.isCopied === false) used.push(found.path);
    return found?.value;
  };

  const logMessage = findField(log, ERROR_FIELDS.logMessage);
  const errorMessage = findField(log, ERROR_FIELDS.message);
  const stackText = stack === undefined ? traceIn(logMessage) : String(consume(stack));
  const inStack = stackText === null ? undefined : parseStackText(stackText);
  const errorName = consume(findField(log, ERROR_FIELDS.name)) ?? inStack?.errorName;
  // An error's own message belongs to its name; the logger's message then stays in `extra.log`.
  const ofError = errorName === undefined ? undefined : (consume(errorMessage) ?? inStack?.message);
  const standIn = cutText(line.clean.trim(), MAX_STAND_IN);
  const message = ofError ?? joinMessages(consume(logMessage), consume(errorMessage ?? findErrorLine(log))) ?? standIn;
  if (logMessage !== undefined && (logMessage.value === message || logMessage.value === stackText)) consume(logMessage);

  const value: JsonObject = {
    error_name: errorName ?? '',
    message,
    stack: stackText,
    level: consume(level) ?? 'error',
  };
  for (const [key, field] of Object.entries(PAYLOAD_FIELDS)) {
    const given = consume(findField(log, field));
    if (given !== undefined) value[key] = given;
  }
  for (const path of used) removeAt(log, path);
  if (Object.keys(log).length > 0) value['extra'] = { log };
  return value;
}

/** Finds the error as one line; of more lines the first, and the member stays. */
function findErrorLine(log: JsonObject): FoundField | undefined {
  const found = findField(log, ERROR_FIELDS.errorText);
  const text = String(found?.value ?? '').trim();
  const end = text.indexOf('\n');
  return found === undefined || end === -1 ? found : { ...found, value: text.slice(0, end), isCopied: true };
}

/** Some loggers write the whole stack trace as the message. */
function traceIn(message: FoundField | undefined): string | null {
  const text = typeof message?.value === 'string' && message.value.includes('\n') ? message.value : undefined;
  return text !== undefined && parseStackText(text) !== undefined ? text : null;
}

function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(object, path)) return object[path];
  let value: JsonValue | undefined = object;
  for (const part of path.split('.')) {
    if (Array.isArray(value)) value = part === '0' ? value[0] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, part) ? value[part] : undefined;
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
  const traces = createOpenTraces();
  let index = 0;
  for (const printed of stack.split('\n')) {
    const [found] = traces.push(createTextLine(printed, { from: index, to: index + 1 }));
    if (found !== undefined) return namedBy(found.value);
    index += 1;
  }
  const [found] = traces.endAll();
  return found === undefined ? undefined : namedBy(found.value);
}

function namedBy(value: Readonly<Record<string, unknown>>): Pick<ParsedTrace, 'errorName' | 'message'> {
  return { errorName: String(value['error_name']), message: String(value['message']) };
}
