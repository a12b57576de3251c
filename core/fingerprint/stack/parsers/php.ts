import { type Call, writtenCall } from '../families/call.js';
import { phpFrame } from '../families/php-frame.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { framesOfCalls, type Location, parsedStack, type TracedException } from './traced-exception.js';

/** One way to write a call and where it was called; one without a name is the throw. */
interface CallRow {
  /** Begins the lines that may match. */
  readonly sign: string;
  readonly pattern: RegExp;
  readonly reason: string;
}

const CALLS: readonly CallRow[] = [
  {
    sign: '#',
    pattern: /^#\d{1,5} (?:(?<path>\S.{0,499}?)\((?<line>\d{1,9})\)|\[internal function\]): (?<call>.+)$/,
    reason: 'PHP.',
  },
  {
    sign: '#',
    pattern:
      /^#\d{1,5} (?:[\w\\]{0,200}(?:Error|Exception)|(?<call>\S{1,300})) in (?<path>\S.{0,399}\.php):(?<line>\d{1,9})$/,
    reason: 'Whoops, of which the innermost line names the exception.',
  },
  {
    sign: 'line ',
    pattern:
      /^line (?<line>\d{1,9}) of (?<path>\S{1,400}\.php): (?:call to (?<call>\S{1,300}\(\))|[\w\\]{1,200} thrown)$/,
    reason: 'Moodle.',
  },
  {
    sign: '',
    pattern: /^(?:(?<call>\S{1,300})?\(\) )?at (?<path>\S.{0,399}\.php):(?<line>\d{1,9})$/,
    reason: 'The console of Symfony.',
  },
];
const MAIN = /^#\d{1,5} \{main\}/;
/** A line of Xdebug: outermost first, with time and memory before the number. */
const TABLE_CALL =
  /^(?:PHP {1,8})?(?:\d{1,6}\.\d{1,6} {1,12}\d{1,12} {1,8})?\d{1,4}\. (\S.{0,399}?\)) (\S.{0,399}):(\d{1,9})$/;
