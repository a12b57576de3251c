import { matchesPattern, splitPattern, wholeText } from '../../query/text-pattern.js';
import { type FrameMatcher, GroupingFault, type GroupingRule } from '../grouping-settings.js';
import type { StackFrame } from './frames.js';
import type { ParsedStack } from './parsers/stack-parser.js';

/** Changes a frame by rules of the user; null if the frame must not decide. */
export type FrameEffects = (frame: StackFrame) => StackFrame | null;

/** Wraps a stack so that its walk applies `effects`. */
export function applyFrameEffects(stack: ParsedStack, effects: FrameEffects): ParsedStack {
  return {
    rootCause: stack.rootCause,
    rootMessage: stack.rootMessage,
    walk: (visit) =>
      stack.walk((frame) => {
        const shaped = effects(frame);
        return shaped === null || visit(shaped);
      }),
  };
}

const MAX_MATCHERS = 100;
const PARTS = ['function', 'module', 'file'] as const;
/** Members of a rule that change frames. */
export const FRAME_EFFECTS = ['ignore_frames', 'in_app', 'not_in_app'] as const;

type MatchesFrame = (frame: StackFrame) => boolean;

/** Compiles the effects of one rule; null if it has none. Throws `GROUPING_INVALID`. */
export function compileFrameEffects(rule: GroupingRule): FrameEffects | null {
  const [ignored, inApp, notInApp] = FRAME_EFFECTS.map((effect) => anyOf(rule, effect));
  if (ignored === undefined && inApp === undefined && notInApp === undefined) return null;
  return (frame) => {
    if (ignored?.(frame) === true) return null;
    if (notInApp?.(frame) === true) return isApps(frame) ? { ...frame, inApp: false, stepsBack: false } : frame;
    return !frame.inApp && inApp?.(frame) === true ? { ...frame, inApp: true, stepsBack: false } : frame;
  };
}

function isApps(frame: StackFrame): boolean {
  return frame.inApp || frame.stepsBack === true;
}

/** Applies all effects in order. */
export function combineEffects(all: readonly FrameEffects[]): FrameEffects | null {
  const [first, ...others] = all;
  if (first === undefined || others.length === 0) return first ?? null;
  return (frame) => {
    let shaped: StackFrame | null = frame;
    for (const effects of all) shaped = shaped === null ? null : effects(shaped);
    return shaped;
  };
}

function anyOf(rule: GroupingRule, effect: (typeof FRAME_EFFECTS)[number]): MatchesFrame | undefined {
  const matchers = rule[effect];
  if (matchers === undefined || matchers.length === 0) return undefined;
  if (matchers.length > MAX_MATCHERS)
    throw new GroupingFault(rule.name, `${effect} has more than ${MAX_MATCHERS} entries.`);
  const all = matchers.map((matcher) => frameMatcher(rule.name, effect, matcher));
  return (frame) => all.some((matches) => matches(frame));
}

function frameMatcher(rule: string, effect: string, matcher: FrameMatcher): MatchesFrame {
  const wanted = PARTS.flatMap((part) => {
    const text = matcher[part];
    return text === undefined ? [] : [{ part, pattern: wholeText(splitPattern(text)) }];
  });
  if (wanted.length === 0) throw new GroupingFault(rule, `an entry of ${effect} names no function, module or file.`);
  return (frame) =>
    wanted.every(({ part, pattern }) => {
      const value = frame[part];
      if (value === null) return false;
      const text = value.toLowerCase();
      // `*/vendor/*` also matches a folder at the beginning.
      return matchesPattern(pattern, text) || (part === 'file' && matchesPattern(pattern, `/${text}`));
    });
}
