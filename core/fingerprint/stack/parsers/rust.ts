import { createFrame, type StackFrame } from '../frames.js';
import { isAppFile, isAppModule } from '../in-app.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { parsedStack } from './traced-exception.js';

const TITLE = /^(?:stack backtrace:|━+ BACKTRACE ━+)$/i;
const CALL = /^\d{1,5}:\s{1,8}(?:0x[0-9a-f]{1,16} - )?(\S.{0,800})$/;
const LOCATION = /^at (\S.{0,600}?):(\d{1,9})(?::(\d{1,9}))?$/;
const RUST_LOCATION = /^at \S.{0,600}\.rs:\d{1,9}(?::\d{1,9})?$/;
const PANICKED = /^(?:thread '.{0,200}' (?:\(\d{1,12}\) )?)?panicked at (?:(\S.{0,400}\.rs):(\d{1,9}):(\d{1,9}):$)?/;
/** The older form: a quoted message, possibly of several lines, then the location. */
const OLD_LOCATION = /', ([^\s'][^']{0,400}\.rs):(\d{1,9}):(\d{1,9})$/;
/** The eyre library prints where an error was created on the next line. */
const CREATED = 'Location:';
const CREATED_AT = /^(\S.{0,400}\.rs):(\d{1,9})(?::(\d{1,9}))?$/;
const CAUSES = /^[Cc]aused by:$/;
const CAUSE = /^(?:\d{1,3}: )?(\S.{0,1000})$/;
const HASH = /::h[0-9a-f]{16}$/;
const CRATE_HASH = /\[[0-9a-f]{6,16}\]/g;
/** Type parameters as in `<F as …>`, and types of the language. */
const TYPE_PARAMETER = /^<&?(?:mut )?(?:[A-Z]\w?|[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|\(\)) as /;
const TYPE_ARGUMENTS = /::<.*$/;
const CLOSURES = /(?:::\{\{?(?:closure|async_fn|async_block|async_closure)(?:_env)?(?:#\d{1,6})?\}?\})+$/;

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

function frameOf(written: string, at: string | null): StackFrame | null {
  const whole = written.replace(HASH, '').replace(CRATE_HASH, '').replace(CLOSURES, '');
  if (whole === '' || whole.startsWith('<unknown>')) return null;
  const [, path, line, column] = (at === null ? null : LOCATION.exec(at)) ?? [];
  const split = lastColons(whole);
  return createFrame({
    name: (split < 0 ? whole : whole.slice(split + 2)).replace(TYPE_ARGUMENTS, ''),
    module: whole.slice(0, Math.max(0, split)),
    path,
    line,
    column,
    // A name without a crate is the start of a program or a thread.
    inApp: split >= 0 && isAppModule(whole) && !TYPE_PARAMETER.test(whole) && isAppFile(path ?? ''),
  });
}

/** Position of the last `::` outside angle brackets; -1 without one. */
function lastColons(name: string): number {
  let depth = 0;
  for (let at = name.length - 1; at > 0; at--) {
    if (name[at] === '>' && name[at - 1] !== '-') depth++;
    else if (name[at] === '<') depth--;
    else if (depth === 0 && name[at] === ':' && name[at - 1] === ':') {
      // `::<` starts type arguments.
      if (name[at + 1] !== '<') return at - 1;
    }
  }
  return -1;
}

function panicLocation(lines: readonly string[]): StackFrame | null {
  const start = lines.findIndex((line) => PANICKED.test(line) || line === CREATED);
  if (start < 0) return null;
  let location = PANICKED.exec(lines[start] ?? '') ?? CREATED_AT.exec(lines[start + 1] ?? '');
  for (let at = start; location?.[1] === undefined && at < lines.length; at++)
    location = OLD_LOCATION.exec(lines[at] ?? '');
  const [, path, line, column] = location ?? [];
  return path === undefined ? null : createFrame({ path, line, column });
}
