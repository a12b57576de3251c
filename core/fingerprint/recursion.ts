import { type DecidingFrames, decided } from './deciding-frames.js';
import { frameKey } from './frame-text.js';
import type { StackFrame } from './frames.js';
import type { ParsedStack } from './stack-parsers/stack-parser.js';

const OVERFLOW = /stack ?overflow|recursion|call stack|stack level too deep|stack exhausted/i;
/** Frames in which a cycle is looked for, and how many different ones it may have. */
const WINDOW = 64;
const MAX_CYCLE = 8;

/** Whether a name or a message says that calls nested too deeply. */
export function isOverflow(text: string): boolean {
  return OVERFLOW.test(text);
}

/** The calls that filled a stack, in an order that does not depend on which of them came last; null when they are not most of the stack. */
export function decideCycle(stack: ParsedStack): DecidingFrames | null {
  const calls = new Map<string, { frame: StackFrame; count: number }>();
  let seen = 0;
  stack.walk((frame) => {
    seen++;
    const key = frameKey(frame);
    const call = calls.get(key);
    if (call !== undefined) call.count++;
    else if (frame.inApp && key !== '') calls.set(key, { frame, count: 1 });
    return seen < WINDOW;
  });
  const cycle = [...calls].filter(([, call]) => call.count > 1).sort(([a], [b]) => (a < b ? -1 : 1));
  const inCycle = cycle.reduce((sum, [, call]) => sum + call.count, 0);
  if (cycle.length === 0 || inCycle * 2 < seen) return null;
  return decided(
    cycle.slice(0, MAX_CYCLE).map(([, call]) => call.frame),
    'The calls that repeat in a stack that ran over, in alphabetical order.',
  );
}
