import { splitPosition, writtenCall } from '../families/call.js';
import { rustFrame } from '../families/rust-frame.js';
import type { StackFrame } from '../frames.js';
import { linesOf, withoutLogPrefix } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { parsedStack } from './traced-exception.js';

const TITLE = /^(?:stack backtrace:|━+ BACKTRACE ━+|at \S.{0,600} with backtrace:|backtrace = (?:'''|"""))$/i;
/** What programs write themselves; other languages write it too. */
const OWN_TITLE = /^(?:\w{1,20} )?backtrace:$/i;
const CALL = /^\d{1,5}:\s{1,8}(?:0x[0-9a-f]{1,16} - )?(\S.{0,800})$/;
/** Without an address it may be the first of a list of causes. */
const FIRST_CALL = /^0:\s{1,8}0x[0-9a-f]{1,16} - /;
const RUST_LOCATION = /^[Aa]t (\S.{0,600}\.rs(?::\d{1,9}){1,2})(?: with backtrace:)?$/;
const UNKNOWN_LOCATION = /^at <unknown source file>/;
const PANICKED =
  /(?:^|\s)(?:thread (?:'.{0,200}' )?(?:\(\d{1,12}\) )?)?panicked at (?:([^\s'].{0,400}\.rs(?::\d{1,9}){1,2}):?$)?/;
/** The older form: a quoted message, possibly of several lines, then the location. */
const OLD_LOCATION = /'(?:,|:) ([^\s'][^']{0,400}\.rs(?::\d{1,9}){1,2})$/;
/** Libraries of reports print where an error was created on the same or the next line. */
const CREATED = /^Location:(?:\s+(\S.{0,400}\.rs(?::\d{1,9}){1,2}))?$/;
const CREATED_AT = /^(\S.{0,400}\.rs(?::\d{1,9}){1,2})$/;
/** A place in brackets, alone or above lines of source. */
const IN_BRACKETS = /^\[(\S.{0,400}\.rs(?::\d{1,9}){1,2})\]$/;
/** The place of a panic in a report for people. */
const OCCURRED = /\bPanic occurred in file '(\S.{0,400}\.rs)' at line (\d{1,9})$/;
/** Panics as libraries of reports head them, and the lines with their message. */
const REPORTED = /^(?:The application panicked \(crashed\)\.|(?:× )?\S.{0,80} panicked\.)$/;
/** In each of these lines. */
const REPORT_MARKS = [' panicked.', ' panicked (crashed).'] as const;
const MESSAGE = /^Message:\s+(\S.{0,1000})$/;
const CAUSES = /^(?:[Cc]aused by|Error):$/;
const CAUSE = /^(?:\d{1,3}: )?(\S.{0,1000})$/;
/** What libraries of reports draw before a line. */
const DRAWN = /^\s*[│├╰╭]?─*▶?\s*/;
/** The last of the causes that they draw. */
const DRAWN_ROOT = /^[^\S\n]{0,40}╰─▶ (\S.{0,1000})$/m;
/** The start of lines in a log of Android. */
const LOGGED = /^(?:\d{4}-\d\d-\d\d |[VDIWEFA]\/)/;
/** Colours of a terminal. */
const COLOURS = /\u001b\[[\d;]{0,16}m/g;

/** Rust: a panic with its location, then numbered calls, each with its location on the next line; causes are a list, the root last. */
export const rustParser: StackParser = {
  family: 'rust',
  isEvidence: (line) => (line.startsWith('at ') ? isLocation(line) : isHeader(plainLine(line))),
  parse: (stack) => {
    const lines = wholeLines(linesOf(stack).map(plainLine));
    const parsed = parsedStack([{ type: null, message: null, frames: () => framesOf(lines) }]);
    const mayBeReport = REPORT_MARKS.some((mark) => stack.includes(mark));
    const reported = mayBeReport ? lines.findIndex((line) => REPORTED.test(line)) : -1;
    if (reported < 0) return { ...parsed, rootMessage: rootMessage(lines) };
    const message = DRAWN_ROOT.exec(stack)?.[1] ?? reportedMessage(lines.slice(reported + 1));
    return { ...parsed, rootCause: 'panic', rootMessage: message };
  },
};

function isLocation(line: string): boolean {
  return line.includes('.rs:') && RUST_LOCATION.test(line);
}

function isHeader(text: string): boolean {
  if (text.includes('panicked') && (REPORTED.test(text) || PANICKED.test(text))) return true;
  if (text.includes('.rs:') && (isLocation(text) || CREATED.test(text) || IN_BRACKETS.test(text))) return true;
  return text === 'Location:' || TITLE.test(text) || (text.includes('Panic occurred ') && OCCURRED.test(text));
}

/** Joins names and paths that a report broke at the width of the terminal. */
function wholeLines(lines: readonly string[]): readonly string[] {
  if (!lines.some(isBroken)) return lines;
  const whole: string[] = [];
  for (const line of lines) {
    const before = whole.at(-1) ?? '';
    if (isBroken(before)) whole[whole.length - 1] = `${before}${before.endsWith(' as') ? ' ' : ''}${line}`;
    else whole.push(line);
  }
  return whole;
}

function isBroken(line: string): boolean {
  return (line.endsWith(' as') && CALL.test(line)) || (line.endsWith('/') && line.startsWith('at '));
}

function plainLine(line: string): string {
  const written = (line.includes('\u001b') ? line.replace(COLOURS, '') : line).trimStart();
  const text = LOGGED.test(written) ? withoutLogPrefix(written) : written;
  // Drawn lines begin with a sign that is not ASCII.
  return text.charCodeAt(0) > 0x7f ? text.replace(DRAWN, '') : text;
}

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

/** The message of a panic in a report: with a title, or the line below its location. */
function reportedMessage(lines: readonly string[]): string | null {
  const titled = lines.map((line) => MESSAGE.exec(line)?.[1]).find((message) => message !== undefined);
  const location = lines.findIndex((line) => RUST_LOCATION.test(line));
  return titled ?? lines[location + 1] ?? null;
}

/**
 * The calls of the first backtrace; if none is of the application, the location of the panic counts before them, or after them if it is in a
 * library. The start of a program or a thread, which has no crate, comes last.
 */
function* framesOf(lines: readonly string[]): Iterable<StackFrame> {
  const foreign: StackFrame[] = [];
  let hasApp = false;
  for (const { name, location } of callsOf(lines)) {
    const frame = frameOf(name, location);
    if (frame === null) continue;
    if (frame.inApp && !hasApp) {
      hasApp = true;
      yield* foreign;
    }
    if (hasApp) yield frame;
    else foreign.push(frame);
  }
  if (hasApp) return;
  const place = placeOf(lines);
  const panicked = place === null ? null : rustFrame(writtenCall(splitPosition(place)));
  if (panicked?.inApp === true) yield panicked;
  yield* foreign.filter((frame) => frame.module !== null);
  if (panicked?.inApp === false) yield panicked;
  yield* foreign.filter((frame) => frame.module === null);
}

interface RustCall {
  readonly name: string;
  /** Null without debug information. */
  readonly location: string | null;
}

/** A name without a number, of a call that was inlined. */
const INLINED_CALL = /^[A-Za-z_<][\w:<>{}#, ]{0,400}$/;

/** The calls of the first backtrace: a name, usually with a location on the next line. */
function* callsOf(lines: readonly string[]): Iterable<RustCall> {
  /** The name whose location may follow. */
  let waiting: string | null = null;
  for (const line of backtraceOf(lines)) {
    const isLocation = line.startsWith('at ');
    const name: string | null = isLocation ? null : nameIn(line);
    if (!isLocation && name === null) continue;
    if (waiting !== null) yield { name: waiting, location: isLocation ? line : null };
    waiting = name;
  }
  if (waiting !== null) yield { name: waiting, location: null };
}

/** The lines of the first backtrace, which may have no title, up to what follows it. */
function backtraceOf(lines: readonly string[]): readonly string[] {
  const title = lines.findIndex((line) => TITLE.test(line));
  const ownTitle = title < 0 ? lines.findIndex((line) => OWN_TITLE.test(line)) : title;
  const start = ownTitle < 0 ? lines.findIndex((line) => FIRST_CALL.test(line)) : ownTitle + 1;
  if (start < 0) return [];
  const end = lines.findIndex((line, at) => at > start && (line.startsWith('note: ') || line.startsWith("thread '")));
  return lines.slice(start, end < 0 ? lines.length : end);
}

function nameIn(line: string): string | null {
  return CALL.exec(line)?.[1] ?? (INLINED_CALL.test(line) ? line : null);
}

function frameOf(name: string, at: string | null): StackFrame | null {
  const isKnown = at !== null && !UNKNOWN_LOCATION.test(at);
  return rustFrame(writtenCall({ name, ...(isKnown ? splitPosition(at.slice('at '.length)) : {}) }));
}

/** Where the panic or the error was made, as the text says; null if it does not. */
function placeOf(lines: readonly string[]): string | null {
  for (const [at, line] of lines.entries()) {
    const occurred = OCCURRED.exec(line);
    if (occurred !== null) return `${occurred[1]}:${occurred[2]}`;
    const place = RUST_LOCATION.exec(line) ?? IN_BRACKETS.exec(line) ?? CREATED.exec(line) ?? PANICKED.exec(line);
    if (place === null) continue;
    if (place[1] !== undefined) return place[1];
    return CREATED.test(line) ? (CREATED_AT.exec(lines[at + 1] ?? '')?.[1] ?? null) : oldPlace(lines.slice(at));
  }
  return null;
}

/** The location behind a quoted message. */
function oldPlace(lines: readonly string[]): string | null {
  for (const line of lines) {
    const place = OLD_LOCATION.exec(line)?.[1];
    if (place !== undefined) return place;
  }
  return null;
}
