import type { StackFrame } from '../../../core/fingerprint/stack/frames.js';
import { readStackLines, type StackLine, type StackLines } from '../../../core/fingerprint/stack/stack-lines.js';
import { parseSourceLocation, type SourceLocation } from './source-location.js';

/** One call as the stack has it. */
export interface ShownFrame {
  /** Its line without what every line begins with. */
  readonly text: string;
  readonly frame: StackFrame;
  /** Undefined where the text names no file. */
  readonly place: SourceLocation | undefined;
  /** The source line that the text itself has below it; undefined where it has none. */
  readonly source: string | undefined;
}

/** How an error came into a chain. */
export type ErrorRelation = 'reported' | 'cause' | 'member' | 'suppressed';

/** One error of a chain. */
export interface ShownError {
  readonly relation: ErrorRelation;
  /** Null where the text does not name it. */
  readonly type: string | null;
  /** May have several lines; empty where the text has none. */
  readonly message: string;
  /** Innermost first, whatever the order of the text. */
  readonly frames: readonly ShownFrame[];
  /** Lines behind its frames that are no calls, for example `... 12 more`. */
  readonly rest: readonly string[];
  /** Whether its type and message group the event; false where there is one error only. */
  readonly isRoot: boolean;
}

/** A stack as its errors, the reported one first. */
export interface StackView {
  /** Empty where nothing of the text has the form of a frame. */
  readonly errors: readonly ShownError[];
  /** The lines of a text without frames; else empty. */
  readonly text: readonly string[];
  /** Whether the stack is longer than what was read. */
  readonly isCut: boolean;
}

type OpenError = { -readonly [Key in keyof ShownError]: ShownError[Key] } & {
  frames: ShownFrame[];
  rest: string[];
  head: string[];
};

