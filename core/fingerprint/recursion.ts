import { type DecidingFrames, decided } from './deciding-frames.js';
import { frameKey } from './frame-text.js';
import type { StackFrame } from './frames.js';
import type { ParsedStack } from './stack-parsers/stack-parser.js';

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
