import { writtenCall } from '../families/call.js';
import { goFrame } from '../families/go-frame.js';
import type { StackFrame } from '../frames.js';
import { linesOf } from './frame-lines.js';
import type { StackParser } from './stack-parser.js';
import { framesOf, parsedStack, type TracedException } from './traced-exception.js';

const GOROUTINE = /^goroutine \d{1,12} (?:gp=\S{1,20} m=\S{1,20} (?:mp=\S{1,20} )?)?\[([^\]]{0,200})\]/;
const LOCATION = /^(\S.{0,600}\.go):(\d{1,9})(?: \+0x[0-9a-f]{1,16})?(?: fp=0x.{1,80})?$/;
const FUNCTION = /^[A-Za-z_][^\s()]{0,400}(?:\([^)\s]{1,200}\)[^\s()]{0,300})?(?:\(.*\))?$/;
const PANIC = /^\s{0,40}panic: (.{0,1000})$/;
/** What the runtime appends to the value of a panic. */
const RECOVERED = /(?: \[(?:recovered|repanicked|recovered, repanicked)\])+$/;
const PANIC_CALL = /^(?:runtime\.go)?panic\(/;

/** A call of two lines. */
interface Call {
  readonly name: string;
  readonly location: string;
}

/** Go: a call and its location on the next line. A panic's root is above the outermost call of `panic`; of errors with stacks the first is the root. */
export const goParser: StackParser = {
  family: 'go',
  isEvidence: (line) => (line.startsWith('goroutine ') ? GOROUTINE.test(line) : isLocation(line)),
  parse: (stack) => parsedStack(exceptionsOf(linesOf(stack))),
};

function isLocation(line: string): boolean {
  return line.includes('.go:') && LOCATION.test(line);
}

function exceptionsOf(lines: readonly string[]): TracedException[] {
  const goroutine = runningGoroutine(lines);
  if (goroutine === null) {
    return callGroups(lines).map(({ calls, message }) => traced(calls, null, message));
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
function callGroups(lines: readonly string[]): { calls: Call[]; message: string | null }[] {
  const groups: { calls: Call[]; message: string | null }[] = [];
  let isOpen = false;
  let message: string | null = null;
  for (const [at, raw] of lines.entries()) {
    const line = raw.trimStart();
    if (isLocation(line)) {
      const name = (lines[at - 1] ?? '').trim();
      if (!FUNCTION.test(name)) continue;
      if (!isOpen) groups.push({ calls: [], message });
      isOpen = true;
      message = null;
      groups.at(-1)?.calls.push({ name, location: line });
    } else if (line !== '' && !isLocation((lines[at + 1] ?? '').trimStart()) && !line.startsWith('...')) {
      isOpen = false;
      message ??= line;
    }
  }
  return groups;
}

/** Splits calls at panics: each part begins with a deferred function, except the last, which failed first. */
function splitAtPanics(calls: readonly Call[]): Call[][] {
  const parts: Call[][] = [[]];
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

function traced(calls: readonly Call[], type: string | null, message: string | null): TracedException {
  return { type, message, frames: framesOf(calls, frameOf) };
}

function frameOf({ name, location }: Call): StackFrame {
  const [, path = '', line] = LOCATION.exec(location) ?? [];
  return goFrame(writtenCall({ name: withoutArguments(name), path, line: Number(line) }));
}

/** Arguments are in the last parentheses; a receiver in parentheses is followed by its method. */
function withoutArguments(name: string): string {
  return name.endsWith(')') ? name.slice(0, name.lastIndexOf('(')) : name;
}
