import { createFrame, normalizeGenerated, type StackFrame } from '../frames.js';
import { isAppFile } from '../in-app.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { type Location, parsedStack, type TracedException } from './traced-exception.js';

const CALL = /^#\d{1,5} (?:(\S.{0,499}?)\((\d{1,9})\)|\[internal function\]): (.+)$/;
const MAIN = /^#\d{1,5} \{main\}/;
const TITLE = /^(?:Stack trace:|\[stacktrace\])/;
/** The location of the throw, after the last `in` or `at` of a message. */
const THROWN = /^ (?:in|at) (.{1,400}):(\d{1,9})\)?$/;
const HEADER =
  /^(?:.{0,200}(?:Uncaught |\[object\] \()|Next )?([A-Za-z_\\][\w\\]{0,255})(?:\(code: [^)]{1,40}\))?(?::(?: (.*))?)?$/;
const CLOSURE_IN = /^\{closure:([^}]{1,250}?)(?:\(\))?:\d{1,9}\}/;
const CLOSURE = '{closure}';

/** A call and the location of its caller; null for calls by PHP itself. */
interface Call {
  readonly name: string;
  readonly from: Location | null;
}

interface Section extends Pick<TracedException, 'type' | 'message'> {
  readonly thrown: Location | null;
  readonly calls: Call[];
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
    frames: () => framesFrom(thrown, calls),
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
  #readCall(call: Call | null): void {
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

function callOf(line: string): Call | null {
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
function* framesFrom(thrown: Location | null, calls: readonly Call[]): Iterable<StackFrame> {
  let location = thrown;
  for (const [at, { name, from }] of calls.entries()) {
    // A built-in function has the location of its caller.
    const isBuiltIn = location === null ? at > 0 : from?.path === location.path && from.line === location.line;
    yield frameAt(name, location, !isBuiltIn);
    location = from;
  }
  if (location !== null) yield frameAt('', location, true);
}

function frameAt(name: string, location: Location | null, isWritten: boolean): StackFrame {
  const { owner, member } = partsOf(name);
  return createFrame({
    name: owner === '' && member === CLOSURE ? '' : member,
    module: normalizeGenerated(owner),
    ...location,
    inApp: isWritten && isAppFile(location?.path ?? ''),
  });
}

/** Splits `Shop\Cart->total` into class and method; a closure belongs to the class that contains it. */
function partsOf(name: string): { owner: string; member: string } {
  const written = CLOSURE_IN.exec(name)?.[1] ?? name;
  const arrow = Math.max(written.lastIndexOf('->'), written.lastIndexOf('::'));
  const isClosure = written !== name || name.endsWith(CLOSURE) || name.startsWith('{closure:');
  if (arrow <= 0) return { owner: '', member: isClosure ? CLOSURE : written };
  return { owner: written.slice(0, arrow), member: isClosure ? CLOSURE : written.slice(arrow + 2) };
}
