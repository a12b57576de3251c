import { cutText, plainText } from '../../event/text.js';
import { frameKey, frameLabel, type StackFrame } from './frames.js';
import type { DeferredFrame, ParsedStack } from './parsers/stack-parser.js';
import { wrapperKind } from './wrappers.js';

const MAX_CULPRIT = 256;
/** The caller of a check, and the caller that passed the arguments. */
const CALLERS_OF_CHECK = 2;
/** Frames without a name that are used, of images without symbols. */
const MAX_UNNAMED = 3;

/** The frames that decide a fingerprint, and why. */
export interface DecidingFrames {
  readonly keys: string[];
  /** One line, at most 256 UTF-16 units; null if it would be empty. */
  readonly culprit: string | null;
  readonly reason: string;
  /** True if the first frame checks something for a caller in its own file, and the next ones are its callers. */
  readonly isLocalCheck: boolean;
  /** The frame of the culprit. */
  readonly shown: Pick<StackFrame, 'function' | 'module' | 'file'>;
}

/** Returns the innermost in-app frame that is not a wrapper, else the closest match; null if no frame has a name or a file. */
export function decideFrames(stack: ParsedStack): DecidingFrames | null {
  const chosen: StackFrame[] = [];
  const working: StackFrame[] = [];
  let named = 0;
  let raising: StackFrame | undefined;
  const foreign: DeferredFrame[] = [];
  let culprit: StackFrame | undefined;
  let callers = 1;
  let isCheck = false;
  let isLocalCheck = false;
  /** An unnamed frame, and whether code of others called it. */
  let callback: StackFrame | undefined;
  let isPassedOn = false;
  const visit = (frame: StackFrame): boolean => {
    if (!frame.inApp) {
      foreign.push(() => frame);
      isPassedOn = true;
      return true;
    }
    if (isBlank(frame)) return true;
    const kind = wrapperKind(frame);
    if (kind === 'passes_on') isPassedOn = true;
    else if (kind !== null && callback === undefined) {
      raising = frame;
      if (kind === 'checks') callers = CALLERS_OF_CHECK;
    }
    if (kind !== null) return true;
    // A callback counts as its file, or with the function of that file which passed it to a library; other callers do not count.
    if (callback !== undefined) {
      if (isCheck || frame.file !== callback.file || (frame.function !== null && !isPassedOn)) return false;
    }
    if (frame.function === null) isPassedOn = false;
    if (isAmong(frame, working)) return true;
    working.push(frame);
    if (raising !== undefined) {
      if (chosen.length === 0)
        isLocalCheck = callers > 1 && (raising.module ?? raising.file) === (frame.module ?? frame.file);
      chosen.push(raising);
      isCheck = true;
      raising = undefined;
    }
    chosen.push(frame);
    if (frame.function === null) {
      if (frame.file !== null) callback = frame;
      return chosen.length < MAX_UNNAMED;
    }
    named++;
    culprit ??= frame;
    return named < callers && callback === undefined;
  };
  stack.walk(visit, (read) => {
    foreign.push(read);
    isPassedOn = true;
  });
  if (culprit !== undefined) {
    return decided(chosen, 'Innermost application frame; thin wrappers are skipped.', culprit, isLocalCheck);
  }
  if (chosen.length > 0) {
    return decided(chosen, 'Innermost frames of the application; none has a name.');
  }
  if (raising !== undefined) {
    return decided([raising], 'The only application frame just raises the error.');
  }
  const library = innermostForeign(foreign);
  if (library === undefined) return null;
  return decided([library], 'No application frame; innermost library frame.');
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

/** Builds a decision; a frame that repeats at once counts once. `shown`: the culprit, by default the last frame. */
function decided(
  frames: readonly StackFrame[],
  reason: string,
  shown: StackFrame | undefined = frames.at(-1),
  isLocalCheck = false,
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
    isLocalCheck,
    shown: { function: shown.function, module: shown.module, file: shown.file },
  };
}

const OVERFLOW =
  /stack[ _-]?overflow(?:error|exception)?\b|recursion ?(?:depth|error|limit)\b|(?:infinite|endless|unbounded|much) recursion|call stack|stack level too deep|stack exhausted|overflowed its stack|stack exceeds|nesting level/i;
/** Quoted names, words with a path, and the namespace of a type. */
const NAMES = /"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)|(?<!\S)[^\s/\\]*[/\\]\S*|(?<![\w$])(?:[\w$]+(?:\.|::))+(?=\w)/g;
/** Frames that are searched for a cycle. */
const WINDOW = 512;
/** Different calls in a cycle. */
const MAX_CYCLE = 8;
/** UTF-16 units of a name or a message that are searched. */
const MAX_HEADER = 512;

/** Whether a type or a message mentions a stack overflow; names in it do not count. */
export function mentionsOverflow(...texts: readonly (string | null)[]): boolean {
  return texts.some((text) => {
    const start = text?.slice(0, MAX_HEADER) ?? '';
    return OVERFLOW.test(start) && OVERFLOW.test(start.replace(NAMES, ''));
  });
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
  return decided(frames, 'The calls that repeat in a stack that ran over, in alphabetical order.');
}
