import { writtenCall } from '../families/call.js';
import { JVM_SOURCE, jvmFrame } from '../families/jvm-frame.js';
import type { StackFrame } from '../frames.js';
import {
  createLineVisitor,
  eachLine,
  type FormRow,
  type IsForeignLine,
  indentOf,
  linesOf,
  loggedLine,
  type ParseLine,
} from './frame-lines.js';
import { MAX_LINE_LENGTH, type ParsedStack, type StackParser } from './stack-parser.js';
import { framesOf, isCancellation, parsedStack, type TracedException } from './traced-exception.js';

const CIRCLE = '[CIRCULAR REFERENCE';
const CAUSED_BY = '\nCaused by: ';
const AROUND = 'Wrapped by: ';
const HEADER = /^([A-Za-z_$][\w.$]{0,255})(?:: (.*))?$/;

/** The JVM: a circular reference is not a root, and a log may begin with the root, with its wrappers after `Wrapped by:`. */
export const jvmParser: StackParser = {
  family: 'jvm',
  isEvidence: isJvmFrame,
  parse: (stack) => {
    // Searching for a leading line break is slow.
    if (stack.includes(AROUND) && stack.includes(`\n${AROUND}`)) return parsedStack(wrapped(linesOf(stack)));
    const circle = stack.includes(CIRCLE) ? stack.indexOf(`${CAUSED_BY}${CIRCLE}`) : -1;
    return parseCauses(circle < 0 ? stack : stack.slice(0, circle), parseJvmLine, isForeignJavaLine);
  },
};

/** The exceptions of a log that begins with the root. */
function wrapped(lines: readonly string[]): TracedException[] {
  const ends = lines.flatMap((line, at) => (line.startsWith(AROUND) ? [at] : []));
  return [0, ...ends].flatMap((start, at) => exceptionIn(lines.slice(start, ends[at])));
}

function exceptionIn(lines: readonly string[]): TracedException[] {
  const suppressed = lines.findIndex((line) => line.trimStart().startsWith(SUPPRESSED));
  const own = suppressed < 0 ? lines : lines.slice(0, suppressed);
  const calls = own.map((line) => line.trimStart()).filter((text) => text.startsWith('at '));
  const header = headerOf(own);
  return header === '' && calls.length === 0 ? [] : [traced(header, calls)];
}

/** What follows `Wrapped by:`, of the root the last line before its calls that may name it; empty without one. */
function headerOf(lines: readonly string[]): string {
  const [first = ''] = lines;
  if (first.startsWith(AROUND)) return first.slice(AROUND.length);
  const call = lines.findIndex((line) => line.trimStart().startsWith('at '));
  const above = call < 0 ? lines : lines.slice(0, call);
  return above.findLast((line) => indentOf(line) === 0 && HEADER.test(line)) ?? '';
}

function traced(header: string, calls: readonly string[]): TracedException {
  const found = HEADER.exec(header);
  return { type: found?.[1] ?? null, message: found?.[2] ?? null, frames: framesOf(calls, parseJvmLine) };
}

/** A source file, optionally with a line; shrinkers may leave only the line. */
const SOURCE = /^([^:\s]{0,200})(?::(\d{1,9}))?$/;
const NO_SOURCE = /^(?:|Native Method|Unknown Source(?::\d{1,9})?|Redefined|<generated>|PG:\d{1,9})$/;

/** Whether a trimmed line is `at`, a qualified method, and a source in parentheses as the JVM writes it. */
function isJvmFrame(line: string): boolean {
  return line.startsWith('at ') && partsOf(line) !== null;
}

/** Parses `at [loader/][module@version/]package.Class.method(File.java:12)`. */
export function parseJvmLine(line: string): StackFrame | null {
  const parts = partsOf(line);
  if (parts === null) return null;
  const [, path, at] = NO_SOURCE.test(parts.source) ? [] : (SOURCE.exec(parts.source) ?? []);
  return frameOf(parts.method, parts.owner, path, at);
}

function frameOf(name: string, module: string, path = '', line?: string): StackFrame | null {
  const call = writtenCall({ name, module, path, line: line === undefined ? null : Number(line) });
  return jvmFrame(call, { hasLocations: true });
}

/** A source that tells a frame of the JVM from other text in parentheses. */
const SURE_SOURCE =
  /^(?:Native Method|Unknown Source(?::\d{1,9})?|SourceFile(?::\d{1,9})?|r8-map-id-\w{1,100}(?::\d{1,9})?)$/;

/** Only names of Kotlin tests have spaces, and the consoles of Android write one before the source; these have a file. */
function partsOf(line: string): { owner: string; method: string; source: string } | null {
  const first = line.indexOf('(', 3);
  if (first < 0) return null;
  const space = line.indexOf(' ', 3);
  const hasSpace = space >= 0 && space < first;
  const dot = line.lastIndexOf('.', first);
  if (dot <= 3 || (hasSpace && space < dot)) return null;
  const close = line.indexOf(')', first);
  const source = line.slice(first + 1, close < 0 ? line.length : close);
  const isSource = hasSpace
    ? SURE_SOURCE.test(source) || (JVM_SOURCE.test(fileOf(source)) && SOURCE.test(source))
    : SOURCE.test(source) || NO_SOURCE.test(source);
  if (!isSource) return null;
  return { owner: line.slice(3, dot), method: line.slice(dot + 1, first).trimEnd(), source };
}