const CHAIN_PREFIXES: readonly (readonly [string, ErrorRelation])[] = [
  ['Caused by: ', 'cause'],
  ['[cause]: ', 'cause'],
  ['Wrapped by: ', 'cause'],
  ['Suppressed: ', 'suppressed'],
];
const HEADER =
  /^\[?(?:Exception in thread "[^"]{0,200}" )?(?:Uncaught )?([A-Za-z_$][\w.$]{0,255})(?: \[\w{1,60}\])?(?:: ?(.*))?$/s;
const MEMBER = /^\[?[A-Za-z_$][\w.$]{0,255}(?:Error|Exception|Failure)(?: \[\w{1,60}\])?(?:: |$)/;
const BEFORE_CALL = /^(?:at |from |in |by )(?:async )?/;
const PYTHON_LINK = /^(?:The above exception was the direct cause|During handling of the above exception)/;
const PYTHON_TITLE = /Traceback \(most recent call last\)/;
const JVM_FILE = /^[^/\\]+\.(?:java|kts?|scala|groovy|cljc?)$/;
/** What inspected errors close. */
const CLOSING = /^[[\]{},]+$|^\[errors\]: \[$/;

/** Reads a stack for people. Total. */
export function stackView(stack: string): StackView {
  const lines = readStackLines(stack);
  const { isCut } = lines;
  if (lines.family === null) return { errors: [], text: lines.lines.map(({ text }) => text), isCut };
  const isPython = lines.family === 'python';
  const read = isPython ? pythonErrors(lines.lines) : errorsOf(lines.lines);
  // There the root comes first in the text.
  const isRootFirst = isPython || stack.includes('\nWrapped by: ');
  const errors = isRootFirst ? asChain(read.toReversed()) : read;
  return { errors: withRoot(errors.map(finishError), lines), text: [], isCut };
}

function errorsOf(lines: readonly StackLine[]): OpenError[] {
  const errors: OpenError[] = [];
  let open = newError('reported');
  const begin = (relation: ErrorRelation, head: string): void => {
    if (open.frames.length > 0 || open.head.length > 0) errors.push(open);
    open = newError(relation);
    open.head.push(head);
  };
  for (const [place, { text, indent, frame }] of lines.entries()) {
    if (frame !== null) {
      open.frames.push(shownFrame(text, frame, undefined));
      continue;
    }
    if (CLOSING.test(text)) continue;
    const mark = CHAIN_PREFIXES.find(([sign]) => text.startsWith(sign));
    if (mark !== undefined) begin(mark[1], text.slice(mark[0].length));
    else if (open.frames.length === 0) open.head.push(text);
    else if (indent > 0 && MEMBER.test(text) && lines[place + 1]?.frame != null) begin('member', text);
    else open.rest.push(text);
  }
  return [...errors, open];
}

/** Python ends an error with its name, and has the calls before it, the innermost one last. */
function pythonErrors(lines: readonly StackLine[]): OpenError[] {
  const errors: OpenError[] = [];
  let open = newError('reported');
  const end = (): void => {
    if (open.frames.length > 0 || open.head.length > 0) errors.push(open);
    open = newError('reported');
  };
  for (const { text, indent, frame } of lines) {
    if (frame !== null) {
      if (open.head.length > 0) end();
      open.frames.unshift(shownFrame(text, frame, undefined));
    } else if (PYTHON_LINK.test(text) || PYTHON_TITLE.test(text)) {
      end();
    } else if (open.head.length === 0 && indent > 0 && open.frames[0] !== undefined) {
      const [first, ...others] = open.frames;
      // Carets below the line say nothing without their place.
      if (first.source === undefined) open.frames = [{ ...first, source: text }, ...others];
    } else open.head.push(text);
  }
  end();
  return errors;
}

function newError(relation: ErrorRelation): OpenError {
  return { relation, type: null, message: '', frames: [], rest: [], isRoot: false, head: [] };
}

function asChain(errors: OpenError[]): OpenError[] {
  return errors.map((error, place) => ({ ...error, relation: place === 0 ? 'reported' : 'cause' }));
}

function finishError({ relation, frames, rest, head }: OpenError): ShownError {
  const [first = '', ...more] = head;
  const header = HEADER.exec(first);
  const said = header === null ? first : (header[2] ?? '');
  return {
    relation,
    type: header?.[1] ?? null,
    message: [said, ...more].join('\n'),
    frames,
    rest,
    isRoot: false,
  };
}

/** Marks the error that the grouping takes for the root. */
function withRoot(errors: readonly ShownError[], { rootCause, rootMessage }: StackLines): readonly ShownError[] {
  if (rootCause === null || errors.length < 2) return errors;
  const fits = ({ type, message, relation }: ShownError): boolean =>
    relation !== 'suppressed' && type === rootCause && (rootMessage === null || message.startsWith(rootMessage));
  const exact = errors.findLastIndex(fits);
  const root =
    exact >= 0 ? exact : errors.findLastIndex(({ relation, type }) => relation !== 'suppressed' && type === rootCause);
  return errors.map((error, place) => (place === root ? { ...error, isRoot: true } : error));
}

function shownFrame(line: string, frame: StackFrame, source: string | undefined): ShownFrame {
  const text = (line.endsWith(' {') ? line.slice(0, -2) : line).replace(BEFORE_CALL, '');
  return { text, frame, place: withPackageFolder(parseSourceLocation(text, frame.line), text, frame), source };
}

/** Java names a file without its folder, which is that of the package. */
function withPackageFolder(
  place: SourceLocation | undefined,
  text: string,
  { module }: StackFrame,
): SourceLocation | undefined {
  if (place === undefined || module === null || !JVM_FILE.test(place.path)) return place;
  const owner = text.slice(0, text.indexOf('(')).split('/').at(-1) ?? '';
  const folders = owner.split('.').slice(0, -2);
  return folders.length === 0 ? place : { ...place, path: `${folders.join('/')}/${place.path}` };
}
