import { cutText, plainText } from '../../event/text.js';
import { frameKey, frameLabel, type StackFrame } from './frames.js';
import type { ParsedStack, ReadLater } from './parsers/stack-parser.js';
import { isWholeProgram, wrapperKind } from './wrappers.js';

const MAX_CULPRIT = 256;
/** Who looks at arguments, and who passed them. */
const CALLERS_OF_CHECK = 2;
/** A frame without a name says little: so many are taken until one has a name. */
const MAX_UNNAMED = 3;

/** The frames that decide a grouping, as text, and why these. */
export interface DecidingFrames {
  readonly keys: string[];
  /** For people; one line, at most 256 UTF-16 units. Null when nothing of it can be shown. */
  readonly culprit: string | null;
  readonly reason: string;
  /** Why they do not tell one failure of the application from another; null when they do. */
  readonly doubt: string | null;
  /** The frame that people are shown. */
  readonly shown: Pick<StackFrame, 'function' | 'module' | 'file'>;
}

/** The innermost frame of the application that does work of its own, or what comes nearest to it; null when no frame has a name or a file. */
export function decideFrames(stack: ParsedStack): DecidingFrames | null {
  const taken: StackFrame[] = [];
  const working: StackFrame[] = [];
  let named = 0;
  let unnamed = 0;
  let raising: StackFrame | undefined;
  const foreign: ReadLater[] = [];
  let isCheck = false;
  let culprit: StackFrame | undefined;
  let callers = 1;
  const take = (frame: StackFrame): boolean => {
    if (!frame.inApp) {
      foreign.push(() => frame);
      return true;
    }
    if (isBlank(frame)) return true;
    const kind = wrapperKind(frame);
    if (kind === 'raises' || kind === 'checks') {
      raising = frame;
      if (kind === 'checks') callers = CALLERS_OF_CHECK;
    }
    if (kind !== null) return true;
    if (isAmong(frame, working)) return true;
    working.push(frame);
    if (raising !== undefined) {
      taken.push(raising);
      isCheck = true;
      raising = undefined;
    }
    taken.push(frame);
    if (frame.function === null) unnamed++;
    else {
      named++;
      culprit ??= frame;
    }
    return named < callers && unnamed < MAX_UNNAMED;
  };
  stack.walk(take, (read) => foreign.push(read));
  if (culprit !== undefined) {
    return decided(
      taken,
      'Innermost frame of the application that does work of its own.',
      doubtOf(culprit, isCheck),
      culprit,
    );
  }
  if (taken.length > 0) {
    return decided(taken, 'Innermost frames of the application; none has a name.', 'no frame has a name');
  }
  if (raising !== undefined) {
    return decided(
      [raising],
      'The application has no frame but one that raises for its callers.',
      'the frame only raises for its callers',
    );
  }
  const library = innermostForeign(foreign);
  if (library === undefined) return null;
  return decided(
    [library],
    'No frame belongs to the application: the innermost one of a library.',
    'no frame belongs to the application',
  );
}

/** The innermost frame of a library that does work of its own, else the outermost one; undefined when no frame has a name or a file. */
function innermostForeign(foreign: readonly ReadLater[]): StackFrame | undefined {
  let last: StackFrame | undefined;
  for (const read of foreign) {
    const frame = read();
    if (frame === null || isBlank(frame)) continue;
    last = frame;
    if (wrapperKind(frame) === null) break;
  }
  return last;
}

function isBlank(frame: StackFrame): boolean {
  return frame.function === null && frame.file === null && frame.module === null;
}

/** Whether a call comes again; only few are taken. */
function isAmong(frame: StackFrame, others: readonly StackFrame[]): boolean {
  if (others.length === 0) return false;
  const key = frameKey(frame);
  return others.some((other) => frameKey(other) === key);
}

function doubtOf(culprit: StackFrame, isCheck: boolean): string | null {
  if (isWholeProgram(culprit)) return 'the frame is the whole program';
  return isCheck ? 'a check failed, and its message says which' : null;
}

/** Frames as a decision; a frame that follows itself counts once. `shown`: the culprit; absent: the last one. */
function decided(
  frames: readonly StackFrame[],
  reason: string,
  doubt: string | null,
  shown: StackFrame | undefined = frames.at(-1),
): DecidingFrames | null {
  const keys: string[] = [];
  let label: string | undefined;
  for (const frame of frames) {
    const key = plainText(frameKey(frame));
    if (key !== keys.at(-1)) keys.push(key);
    // Without a module the two are the same text.
    if (frame === shown && frame.module === null) label = key;
  }
  if (shown === undefined) return null;
  label ??= plainText(frameLabel(shown));
  return {
    keys,
    culprit: label === '' ? null : cutText(label, MAX_CULPRIT),
    reason,
    doubt,
    shown: { function: shown.function, module: shown.module, file: shown.file },
  };
}

/** Linear; tried on names and messages. */
const NAMED =
  /stack ?overflow|recursion|call stack|stack level too deep|stack exhausted|overflowed its stack|stack exceeds|nesting level/i;
/** Frames in which a cycle is looked for. */
const WINDOW = 512;
/** Different calls that a cycle may have. */
const MAX_CYCLE = 8;
/** UTF-16 units of a name or a message in which an overflow may be named. */
const MAX_HEADER = 512;

/** Whether a name or a message says that calls nested too deeply; the stack is then read for what repeats. */
export function speaksOfOverflow(...texts: readonly (string | null)[]): boolean {
  return texts.some((text) => text !== null && NAMED.test(text.slice(0, MAX_HEADER)));
}

/** The calls that filled a stack, in an order that does not depend on which of them came last; null when they are not most of the application's frames. */
export function decideCycle(stack: ParsedStack): DecidingFrames | null {
  const calls = new Map<string, { frame: StackFrame; count: number }>();
  let seen = 0;
  let counted = 0;
  stack.walk((frame) => {
    seen++;
    if (frame.inApp) counted++;
    const key = frameKey(frame);
    const call = calls.get(key);
    if (call !== undefined) call.count++;
    else if (frame.inApp && key !== '') calls.set(key, { frame, count: 1 });
    return seen < WINDOW;
  });
  const cycle = [...calls].filter(([, call]) => call.count > 1).sort(([a], [b]) => (a < b ? -1 : 1));
  const inCycle = cycle.reduce((sum, [, call]) => sum + call.count, 0);
  if (cycle.length === 0 || inCycle * 2 < counted) return null;
  const frames = cycle.slice(0, MAX_CYCLE).map(([, call]) => call.frame);
  return decided(
    frames,
    'The calls that repeat in a stack that ran over, in alphabetical order.',
    frames.every((frame) => frame.function === null) ? 'no frame has a name' : null,
  );
}
