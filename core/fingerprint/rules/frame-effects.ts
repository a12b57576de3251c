import type { StackFrame } from '../frames.js';
import type { ParsedStack } from '../stack-parsers/stack-parser.js';

/** What rules of the user make of a frame: another one, or null where it never decides. */
export type FrameEffects = (frame: StackFrame) => StackFrame | null;

/** A stack as the user's rules see it. */
export function shapedStack(stack: ParsedStack, effects: FrameEffects): ParsedStack {
  return {
    rootCause: stack.rootCause,
    rootMessage: stack.rootMessage,
    walk: (take) =>
      stack.walk((frame) => {
        const shaped = effects(frame);
        return shaped === null || take(shaped);
      }),
  };
}
