import { cutText, plainText } from '../../event/text.js';
import { frameKey, frameLabel, type StackFrame } from './frames.js';
import type { DeferredFrame, ParsedStack } from './parsers/stack-parser.js';
import { isWholeProgram, wrapperKind } from './wrappers.js';

const MAX_CULPRIT = 256;
/** The caller of a check, and the caller that passed the arguments. */
const CALLERS_OF_CHECK = 2;
/** Frames without a name that are used if no named one comes before. */
const MAX_UNNAMED = 3;

/** The frames that decide a fingerprint, and why. */
export interface DecidingFrames {
  readonly keys: string[];
  /** One line, at most 256 UTF-16 units; null if it would be empty. */
  readonly culprit: string | null;
  readonly reason: string;
  /** Why the frames alone do not identify a failure; null if they do. */
  readonly doubt: string | null;
  /** The frame of the culprit. */
  readonly shown: Pick<StackFrame, 'function' | 'module' | 'file'>;
}

/** Returns the innermost in-app frame that is not a wrapper, else the closest match; null if no frame has a name or a file. */
export function decideFrames(stack: ParsedStack): DecidingFrames | null {
  const chosen: StackFrame[] = [];
  const working: StackFrame[] = [];
  let named = 0;
  let unnamed = 0;
  let raising: StackFrame | undefined;
  const foreign: DeferredFrame[] = [];
  let isCheck = false;
  let culprit: StackFrame | undefined;
  let callers = 1;
  const visit = (frame: StackFrame): boolean => {
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
      chosen.push(raising);
      isCheck = true;
      raising = undefined;
    }
    chosen.push(frame);
    if (frame.function === null) unnamed++;
    else {
      named++;
      culprit ??= frame;
    }
    return named < callers && unnamed < MAX_UNNAMED;
  };
  stack.walk(visit, (read) => foreign.push(read));
  if (culprit !== undefined) {
    return decided(
      chosen,
      'Innermost frame of the application that does work of its own.',
      doubtOf(culprit, isCheck),
      culprit,
    );
  }
  if (chosen.length > 0) {
    return decided(chosen, 'Innermost frames of the application; none has a name.', 'no frame has a name');
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

/** The innermost library frame that is not a wrapper, else the outermost one; undefined if no frame has a name or a file. */
function innermostForeign(foreign: readonly DeferredFrame[]): StackFrame | undefined {
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

/** Linear search; `others` is short. */
function isAmong(frame: StackFrame, others: readonly StackFrame[]): boolean {
  if (others.length === 0) return false;
  const key = frameKey(frame);
  return others.some((other) => frameKey(other) === key);
}

function doubtOf(culprit: StackFrame, isCheck: boolean): string | null {
  if (isWholeProgram(culprit)) return 'the frame is the whole program';
  return isCheck ? 'a check failed, and its message says which' : null;
}

/** Builds a decision; a frame that repeats at once counts once. `shown`: the culprit, by default the last frame. */
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
    // Without a module, key and label are equal.
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

const OVERFLOW =
  /stack ?overflow|recursion ?(?:depth|error|limit)|(?:infinite|endless|unbounded|much) recursion|call stack|stack level too deep|stack exhausted|overflowed its stack|stack exceeds|nesting level/i;
/** Frames that are searched for a cycle. */
const WINDOW = 512;
/** Different calls in a cycle. */
const MAX_CYCLE = 8;
/** UTF-16 units of a name or a message that are searched. */
const MAX_HEADER = 512;

/** Whether a name or a message mentions a stack overflow. */
export function mentionsOverflow(...texts: readonly (string | null)[]): boolean {
  return texts.some((text) => text !== null && OVERFLOW.test(text.slice(0, MAX_HEADER)));
}

/** Returns the repeated calls of an overflowed stack in alphabetical order; null if they are less than half of the in-app frames. */
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