/** What stands before the first colon. */
function fileOf(source: string): string {
  const colon = source.indexOf(':');
  return colon < 0 ? source : source.slice(0, colon);
}

/** A class in a namespace of the language; each is in the first row of `FOREIGN_MODULES`. */
const OF_JAVA = /^at (?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|android|androidx)\.[^/(]*\.[^/(.]*\(/;
const OF_JAVA_MODULE =
  /^at [\w.@-]{1,60}\/(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|android|androidx)\.[^/(]*\.[^/(.]*\(/;

/** Whether a trimmed line, if it is a frame of the JVM, certainly belongs to the language. */
export function isForeignJavaLine(line: string): boolean {
  return (line.includes('/') ? OF_JAVA_MODULE : OF_JAVA).test(line);
}

/** Frames that look like Java: a qualified method, then text in parentheses that the JVM does not write. */
export const javaParser: StackParser = {
  family: 'java',
  isEvidence: (line) => line.startsWith('at ') && methodEnd(line) > 0,
  parse: (stack) => parseCauses(stack, parseJavaLine, isForeignJavaLine),
};

/** Parses `at [loader/][module@version/]package.Class.method(File.java:12)`; also `(Native Method)` and arguments as in .NET. */
function parseJavaLine(line: string): StackFrame | null {
  const end = methodEnd(line);
  const dot = line.lastIndexOf('.', end);
  if (end <= 0 || dot <= 3) return null;
  const close = line.indexOf(')', end);
  const [, path, at] = SOURCE.exec(line.slice(end + 1, close < 0 ? line.length : close)) ?? [];
  return frameOf(line.slice(dot + 1, end), line.slice(3, dot), path, at);
}

/** Position of the parenthesis after a method's name without spaces; -1 if the line is not such a frame. */
function methodEnd(line: string): number {
  const open = line.indexOf('(', 3);
  const space = line.indexOf(' ', 3);
  return open > 3 && (space < 0 || space > open) && line.lastIndexOf('.', open) > 3 ? open : -1;
}

/** The first letter of `Caused by: ` and `caused by: ` is tested alone, because each search reads the whole stack. Consoles leave out the colon. */
const MARKS = ['aused by', '[cause]: '] as const;
const HAS_MARK = /aused by|\[cause\]: /;
const END_OF_MARK = /^: |^ (?=(?:[a-z_][\w$]{0,60}\.){1,12}[A-Z])/;
/** The last causes of a longer chain are used. */
const MAX_CAUSES = 16;
/** The message after the type, up to the end of its line. */
const MESSAGE = /^:\s{1,8}(\S[^\n]{0,1023})/;
const TYPE_NAME = /^(?:Uncaught )?([A-Za-z_$][\w.$]{0,255})(?=$|[:\s{(])/;

/** Parses a chain in which each cause follows after `Caused by:` or `[cause]:`; the last one is the root. Suppressed exceptions are skipped. */
function parseCauses(stack: string, parseLine: ParseLine, isForeign: IsForeignLine): ParsedStack {
  const starts = causeStarts(stack);
  let root = rootOf(stack, starts.at(-1));
  let rootEnd = stack.length;
  while (isCancellation(root)) {
    rootEnd = starts.pop() ?? rootEnd;
    root = rootOf(stack, starts.at(-1));
  }
  return {
    rootCause: root.type,
    rootMessage: root.message,
    walk: (visit, defer) => {
      const visitLine = createLineVisitor(parseLine, isForeign, visit, defer);
      let end = rootEnd;
      for (let index = starts.length - 1; index >= -1; index--) {
        const start = starts[index] ?? 0;
        let isSuppressed = false;
        const isLeft = eachLine(
          stack,
          (line) => {
            isSuppressed = line.startsWith(SUPPRESSED);
            return !isSuppressed && (!line.startsWith('at ') || visitLine(line));
          },
          start,
          end,
        );
        if (!isLeft && !isSuppressed) return;
        end = start;
      }
    },
  };
}

function rootOf(stack: string, start: number | undefined): { type: string | null; message: string | null } {
  if (start === undefined) return { type: null, message: null };
  const header = stack.slice(start, start + MAX_LINE_LENGTH);
  const type = TYPE_NAME.exec(header);
  if (type === null) return { type: null, message: null };
  return { type: type[1] ?? null, message: MESSAGE.exec(header.slice(type[0].length))?.[1] ?? null };
}

/** Positions of the causes, after their marks, in the order of the text. */
function causeStarts(stack: string): number[] {
  const starts: number[] = [];
  if (!HAS_MARK.test(stack)) return starts;
  const indentOfSuppressed = leastSuppressedIndent(stack);
  for (const mark of MARKS) {
    let at = stack.indexOf(mark);
    while (at >= 0) {
      const end = isMarkAt(stack, at, indentOfSuppressed) ? endOfMark(stack, at + mark.length) : -1;
      if (end >= 0) starts.push(end);
      if (starts.length > MAX_CAUSES) starts.shift();
      at = stack.indexOf(mark, at + mark.length);
    }
  }
  return starts.sort((a, b) => a - b);
}

/** The position after a mark that ends at `at`; -1 if no type can follow. */
function endOfMark(stack: string, at: number): number {
  if (stack[at - 1] === ' ') return at;
  const end = END_OF_MARK.exec(stack.slice(at, at + MAX_LINE_LENGTH));
  return end === null ? -1 : at + end[0].length;
}

/** `Caused by:` must start a line and not belong to a suppressed exception, `[cause]:` follows its indent. */
function isMarkAt(stack: string, at: number, indentOfSuppressed: number): boolean {
  if (stack[at] === '[') return stack[at - 1] === ' ';
  const letter = stack[at - 1];
  if (letter !== 'C' && letter !== 'c') return false;
  const indent = indentBefore(stack, at - 1);
  return indent === 0 || (indent > 0 && indent < indentOfSuppressed);
}

const SUPPRESSED = 'Suppressed: ';

/** Causes of suppressed exceptions are indented at least as far as the first of these; infinite without suppressed exceptions. */
function leastSuppressedIndent(stack: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = stack.indexOf(SUPPRESSED); at >= 0; at = stack.indexOf(SUPPRESSED, at + SUPPRESSED.length)) {
    const indent = indentBefore(stack, at);
    if (indent >= 0) least = Math.min(least, indent);
  }
  return least;
}

/** UTF-16 units. */
const MAX_INDENT = 128;

/** The white space before a position if it starts the line, else -1. */
function indentBefore(stack: string, at: number): number {
  for (let indent = 0; indent <= MAX_INDENT; indent++) {
    const before = stack[at - indent - 1];
    if (before === '\n' || before === undefined) return indent;
    if (before !== ' ' && before !== '\t') return -1;
  }
  return -1;
}

/** Stacks of the JVM in Android's log, whose every line has a prefix. */
export const logcatParser: StackParser = {
  family: 'jvm',
  isEvidence: (line) => jvmParser.isEvidence(loggedLine(line)?.text.trimStart() ?? ''),
  parse: (stack) => jvmParser.parse(linesOfTrace(linesOf(stack)).join('\n')),
};

/** The lines without their prefix, of the tag of the first call, as others may write in between. */
function linesOfTrace(lines: readonly string[]): string[] {
  const tag = loggedLine(lines.find((line) => logcatParser.isEvidence(line)) ?? '')?.tag;
  return lines.flatMap((line) => {
    const logged = loggedLine(line);
    if (logged === null) return [line];
    return logged.tag === tag ? [logged.text] : [];
  });
}

/** The first row that matches a trimmed line makes it `at package.Class.method(File.java:12)`. */
export const JVM_FORMS: readonly FormRow[] = [
  {
    pattern: /^([\w.$<>-]{3,400}\.[\w$<>-]{1,200}) ?(\([\w$-]{1,100}\.(?:java|clj[cs]?|kt|scala|groovy):\d{1,9}\))$/,
    replacement: 'at $1$2',
    reason: 'The console of Clojure leaves out the word for at, and so do lists of the elements of a stack.',
    examples: [
      ['shop.cart$total.invokeStatic (cart.clj:12)', 'at shop.cart$total.invokeStatic(cart.clj:12)'],
      ['com.acme.Cart.total(Cart.java:12)', 'at com.acme.Cart.total(Cart.java:12)'],
    ],
  },
  {
    pattern:
      /^([\w$-]{1,100}\.(?:java|clj[cs]?|kt|scala|groovy):\d{1,9})\s{1,4}(?:- )?([\w.$<>-]{2,300})[./]([\w.$<>*!?=+-]{1,200})(?:\[fn\])?$/,
    replacement: 'at $2.$3($1)',
    reason: 'Libraries of Clojure and trackers of errors write the source first.',
    examples: [
      ['cart.clj:12 shop.cart/total[fn]', 'at shop.cart.total(cart.clj:12)'],
      ['Cart.kt:12 - com.acme.Cart.total', 'at com.acme.Cart.total(Cart.kt:12)'],
      ['RestFn.java:139 clojure.lang.RestFn.applyTo', 'at clojure.lang.RestFn.applyTo(RestFn.java:139)'],
    ],
  },
];

/** Stacks of the JVM without a word for `at`. */
export const bareJvmParser: StackParser = {
  family: 'jvm',
  isEvidence: (line) => JVM_FORMS.some(({ pattern }) => pattern.test(line)),
  parse: (stack) => jvmParser.parse(linesOf(stack).map(withAt).join('\n')),
};

/** The line as the JVM writes it, with its indent, which tells causes apart. */
function withAt(line: string): string {
  const text = line.trimStart();
  const row = JVM_FORMS.find(({ pattern }) => pattern.test(text));
  return row === undefined ? line : `\t${text.replace(row.pattern, row.replacement)}`;
}
