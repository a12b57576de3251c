import { writtenCall } from '../families/call.js';
import { rustFrame } from '../families/rust-frame.js';
import type { StackFrame } from '../frames.js';
import { linesOf, splitPosition } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { parsedStack } from './traced-exception.js';

const TITLE = /^(?:stack backtrace:|━+ BACKTRACE ━+)$/i;
const CALL = /^\d{1,5}:\s{1,8}(?:0x[0-9a-f]{1,16} - )?(\S.{0,800})$/;
const RUST_LOCATION = /^at \S.{0,600}\.rs:\d{1,9}(?::\d{1,9})?$/;
const PANICKED = /^(?:thread '.{0,200}' (?:\(\d{1,12}\) )?)?panicked at (?:(\S.{0,400}\.rs(?::\d{1,9}){2}):$)?/;
/** The older form: a quoted message, possibly of several lines, then the location. */
const OLD_LOCATION = /', ([^\s'][^']{0,400}\.rs(?::\d{1,9}){2})$/;
/** The eyre library prints where an error was created on the next line. */
const CREATED = 'Location:';
const CREATED_AT = /^(\S.{0,400}\.rs(?::\d{1,9}){1,2})$/;
const CAUSES = /^[Cc]aused by:$/;
const CAUSE = /^(?:\d{1,3}: )?(\S.{0,1000})$/;

/** Rust: a panic with its location, then numbered calls, each with its location on the next line; causes are a list, the root last. */
export const rustParser: StackParser = {
  family: 'rust',
  isEvidence: (line) =>
    (line.includes('.rs:') && RUST_LOCATION.test(line)) || line === CREATED || PANICKED.test(line) || TITLE.test(line),
  parse: (stack) => {
    const lines = linesOf(stack).map((line) => line.trimStart());
    const error = { type: null, message: null, frames: () => framesOf(lines) };
    return { ...parsedStack([error]), rootMessage: rootMessage(lines) };
  },
};

/** Returns the last entry of the list of causes, which ends at an empty line. */
function rootMessage(lines: readonly string[]): string | null {
  const start = lines.findIndex((line) => CAUSES.test(line));
  if (start < 0) return null;
  let root: string | null = null;
  for (const line of lines.slice(start + 1)) {
    if (line === '' || TITLE.test(line)) break;
    // Further lines of a message have no number.
    if (root === null || /^\d{1,3}: /.test(line)) root = CAUSE.exec(line)?.[1] ?? root;
  }
  return root;
}

/** The calls of the first backtrace; without names, the location of the panic. */
function* framesOf(lines: readonly string[]): Iterable<StackFrame> {
  let isNamed = false;
  for (const { name, location } of callsOf(lines)) {
    const frame = frameOf(name, location);
    if (frame === null) continue;
    isNamed = true;
    yield frame;
  }
  if (isNamed) return;
  const panicked = panicLocation(lines);
  if (panicked !== null) yield panicked;
}

interface Call {
  readonly name: string;
  /** Null without debug information. */
  readonly location: string | null;
}

/** A name without a number, of a call that was inlined. */
const INLINED_CALL = /^[A-Za-z_<][\w:<>{}#, ]{0,400}$/;

/** The calls of the first backtrace: a name, usually with a location on the next line. */
function callsOf(lines: readonly string[]): Call[] {
  const calls: Call[] = [];
  /** The name whose location may follow. */
  let waiting: string | null = null;
  for (const line of backtraceOf(lines)) {
    const isLocation = line.startsWith('at ');
    const name: string | null = isLocation ? null : nameIn(line);
    if (!isLocation && name === null) continue;
    if (waiting !== null) calls.push({ name: waiting, location: isLocation ? line : null });
    waiting = name;
  }
  if (waiting !== null) calls.push({ name: waiting, location: null });
  return calls;
}

/** The lines from the title of the first backtrace up to what follows it. */
function backtraceOf(lines: readonly string[]): readonly string[] {
  const title = lines.findIndex((line) => TITLE.test(line));
  if (title < 0) return [];
  const end = lines.findIndex((line, at) => at > title && (line.startsWith('note: ') || line.startsWith("thread '")));
  return lines.slice(title + 1, end < 0 ? lines.length : end);
}

function nameIn(line: string): string | null {
  return CALL.exec(line)?.[1] ?? (INLINED_CALL.test(line) ? line : null);
}

function frameOf(name: string, at: string | null): StackFrame | null {
  const location = at === null ? {} : splitPosition(at.slice('at '.length));
  return rustFrame(writtenCall({ name, ...location }));
}

function panicLocation(lines: readonly string[]): StackFrame | null {
  const start = lines.findIndex((line) => PANICKED.test(line) || line === CREATED);
  if (start < 0) return null;
  let location = PANICKED.exec(lines[start] ?? '') ?? CREATED_AT.exec(lines[start + 1] ?? '');
  for (let at = start; location?.[1] === undefined && at < lines.length; at++)
    location = OLD_LOCATION.exec(lines[at] ?? '');
  const at = location?.[1];
  return at === undefined ? null : rustFrame(writtenCall(splitPosition(at)));
}
