import { isJsonObject, type JsonObject, type JsonValue } from '../../core/event/json.js';

/** Frames of one exception, and exceptions of one chain, that are read. */
const MAX_FRAMES = 200;
const MAX_EXCEPTIONS = 20;
const TRACEBACK = 'Traceback (most recent call last):';
const CAUSED = 'The above exception was the direct cause of the following exception:';
const HANDLED = 'During handling of the above exception, another exception occurred:';

/** .NET's console logger replaces the line feeds of a stack by a space each. */
const FLATTENED: readonly (readonly [flat: string, line: string])[] = [
  ['    at ', '\n   at '],
  ['  ---> ', '\n ---> '],
  ['    --- ', '\n   --- '],
];

/** Names of the members of a frame in zerolog, structlog and Google's `reportLocation`. */
const FRAME = {
  name: ['func', 'name', 'functionName', 'function'],
  file: ['source', 'filename', 'filePath', 'file'],
  line: ['line', 'lineno', 'lineNumber'],
} as const;

/** Returns a stack as text: a text, a list of lines, one frame or a list of frames; undefined for other values. */
export function stackText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  const list = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every((line) => typeof line === 'string')) return list.join('\n');
  const frames = framesOf(list).map(({ name, file, line }) => `    at ${name} (${file}:${line})`);
  return frames.length === 0 ? undefined : frames.join('\n');
}

/** Returns a text of several lines, also one whose lines .NET joined; undefined for other values. */
export function severalLines(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.trimEnd().includes('\n')) return value;
  const lines = FLATTENED.reduce((text, [flat, line]) => text.replaceAll(flat, line), value);
  return lines === value ? undefined : lines;
}

/** Returns the traceback at the end of a formatted log entry (loguru's `text`). */
export function tracebackIn(value: JsonValue): string | undefined {
  const start = typeof value === 'string' ? value.indexOf(`\n${TRACEBACK}`) : -1;
  return typeof value === 'string' && start >= 0 ? value.slice(start + 1) : undefined;
}

/** Returns structlog's list of exceptions, the escaped one first, as Python prints them. */
export function pythonChain(value: JsonValue): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const printed: string[] = [];
  for (const exception of value.slice(0, MAX_EXCEPTIONS).reverse()) {
    if (!isJsonObject(exception) || !Array.isArray(exception['frames'])) return undefined;
    const { exc_type: type, exc_value: text, is_cause: isCause } = exception;
    const frames = framesOf(exception['frames']).map(
      ({ name, file, line }) => `  File "${file}", line ${line}, in ${name}\n`,
    );
    const header = typeof text === 'string' && text !== '' ? `${type}: ${text}` : String(type);
    printed.push(`${TRACEBACK}\n${frames.join('')}${header}`, isCause === true ? CAUSED : HANDLED);
  }
  return printed.length === 0 ? undefined : printed.slice(0, -1).join('\n\n');
}

function framesOf(list: readonly JsonValue[]): { name: string; file: string; line: string }[] {
  return list.slice(0, MAX_FRAMES).flatMap((frame) => {
    if (!isJsonObject(frame)) return [];
    const [name, file, line] = [memberIn(frame, FRAME.name), memberIn(frame, FRAME.file), memberIn(frame, FRAME.line)];
    return file === undefined || line === undefined ? [] : [{ name: name ?? '<anonymous>', file, line }];
  });
}

function memberIn(frame: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(frame, name) ? frame[name] : undefined;
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
  }
  return undefined;
}
