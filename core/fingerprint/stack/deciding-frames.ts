import { cutText, plainText } from '../../event/text.js';
import { isRuntimeFrame } from './families/script-frame.js';
import { frameKey, frameLabel, type StackFrame } from './frames.js';
import type { DeferredFrame, ParsedStack } from './parsers/stack-parser.js';
import { type WrapperKind, wrapperKind } from './wrappers.js';

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
  let hasSteppedBack = false;
  const choice = chooseFrames(stack, (frame) => {
    if (frame.stepsBack === true) hasSteppedBack = true;
    return frame;
  });
  if (!hasSteppedBack || choice.hasAppFrame()) return choice.result();
  // The frames that stepped back are the application's, because no other one is.
  return chooseFrames(stack, (frame) => (frame.stepsBack === true ? { ...frame, inApp: true } : frame)).result();
}

function chooseFrames(stack: ParsedStack, countedAs: (frame: StackFrame) => StackFrame): FrameChoice {
  const choice = new FrameChoice();
  stack.walk(
    (frame) => choice.visit(countedAs(frame)),
    (read) => choice.visitForeign(read),
  );
  return choice;
}

/** Chooses the deciding frames during a walk from the innermost frame on. */
class FrameChoice {
  readonly #chosen: StackFrame[] = [];
  readonly #foreign: DeferredFrame[] = [];
  /** Frames that were chosen or stand for their file, to skip those of a recursion. */
  readonly #working: StackFrame[] = [];
  #culprit: StackFrame | undefined;
  #namedCount = 0;
  /** Named frames that decide. */
  #neededCount = 1;
  /** A wrapper that raises the error for the next frame. */
  #raising: StackFrame | undefined;
  #hasRaising = false;
  #isLocalCheck = false;
  /** An unnamed frame: a callback, which its file may have passed to code of others. */
  #callback: StackFrame | undefined;
  /** Whether code of others called the frame before. */
  #isPassedOn = false;

  /** Returns whether further frames can count. */
  visit(frame: StackFrame): boolean {
    if (!frame.inApp) {
      this.visitForeign(() => frame);
      return true;
    }
    if (isBlank(frame)) return true;
    const kind = wrapperKind(frame);
    if (kind !== null) {
      this.#visitWrapper(frame, kind);
      return true;
    }
    if (this.#callback !== undefined && !this.#hasPassed(this.#callback, frame)) return false;
    if (frame.function === null) this.#isPassedOn = false;
    if (isAmong(frame, this.#working)) return true;
    this.#working.push(frame);
    return this.#choose(frame);
  }

  visitForeign(read: DeferredFrame): void {
    this.#foreign.push(read);
    this.#isPassedOn = true;
  }

  /** Whether a frame of the application was visited that can decide. */
  hasAppFrame(): boolean {
    return this.#chosen.length > 0 || this.#raising !== undefined;
  }

  result(): DecidingFrames | null {
    if (this.#culprit !== undefined) {
      const reason = 'Innermost application frame; thin wrappers are skipped.';
      return decided(this.#chosen, reason, this.#culprit, this.#isLocalCheck);
    }
    if (this.#chosen.length > 0) return decided(this.#chosen, 'Innermost frames of the application; none has a name.');
    if (this.#raising !== undefined) {
      return decided([this.#raising], 'The only application frame just raises the error.');
    }
    const library = innermostForeign(this.#foreign);
    return library === undefined ? null : decided([library], 'No application frame; innermost library frame.');
  }

  #visitWrapper(frame: StackFrame, kind: WrapperKind): void {
    if (kind === 'passes_on') {
      this.#isPassedOn = true;
      return;
    }
    if (this.#callback !== undefined) return;
    this.#raising = frame;
    if (kind === 'checks') this.#neededCount = CALLERS_OF_CHECK;
  }

  /** A callback counts as its file, or with the function of that file which passed it to a library; other callers do not count. */
  #hasPassed(callback: StackFrame, frame: StackFrame): boolean {
    return !this.#hasRaising && frame.file === callback.file && (frame.function === null || this.#isPassedOn);
  }

  #choose(frame: StackFrame): boolean {
    if (this.#raising !== undefined) this.#chooseRaising(this.#raising, frame);
    this.#chosen.push(frame);
    if (frame.function === null) {
      if (frame.file !== null) this.#callback = frame;
      return this.#chosen.length < MAX_UNNAMED;
    }
    this.#namedCount += 1;
    this.#culprit ??= frame;
    return this.#namedCount < this.#neededCount && this.#callback === undefined;
  }

  /** What raises the error counts together with its caller. */
  #chooseRaising(raising: StackFrame, caller: StackFrame): void {
    if (this.#chosen.length === 0) {
      const isSameOwner = (raising.module ?? raising.file) === (caller.module ?? caller.file);
      this.#isLocalCheck = this.#neededCount > 1 && isSameOwner;
    }
    this.#chosen.push(raising);
    this.#hasRaising = true;
    this.#raising = undefined;
  }
}

/**
 * The innermost library frame that is not a wrapper, else the outermost one; undefined if all only pass on. Code of a runtime, which every
 * package calls, decides only alone.
 */
function innermostForeign(foreign: readonly DeferredFrame[]): StackFrame | undefined {
  let last: StackFrame | undefined;
  let ofRuntime: StackFrame | undefined;
  for (const read of foreign) {
    const frame = read();
    if (frame === null || isBlank(frame)) continue;
    const kind = wrapperKind(frame);
    if (kind === null && isRuntimeFrame(frame)) ofRuntime ??= frame;
    else if (kind === null) return frame;
    else if (kind !== 'passes_on') last = frame;
  }
  return ofRuntime ?? last;
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
    // Without a module or an owner, key and label are equal.
    if (frame === shown && frame.module === null && frame.owner === undefined) label = key;
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

/** Returns the repeated calls of an overflowed stack in alphabetical order; null if they are less than half of the frames outside of the language. */
export function decideCycle(stack: ParsedStack): DecidingFrames | null {
  const calls = new Map<string, { frame: StackFrame; count: number }>();
  let seen = 0;
  let counted = 0;
  stack.walk((frame) => {
    seen++;
    const counts = frame.inApp || frame.stepsBack === true;
    if (counts) counted++;
    const key = frameKey(frame);
    const call = calls.get(key);
    if (call !== undefined) call.count++;
    else if (counts && key !== '') calls.set(key, { frame, count: 1 });
    return seen < WINDOW;
  });
  const cycle = [...calls].filter(([, call]) => call.count > 1).sort(([a], [b]) => (a < b ? -1 : 1));
  const inCycle = cycle.reduce((sum, [, call]) => sum + call.count, 0);
  if (cycle.length === 0 || inCycle * 2 < counted) return null;
  const frames = cycle.slice(0, MAX_CYCLE).map(([, call]) => call.frame);
  return decided(frames, 'The calls that repeat in a stack that ran over, in alphabetical order.');
}
