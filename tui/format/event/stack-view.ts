import type { StackFrame } from '../../../core/fingerprint/stack/frames.js';
import { readStackLines, type StackLine, type StackLines } from '../../../core/fingerprint/stack/stack-lines.js';
import { frameLocation, frameText, type SourceLocation } from '../../../core/source-code/source-location.js';

/** One call of the stack. */
export interface ShownFrame {
  /** Its line without the prefix of its language, such as `at `. */
  readonly text: string;
  readonly frame: StackFrame;
  /** Undefined if the text does not name a file. */
  readonly location: SourceLocation | undefined;
  /** The source line below the call, if the text has one. */
  readonly source: string | undefined;
  /** Of the event, for links to the source. */
  readonly release: string | null;
}

/** The role of an error in a chain. */
export type ErrorRelation = 'reported' | 'cause' | 'member' | 'suppressed';

export interface ShownError {
  readonly relation: ErrorRelation;
  readonly type: string | null;
  /** May have several lines or be empty. */
  readonly message: string;
  /** Innermost first. */
  readonly frames: readonly ShownFrame[];
  /** Lines after the frames, for example `... 12 more`. */
  readonly rest: readonly string[];
  /** Whether its type and message group the event; false for a single error. */
  readonly isRoot: boolean;
}

/** The errors of a stack, the reported one first. */
export interface StackView {
  /** Empty if the text has no frames. */
  readonly errors: readonly ShownError[];
  /** The lines of a text without frames, else empty. */
  readonly text: readonly string[];
  /** Whether only the start of the stack was parsed. */
  readonly isCut: boolean;
}

interface OpenError {
  relation: ErrorRelation;
  frames: ShownFrame[];
  rest: string[];
  /** Name and message. */
  head: string[];
}

const CHAIN_PREFIXES: readonly (readonly [string, ErrorRelation])[] = [
  ['Caused by: ', 'cause'],
  ['[cause]: ', 'cause'],
  ['Wrapped by: ', 'cause'],
  ['Suppressed: ', 'suppressed'],
];
const HEADER =
  /^\[?(?:Exception in thread "[^"]{0,200}" )?(?:Uncaught )?([A-Za-z_$][\w.$]{0,255})(?: \[\w{1,60}\])?(?:: ?(.*))?$/s;
const MEMBER = /^\[?[A-Za-z_$][\w.$]{0,255}(?:Error|Exception|Failure)(?: \[\w{1,60}\])?(?:: |$)/;
const PYTHON_LINK = /^(?:The above exception was the direct cause|During handling of the above exception)/;
const PYTHON_TITLE = /Traceback \(most recent call last\)/;
/** Closing lines of errors that Node inspected. */
const CLOSING = /^[[\]{},]+$|^\[errors\]: \[$/;

/** Parses the stack of an event of a release for display. Never throws. */
export function stackView(stack: string, release: string | null = null): StackView {
  const lines = readStackLines(stack);
  const { isCut } = lines;
  if (lines.family === null) return { errors: [], text: lines.lines.map(({ text }) => text), isCut };
  const isPython = lines.family === 'python';
  const parsed = isPython ? parsePythonErrors(lines.lines) : parseErrors(lines.lines);
  // These texts start with the root cause.
  const isRootFirst = isPython || stack.includes('\nWrapped by: ');
  const errors = isRootFirst
    ? parsed.toReversed().map((error, index): OpenError => ({ ...error, relation: index === 0 ? 'reported' : 'cause' }))
    : parsed;
  return {
    errors: withRoot(
      errors.map((error) => finishError(error, release)),
      lines,
    ),
    text: [],
    isCut,
  };
}

function parseErrors(lines: readonly StackLine[]): OpenError[] {
  const errors: OpenError[] = [];
  let open = newError('reported');
  const begin = (relation: ErrorRelation, head: string): void => {
    if (open.frames.length > 0 || open.head.length > 0) errors.push(open);
    open = newError(relation);
    open.head.push(head);
  };
  for (const [index, { text, indent, frame }] of lines.entries()) {
    if (frame !== null) {
      open.frames.push(shownFrame(text, frame));
      continue;
    }
    if (CLOSING.test(text)) continue;
    const link = CHAIN_PREFIXES.find(([prefix]) => text.startsWith(prefix));
    if (link !== undefined) begin(link[1], text.slice(link[0].length));
    else if (open.frames.length === 0) open.head.push(text);
    else if (indent > 0 && MEMBER.test(text) && lines[index + 1]?.frame != null) begin('member', text);
    else open.rest.push(text);
  }
  return [...errors, open];
}

/** Python prints the calls first, innermost last, then the name of the error. */
function parsePythonErrors(lines: readonly StackLine[]): OpenError[] {
  const errors: OpenError[] = [];
  let open = newError('reported');
  const end = (): void => {
    if (open.frames.length > 0 || open.head.length > 0) errors.push(open);
    open = newError('reported');
  };
  for (const { text, indent, frame } of lines) {
    const isHeadBegun = open.head.length > 0;
    if (frame !== null) {
      if (isHeadBegun) end();
      open.frames.unshift(shownFrame(text, frame));
    } else if (PYTHON_LINK.test(text) || PYTHON_TITLE.test(text)) {
      end();
    } else if (!isHeadBegun && indent > 0 && open.frames.length > 0) {
      open.frames = withSource(open.frames, text);
    } else {
      open.head.push(text);
    }
  }
  end();
  return errors;
}

/** Gives the first frame its source line; the lines of carets below it are dropped. */
function withSource(frames: ShownFrame[], source: string): ShownFrame[] {
  const [first, ...others] = frames;
  return first === undefined || first.source !== undefined ? frames : [{ ...first, source }, ...others];
}

function newError(relation: ErrorRelation): OpenError {
  return { relation, frames: [], rest: [], head: [] };
}

function finishError({ relation, frames: shown, rest, head }: OpenError, release: string | null): ShownError {
  const [first = '', ...more] = head;
  const header = HEADER.exec(first);
  const text = header === null ? first : (header[2] ?? '');
  const frames = shown.map((frame) => ({ ...frame, release }));
  return { relation, type: header?.[1] ?? null, message: [text, ...more].join('\n'), frames, rest, isRoot: false };
}

/** Marks the error that the grouping uses as root cause. */
function withRoot(errors: readonly ShownError[], { rootCause, rootMessage }: StackLines): readonly ShownError[] {
  if (rootCause === null || errors.length < 2) return errors;
  const fits = ({ type, message, relation }: ShownError): boolean =>
    relation !== 'suppressed' && type === rootCause && (rootMessage === null || message.startsWith(rootMessage));
  const exact = errors.findLastIndex(fits);
  const root =
    exact >= 0 ? exact : errors.findLastIndex(({ relation, type }) => relation !== 'suppressed' && type === rootCause);
  return errors.map((error, index) => (index === root ? { ...error, isRoot: true } : error));
}

function shownFrame(line: string, frame: StackFrame): ShownFrame {
  const text = frameText(line);
  return { text, frame, location: frameLocation(text, frame), source: undefined, release: null };
}
