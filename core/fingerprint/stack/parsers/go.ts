import { splitPosition, writtenCall } from '../families/call.js';
import { goFrame } from '../families/go-frame.js';
import type { StackFrame } from '../frames.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { framesOf, parsedStack, type TracedException } from './traced-exception.js';

const GOROUTINE = /^goroutine \d{1,12} (?:gp=\S{1,20} m=\S{1,20} (?:mp=\S{1,20} )?)?\[([^\]]{0,200})\]/;
const LOCATION = /^(\S.{0,600}\.go:\d{1,9})(?: \+0x[0-9a-f]{1,16})?(?: fp=0x.{1,80})?$/;
const FUNCTION = /^[A-Za-z_][^\s()]{0,400}(?:\([^)\s]{1,200}\)[^\s()]{0,300})?(?:\(.*\))?$/;
/** Libraries that recover panics: the location and its address, then the function without its package and the line of source. */
const ADDRESSED = /^(\S.{0,600}\.go:\d{1,9}) \(0x[0-9a-f]{1,16}\)$/;
const ADDRESSED_FUNCTION = /^([A-Za-z_(][^\s:]{0,300})(?:: |$)/;
/** Function and location in one line. */
const INLINE = /^([A-Za-z_][^\s:]{0,300}\.[^\s:]{1,200}):(\S{1,600}\.go:\d{1,9})$/;
/** What libraries draw before the lines of a stack. */
const DRAWN = /^\s{0,40}(?:\||->)(?=\s)/;
const PANIC = /^\s{0,40}panic: (.{0,1000})$/;
/** What the runtime appends to the value of a panic. */
const RECOVERED = /(?: \[(?:recovered|repanicked|recovered, repanicked)\])+$/;
/** The value of a panic that a library recovered, and what may follow in its line. */
const CAUGHT =
  /(?:\bhttp: panic serving \S{1,100}: |\[PANIC RECOVER\] |\bObserved a panic: )(.{1,1000}?)(?: goroutine \d{1,12} \[.{0,100})?$/;
/** Before the request and the value; https://pkg.go.dev/github.com/gin-gonic/gin#Recovery. */
const CAUGHT_ABOVE = /\bpanic recovered:$/;
/** In each text with such a line. */
const CAUGHT_MARKS = ['http: panic serving ', '[PANIC RECOVER] ', 'Observed a panic: ', 'panic recovered:'] as const;
const PANIC_CALL = /^(?:runtime\.go)?panic(?:\(|$)/;
/** Lines of a text in which the value of a panic is searched. */
const MAX_HEADER = 32;
/** Types of values that are not text: `(*shop.Error) 0xc0…` and `shop.Error{…}`. */
const TYPED = /^\((\*?[\w./-]{1,256})\) |^(\*?[\w./-]{1,256}\.\w{1,128})[({]/;
const RACE = 'WARNING: DATA RACE';

/** A call of two lines. */
interface GoCall {
  readonly name: string;
  /** Path and line. */
  readonly location: string;
  /** Whether the name has no package. */
  readonly isBare?: true;
}

/** Calls of one goroutine or one error, with the text before them. */
interface CallGroup {
  readonly calls: GoCall[];
  readonly message: string | null;
}

/**
 * Go: a call and its location on the next line. A panic's root is above the outermost call of `panic`; of errors with stacks the first is the
 * root.
 */
export const goParser: StackParser = {
  family: 'go',
  isEvidence: (line) => (line.startsWith('goroutine ') ? GOROUTINE.test(line) : isLocation(line)),
  parse: (stack) => {
    const isDrawn = stack.includes('| ') || stack.includes('-> ');
    const lines = isDrawn ? linesOf(stack).map((line) => line.replace(DRAWN, '')) : linesOf(stack);
    const parsed = parsedStack(exceptionsOf(lines));
    if (stack.includes(RACE)) return { ...parsed, rootCause: 'DATA RACE' };
    const isCaught = parsed.rootCause === null && CAUGHT_MARKS.some((mark) => stack.includes(mark));
    const caught = isCaught ? caughtPanic(lines) : null;
    return caught === null ? parsed : { ...parsed, rootCause: nameOfPanic(caught), rootMessage: caught };
  },
};

function isLocation(line: string): boolean {
  return line.includes('.go:') && (LOCATION.test(line) || ADDRESSED.test(line));
}

function exceptionsOf(lines: readonly string[]): TracedException[] {
  const goroutine = runningGoroutine(lines);
  if (goroutine === null) {
    // A race has one group for each access; the first one was found.
    const groups = lines.some((line) => line.endsWith(RACE)) ? callGroups(lines).slice(0, 1) : callGroups(lines);
    return groups.map(({ calls, message }) => traced(splitAtPanics(calls).at(-1) ?? [], null, message));
  }
  const panics = splitAtPanics(callGroups(goroutine).flatMap((group) => group.calls));
  const messages = panicMessages(lines);
  const type = messages.length > 0 ? 'panic' : null;
  const rootFirst = panics
    .toReversed()
    .map((calls, at) => traced(calls, type, at === 0 ? (messages[0] ?? null) : null));
  // A panic that was recovered and raised again may have one stack only.
  return rootFirst.length === 1 && messages.length > 1 ? [...rootFirst, traced([], type, null)] : rootFirst;
}

/** Returns the lines of the running goroutine, else of the first one; null without a goroutine. */
function runningGoroutine(lines: readonly string[]): readonly string[] | null {
  const starts = [...lines.keys()].filter((at) => GOROUTINE.test((lines[at] ?? '').trimStart()));
  const running = starts.find((at) => GOROUTINE.exec((lines[at] ?? '').trimStart())?.[1]?.startsWith('running'));
  const start = running ?? starts[0];
  if (start === undefined) return null;
  const isEnd = (line: string) => line === '' || line.startsWith('created by ') || GOROUTINE.test(line);
  const end = lines.findIndex((line, at) => at > start && isEnd(line.trimStart()));
  return lines.slice(start + 1, end < 0 ? lines.length : end);
}

/** Groups consecutive calls, with the line of text before them. */
function callGroups(lines: readonly string[]): CallGroup[] {
  const groups: CallGroup[] = [];
  let isOpen = false;
  let message: string | null = null;
  for (const [at, raw] of lines.entries()) {
    const line = raw.trim();
    if (isLocation(line)) {
      const call = callAt(lines, at);
      if (call === null) continue;
      if (!isOpen) groups.push({ calls: [], message });
      isOpen = true;
      message = null;
      groups.at(-1)?.calls.push(call);
    } else if (line !== '' && !isPartOfCall(lines, at) && !line.startsWith('...')) {
      isOpen = false;
      message ??= line;
    }
  }
  return groups;
}

/** The call whose location is at `at`; null if no function stands above, below or in the same line, unless the text lists only locations. */
function callAt(lines: readonly string[], at: number): GoCall | null {
  const line = (lines[at] ?? '').trim();
  const addressed = line.endsWith(')') ? ADDRESSED.exec(line)?.[1] : undefined;
  if (addressed !== undefined) {
    const name = ADDRESSED_FUNCTION.exec((lines[at + 1] ?? '').trim())?.[1] ?? '';
    return { name, location: addressed, isBare: true };
  }
  // A path has a line behind its colon.
  const [, inline, place] = /:\D/.test(line) ? (INLINE.exec(line) ?? []) : [];
  if (inline !== undefined && place !== undefined) return { name: inline, location: place };
  const above = (lines[at - 1] ?? '').trim();
  const location = LOCATION.exec(line)?.[1] ?? '';
  if (FUNCTION.test(above)) return { name: above, location };
  const isListed = location.startsWith('/') && [above, (lines[at + 1] ?? '').trim()].some(isLocation);
  return isListed ? { name: '', location } : null;
}

/** Whether a line names the function of the location below it, or of the address above it. */
function isPartOfCall(lines: readonly string[], at: number): boolean {
  const above = (lines[at - 1] ?? '').trim();
  return isLocation((lines[at + 1] ?? '').trim()) || (above.endsWith(')') && ADDRESSED.test(above));
}

/** Splits calls at panics: each part begins with a deferred function, except the last, which failed first. */
function splitAtPanics(calls: readonly GoCall[]): GoCall[][] {
  const parts: GoCall[][] = [[]];
  for (const call of calls) {
    if (PANIC_CALL.test(call.name)) parts.push([]);
    else parts.at(-1)?.push(call);
  }
  return parts.length > 1 && parts[0]?.length === 0 ? parts.slice(1) : parts;
}

/** Returns the values of panics, the first failure first; a value that was raised again counts once. */
function panicMessages(lines: readonly string[]): string[] {
  const messages: string[] = [];
  for (const line of lines) {
    const value = PANIC.exec(line)?.[1]?.replace(RECOVERED, '');
    if (value !== undefined && value !== messages.at(-1)) messages.push(value);
    else if (value === undefined && GOROUTINE.test(line)) break;
  }
  return messages;
}

/** Returns the value of a panic that a library recovered and wrote before the stack; null if it is not known. */
function caughtPanic(lines: readonly string[]): string | null {
  for (const [at, line] of lines.slice(0, MAX_HEADER).entries()) {
    const value = CAUGHT.exec(line)?.[1];
    if (value !== undefined) return value;
    if (CAUGHT_ABOVE.test(line)) return lineAboveStack(lines, at);
  }
  return null;
}

/** Names a panic by the type of its value, if the runtime or a library wrote it. */
export function nameOfPanic(value: string): string {
  const match = TYPED.exec(value);
  const type = match?.[1] ?? match?.[2];
  return type === undefined ? 'panic' : `panic(${type})`;
}

/** The last line of text between `start` and the first location. */
function lineAboveStack(lines: readonly string[], start: number): string | null {
  const end = lines.findIndex((line, at) => at > start && isLocation(line.trim()));
  const text = lines.slice(start + 1, Math.max(0, end)).findLast((line) => line !== '');
  return text ?? null;
}

function traced(calls: readonly GoCall[], type: string | null, message: string | null): TracedException {
  return { type, message, frames: framesOf(calls, frameOf) };
}

function frameOf({ name, location, isBare }: GoCall): StackFrame {
  const place = splitPosition(location);
  if (isBare !== true) return goFrame(writtenCall({ name: withoutArguments(name), ...place }));
  // The first part of a name is read as its package.
  return { ...goFrame(writtenCall({ name: `_.${name}`, ...place })), module: null };
}

/** Arguments are in the last parentheses; a receiver in parentheses is followed by its method. */
function withoutArguments(name: string): string {
  return name.endsWith(')') ? name.slice(0, name.lastIndexOf('(')) : name;
}