const TITLE = /^(?:PHP )?(?:Stack [Tt]race:|\[stacktrace\]|Exception trace:|Call Stack:)/;
/** The location of the throw, after the last `in` or `at` of a message. */
const THROWN = /^ (?:in|at) (.{1,400}?)(?::| on line )(\d{1,9})\)?$/;
/** The same as Drupal writes it. */
const LINE_OF_FILE = / \(line (\d{1,9}) of (.{1,400})\)\.?$/;
/** The same above a trace on a console of Symfony. */
const IN_FILE = /^In (\S{1,400}\.php) line (\d{1,9}):$/;
const HEADER =
  /^(?:.{0,200}(?:Uncaught |\[object\] \()|Next )?(?:exception ')?([A-Za-z_\\][\w\\]{0,255})(?:\(code: [^)]{1,40}\)|' with message)?(?::(?: (.*))?| ('.*))?$/;
/** A trace on one line, as web servers write it: `\n` or a space stands for a newline. */
const FOLDED = /(?:Stack trace:|\{main\})(?:\\n| )/;
const FOLD = /(?:\\n| )(?=#\d{1,5} (?:\S{1,499}\(\d|\[internal|\{main\})|Stack trace:|Next \w| {0,2}thrown in )/g;
/** A template as Blade compiled it, and the line of a message that names its source. */
const COMPILED_VIEW = /[/\\]framework[/\\]views[/\\][0-9a-f]{32,64}\.php$/;
const VIEW = / \(View: ([^()]{1,400})\)/;
/** Where PHP itself called a function. */
const INTERNAL = '[internal function]';

/** A call and the location of its caller; null for calls by PHP itself. */
interface PhpCall {
  readonly name: string;
  readonly from: Location | null;
}

interface Section extends Pick<TracedException, 'type' | 'message'> {
  readonly thrown: Location | null;
  readonly calls: PhpCall[];
}

/** PHP: `#0 file(line): function()` has the location of the caller; a cause comes first, its wrapper after `Next`. */
export const phpParser: StackParser = {
  family: 'php',
  isEvidence: (line) => {
    if (line.startsWith('at ') && !line.includes('.php:')) return false;
    if (callOf(line) !== null || (line.startsWith('#') && MAIN.test(line))) return true;
    return line.includes('. ') ? TABLE_CALL.test(line) : line.includes('Stack trace:') && FOLDED.test(line);
  },
  parse: (stack) => parsedStack(chainOf(stack)),
};

function chainOf(stack: string): TracedException[] {
  const reader = new SectionReader();
  const view = stack.includes(' (View: ') ? VIEW.exec(stack)?.[1] : undefined;
  const unfolded = stack.includes('Stack trace:') && FOLDED.test(stack) ? stack.replace(FOLD, '\n') : stack;
  for (const line of linesOf(unfolded)) reader.readLine(line.trimStart().replaceAll('\\\\', '\\'));
  const exceptions = reader.sections.map(({ type, message, thrown, calls }) => ({
    type,
    message,
    frames: framesOfCalls(placedCalls(thrown, calls), (call) => ofTemplate(call, view), phpFrame),
  }));
  return stack.includes('[previous exception]') ? exceptions.toReversed() : exceptions;
}

/** The file of a compiled template has a hash for a name. */
function ofTemplate(call: Call, view: string | undefined): Call {
  return view !== undefined && COMPILED_VIEW.test(call.path) ? { ...call, path: view } : call;
}

/** Splits the lines into exceptions, each a header with the location of the throw, then its calls. */
class SectionReader {
  readonly sections: Section[] = [];
  #header = '';
  #thrown: Location | null = null;
  #isInCalls = false;

  readLine(line: string): void {
    const call = callOf(line);
    if (call?.name === '') this.#thrown = call.from;
    else if (call !== null || MAIN.test(line)) this.#readCall(call);
    else if (line.includes('. ') && TABLE_CALL.test(line)) this.#readOuterCall(line);
    else if (!TITLE.test(line)) this.#readHeader(line);
  }

  /** The calls of a table come in the opposite order. */
  #readOuterCall(line: string): void {
    const [, call = '', path = '', at] = TABLE_CALL.exec(line) ?? [];
    this.#readCall(null);
    if (!call.startsWith('{main}')) {
      this.sections.at(-1)?.calls.unshift({ name: nameOf(call), from: { path, line: Number(at) } });
    }
  }

  /** Null for `{main}`, the end of the calls. */
  #readCall(call: PhpCall | null): void {
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
    this.#thrown = thrownAt(line) ?? this.#thrown;
  }
}

/** A call of any form; one without a name is the throw. */
function callOf(line: string): PhpCall | null {
  const mayBeCall =
    line.startsWith('#') || line.startsWith('line ') || (line.includes('at ') && line.includes('.php:'));
  const row = mayBeCall ? CALLS.find(({ sign, pattern }) => line.startsWith(sign) && pattern.test(line)) : undefined;
  if (row === undefined) return null;
  const { path, line: at, call = '' } = row.pattern.exec(line)?.groups ?? {};
  return { name: nameOf(call), from: path === undefined ? null : { path, line: Number(at) } };
}

function thrownAt(line: string): Location | null {
  const thrown = IN_FILE.exec(line) ?? THROWN.exec(line.slice(thrownFrom(line)));
  if (thrown !== null) return { path: thrown[1] ?? '', line: Number(thrown[2]) };
  const [, at, path] = line.includes(' (line ') ? (LINE_OF_FILE.exec(line) ?? []) : [];
  return path === undefined ? null : { path, line: Number(at) };
}

/** The name before the arguments; newer closures contain their function with parentheses. */
function nameOf(call: string): string {
  const closure = call.lastIndexOf('{closure:', 250);
  if (closure >= 0) return call.slice(closure, call.indexOf('}', closure) + 1);
  const open = call.indexOf('(');
  const name = open < 0 ? call : call.slice(0, open);
  // Whoops writes one colon between class and method.
  return name.replace(/(?<=\w):(?=\w+$)/, '::');
}

function parseHeader(header: string): { type: string | null; message: string | null } {
  const [, type, plain, quoted] = HEADER.exec(header) ?? [];
  const message = plain ?? quoted ?? null;
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
function placedCalls(thrown: Location | null, calls: readonly PhpCall[]): Call[] {
  const placed: Call[] = [];
  let location = thrown;
  for (const [at, { name, from }] of calls.entries()) {
    placed.push(writtenCall({ name, ...(location ?? { path: at === 0 ? '' : INTERNAL }) }));
    location = from;
  }
  if (location !== null) placed.push(writtenCall(location));
  return placed;
}
