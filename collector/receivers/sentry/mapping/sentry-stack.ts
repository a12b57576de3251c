import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { cutText } from '../../../../core/event/text.js';
import { asText, asValues, at } from './map-values.js';
import { framesOf, type SentryChain, stackTextOf } from './sentry-frames.js';

/** UTF-16 units of a name or value in a stack; the exception in `extra` keeps all. */
const MAX_PART = 1_024;
const LINE_BREAKS = /[\r\n\u2028\u2029]+/g;
/** Text that `part` returns unchanged. */
const PLAIN_PART = /^[!-~](?:[ -~]*[!-~])?$/;
/** SDKs of the JVM send the class of a function as the module of its frame. */
const JVM_FILE = /\.(?:java|kt|scala|groovy)$/;
/** Name of an anonymous function in JavaScript SDKs. */
const NO_NAME = '?';

/** Prints the stack as ` at <function> (<file>:<line>:<column>)`, innermost first, causes after `Caused by:`, what was only being handled after `While handling:`, and last, indented, what was suppressed; null without frames. */
export function stackOf(event: JsonObject, chain: SentryChain): string | null {
  const lines = chain.printed.length === 0 ? linesWithoutException(event, chain) : exceptionLines(event, chain);
  return lines.length === 0 ? null : lines.join('\n');
}

function linesWithoutException(event: JsonObject, { thread }: SentryChain): string[] {
  return linesOf(thread === null ? event : threadAt(event, thread));
}

/** Empty if no exception has frames. */
function exceptionLines(event: JsonObject, { printed, handled, suppressed, thread }: SentryChain): string[] {
  const exceptions = asValues(at(event, 'exception'));
  const lines: string[] = [];
  let hasFrames = false;
  for (const [depth, index] of printed.entries()) {
    const exception = exceptions[index];
    const calls = linesOf(depth === 0 && thread !== null ? threadAt(event, thread) : exception);
    hasFrames ||= calls.length > 0;
    const header = headerOf(exception);
    if (depth > 0) lines.push(`${handled.has(index) ? 'While handling' : 'Caused by'}: ${header}`);
    // The header of the main exception precedes its cause.
    else if (calls.length === 0) lines.push(header);
    lines.push(...(depth > 0 ? withoutHeader(calls, header) : calls));
  }
  if (!hasFrames) return [];
  // Indented as Java prints them, so that they are not read as causes.
  for (const index of suppressed) {
    const header = headerOf(exceptions[index]);
    const calls = withoutHeader(linesOf(exceptions[index]), header);
    lines.push(`\tSuppressed: ${header}`, ...calls.map((line) => `\t${line}`));
  }
  return lines;
}

function threadAt(event: JsonObject, thread: number): JsonValue | undefined {
  return asValues(at(event, 'threads'))[thread];
}

/** A stack that was sent as a text stays as it is. */
function linesOf(holder: JsonValue | undefined): string[] {
  return stackTextOf(holder)?.split('\n') ?? framesOf(holder).map(lineOf);
}

/** A stack that was sent as a text may begin with its header. */
function withoutHeader(lines: readonly string[], header: string): readonly string[] {
  return header !== '' && lines[0]?.includes(header) ? lines.slice(1) : lines;
}

/** Type and value of an exception on one line. */
function headerOf(exception: JsonValue | undefined): string {
  const [type, value] = [part(at(exception, 'type')), part(at(exception, 'value'))];
  if (type === undefined || value === undefined) return type ?? value ?? '';
  return `${type}: ${value}`;
}

function lineOf(frame: JsonObject): string {
  const own = part(frame['function']) ?? part(frame['raw_function']);
  const file = part(frame['filename']);
  const inClass = file !== undefined && JVM_FILE.test(file) ? part(frame['module']) : undefined;
  const name = own === undefined || inClass === undefined ? own : `${inClass}.${own}`;
  const label = name === NO_NAME ? '<anonymous>' : name;
  const location = locationOf(frame, file);
  if (label === undefined) return ` at ${location ?? '<anonymous>'}`;
  return location === undefined ? ` at ${label}` : ` at ${label} (${location})`;
}

function locationOf(frame: JsonObject, fileName: string | undefined): string | undefined {
  const file = part(frame['abs_path']) ?? fileName ?? part(frame['module']);
  if (file === undefined) return part(frame['package']) ?? part(frame['instruction_addr']);
  const line = positionOf(frame['lineno']);
  const column = positionOf(frame['colno']);
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

function positionOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Returns the text of a frame or exception on one line. */
function part(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string' && value.length <= MAX_PART && PLAIN_PART.test(value)) return value;
  const text = asText(value);
  if (text === undefined) return undefined;
  return cutText(text, MAX_PART).replace(LINE_BREAKS, ' ').trim();
}
