import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../core/event/json.js';

/** Frames of one exception, and exceptions of one chain, that are read. */
const MAX_FRAMES = 200;
const MAX_EXCEPTIONS = 20;
/** The first line of a stack in Python. */
export const TRACEBACK = 'Traceback (most recent call last):';
const CAUSED = 'The above exception was the direct cause of the following exception:';
const HANDLED = 'During handling of the above exception, another exception occurred:';

/** Names of the members of a frame in Quarkus, zerolog, structlog, Log4j and Google's `reportLocation`. */
const FRAME = {
  name: ['func', 'name', 'functionName', 'function'],
  type: ['class'],
  method: ['method'],
  file: ['source', 'filename', 'filePath', 'file'],
  line: ['line', 'lineno', 'lineNumber'],
} as const;

/** Returns a stack as text: a text, a list of lines, one frame or a list of frames; undefined for other values. */
export function stackText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  const list = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every((line) => typeof line === 'string')) return list.join('\n');
  const frames = framesOf(list).map(printedCall);
  return frames.length === 0 ? undefined : frames.join('\n');
}

/** Returns an exception whose frames are objects as its language prints it; undefined for other values. */
export function printedChain(value: JsonValue): string | undefined {
  return pythonChain(value) ?? otherChain(value);
}

/** Returns structlog's list of exceptions, the escaped one first, as Python prints them. */
function pythonChain(value: JsonValue): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const printed: string[] = [];
  for (const exception of value.slice(0, MAX_EXCEPTIONS).reverse()) {
    if (!isJsonObject(exception) || !Array.isArray(exception['frames'])) return undefined;
    const { exc_type: type, exc_value: text, is_cause: isCause } = exception;
    if (type === undefined) return undefined;
    const frames = framesOf(exception['frames']).map(
      ({ name, file, line }) => `  File "${file}", line ${line}, in ${name}\n`,
    );
    const header = typeof text === 'string' && text !== '' ? `${type}: ${text}` : String(type);
    printed.push(`${TRACEBACK}\n${frames.join('')}${header}`, isCause === true ? CAUSED : HANDLED);
  }
  return printed.length === 0 ? undefined : printed.slice(0, -1).join('\n\n');
}

/** Names of the members of an exception in Quarkus, Log4j and Monolog. */
const EXCEPTION = {
  type: ['exceptionType', 'name', 'class'],
  message: ['message', 'error.message'],
  frames: ['frames', 'extendedStackTrace', 'stackTrace', 'trace'],
  cause: ['causedBy', 'cause', 'previous'],
} as const;
/** The end of a place in a file. */
const LINE_NUMBER = /:\d{1,9}$/;

/** Returns an exception and its causes as Java prints them. */
function otherChain(value: JsonValue): string | undefined {
  const printed: string[] = [];
  let exception = Array.isArray(value) ? value[0] : value;
  while (isJsonObject(exception) && printed.length < MAX_EXCEPTIONS) {
    const frames = firstIn(exception, EXCEPTION.frames);
    if (!Array.isArray(frames)) break;
    const [type, text] = [memberIn(exception, EXCEPTION.type), memberIn(exception, EXCEPTION.message)];
    const header = [type, text].filter((part) => part !== undefined).join(': ');
    // PHP's frames are the calls above the place of the throw.
    const lines = [ownValue(exception, 'file') ?? [], frames].flat().slice(0, MAX_FRAMES).flatMap(printedFrame);
    if (type === undefined && lines.length === 0) break;
    printed.push([header, ...lines].join('\n'));
    const cause: JsonValue | undefined = firstIn(exception, EXCEPTION.cause);
    exception = ownValue(cause, 'exception') ?? cause;
  }
  return printed.length === 0 ? undefined : printed.join('\nCaused by: ');
}

function printedFrame(frame: JsonValue): string[] {
  if (typeof frame === 'string') return [LINE_NUMBER.test(frame) ? `    at <anonymous> (${frame})` : frame];
  if (!isJsonObject(frame)) return [];
  const [method, line] = [methodOf(frame), memberIn(frame, FRAME.line)];
  const file = memberIn(frame, FRAME.file) ?? 'Unknown Source';
  if (method === undefined) return framesOf([frame]).map(printedCall);
  return [`\tat ${method}(${line === undefined ? file : `${file}:${line}`})`];
}

/** Returns the qualified name of a method of a class. */
function methodOf(frame: JsonObject): string | undefined {
  const [type, method] = [memberIn(frame, FRAME.type), memberIn(frame, FRAME.method)];
  return type === undefined || method === undefined ? undefined : `${type}.${method}`;
}

interface CallFrame {
  readonly name: string;
  readonly file: string;
  readonly line: string;
}

function printedCall({ name, file, line }: CallFrame): string {
  return `    at ${name} (${file}:${line})`;
}

function framesOf(list: readonly JsonValue[]): CallFrame[] {
  return list.slice(0, MAX_FRAMES).flatMap((frame) => {
    if (!isJsonObject(frame)) return [];
    const [name, file, line] = [memberIn(frame, FRAME.name), memberIn(frame, FRAME.file), memberIn(frame, FRAME.line)];
    return file === undefined || line === undefined
      ? []
      : [{ name: name ?? methodOf(frame) ?? '<anonymous>', file, line }];
  });
}

function memberIn(object: JsonObject, names: readonly string[]): string | undefined {
  const value = firstIn(object, names);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Returns the first member that is neither empty nor null. */
function firstIn(object: JsonObject, names: readonly string[]): JsonValue | undefined {
  return names
    .map((name) => ownValue(object, name))
    .find((value) => value !== undefined && value !== null && value !== '');
}
