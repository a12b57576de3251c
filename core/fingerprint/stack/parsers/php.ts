import { type Call, writtenCall } from '../families/call.js';
import { phpFrame } from '../families/php-frame.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { framesOfCalls, type Location, parsedStack, type TracedException } from './traced-exception.js';

const CALL = /^#\d{1,5} (?:(\S.{0,499}?)\((\d{1,9})\)|\[internal function\]): (.+)$/;
const MAIN = /^#\d{1,5} \{main\}/;
const TITLE = /^(?:Stack trace:|\[stacktrace\])/;
/** The location of the throw, after the last `in` or `at` of a message. */
const THROWN = /^ (?:in|at) (.{1,400}):(\d{1,9})\)?$/;
const HEADER =
  /^(?:.{0,200}(?:Uncaught |\[object\] \()|Next )?([A-Za-z_\\][\w\\]{0,255})(?:\(code: [^)]{1,40}\))?(?::(?: (.*))?)?$/;
/** Where PHP itself called a function. */
const INTERNAL = '[internal function]';

/** A call and the location of its caller; null for calls by PHP itself. */
interface WrittenCall {
  readonly name: string;
  readonly from: Location | null;
}

interface Section extends Pick<TracedException, 'type' | 'message'> {
  readonly thrown: Location | null;
  readonly calls: WrittenCall[];
}

/** PHP: `#0 file(line): function()` has the location of the caller; a cause comes first, its wrapper after `Next`. */
export const phpParser: StackParser = {
  family: 'php',
  isEvidence: (line) => line.startsWith('#') && (CALL.test(line) || MAIN.test(line)),
  parse: (stack) => parsedStack(chainOf(stack)),
};

function chainOf(stack: string): TracedException[] {
  const reader = new SectionReader();
  for (const line of linesOf(stack)) reader.readLine(line.trimStart().replaceAll('\\\\', '\\'));
  const exceptions = reader.sections.map(({ type, message, thrown, calls }) => ({
    type,
    message,
    frames: framesOfCalls(placedCalls(thrown, calls), (call) => call, phpFrame),
  }));
  return stack.includes('[previous exception]') ? exceptions.toReversed() : exceptions;
}

/** Splits the lines into exceptions, each a header with the location of the throw, then its calls. */
class SectionReader {
  readonly sections: Section[] = [];
  #header = '';
  #thrown: Location | null = null;
  #isInCalls = false;

  readLine(line: string): void {
    const call = callOf(line);
    if (call !== null || MAIN.test(line)) this.#readCall(call);
    else if (!TITLE.test(line)) this.#readHeader(line);
  }

  /** Null for `{main}`, the end of the calls. */
  #readCall(call: WrittenCall | null): void {
    if (!this.#isInCalls) {
      this.sections.push({ ...parseHeader(this.#header), thrown: this.#thrown, calls: [] });
      this.#header = '';
      this.#thrown = null;
    }
    this.#isInCalls = true;
    if (call !== null) this.sections.at(-1)?.calls.push(call);
  }

  /** The first line after the calls is the header, unless a later one says so. */
  #readHeader(line: string): void {
    if (this.#isInCalls || this.#header === '' || /Uncaught |\[object\] \(/.test(line)) this.#header = line;
    this.#isInCalls = false;
    const location = THROWN.exec(line.slice(thrownFrom(line)));
    if (location !== null) this.#thrown = { path: location[1] ?? '', line: Number(location[2]) };
  }
}

function callOf(line: string): WrittenCall | null {
  const written = line.startsWith('#') ? CALL.exec(line) : null;
  if (written === null) return null;
  const [, path, at, call = ''] = written;
  return { name: nameOf(call), from: path === undefined ? null : { path, line: Number(at) } };
}

/** The name before the arguments; newer closures contain their function with parentheses. */
function nameOf(call: string): string {
  const closure = call.lastIndexOf('{closure:', 250);
  if (closure >= 0) return call.slice(closure, call.indexOf('}', closure) + 1);
  const open = call.indexOf('(');
  return open < 0 ? call : call.slice(0, open);
}

function parseHeader(header: string): { type: string | null; message: string | null } {
  const [, type, message = null] = HEADER.exec(header) ?? [];
  const end = message === null ? 0 : thrownFrom(message);
  return {
    type: type?.replace(/^\\/, '') ?? null,
    message: message !== null && THROWN.test(message.slice(end)) ? message.slice(0, end) : message,
  };
}

function thrownFrom(text: string): number {
  return Math.max(0, text.lastIndexOf(' in '), text.lastIndexOf(' at '));
}

/** A function is in the file of the next call; the innermost one is at the throw. */
function placedCalls(thrown: Location | null, calls: readonly WrittenCall[]): Call[] {
  const placed: Call[] = [];
  let location = thrown;
  for (const [at, { name, from }] of calls.entries()) {
    placed.push(writtenCall({ name, ...(location ?? { path: at === 0 ? '' : INTERNAL }) }));
    location = from;
  }
  if (location !== null) placed.push(writtenCall(location));
  return placed;
}
