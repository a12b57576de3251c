import { TERMINAL_SEQUENCE } from '../../event/text.js';
import { type DecidingFrames, decideCycle, decideFrames, mentionsOverflow } from './deciding-frames.js';
import { applyFrameEffects, type FrameEffects } from './frame-rules.js';
import { normalizeGenerated } from './frames.js';
import type { ExceptionGroup, ParsedStack } from './parsers/stack-parser.js';
import { detectParser } from './parsers/stack-parsers.js';
import { withLineBreaks, withoutLinePrefix } from './pasted-text.js';

/** UTF-16 units of a stack that are parsed. */
const MAX_STACK = 131_072;

/** The root cause and the deciding frames of a stack. */
export interface StackAnalysis {
  /** Type of the root cause; null if the stack is not a chain. */
  readonly cause: string | null;
  /** First line of the root's message; null without a cause or a message. */
  readonly causeMessage: string | null;
  /** The outermost group in the chain; null without one. */
  readonly group: ExceptionGroup | null;
  readonly frames: DecidingFrames | null;
  readonly reason: string;
}

/** The stack of an event, and what its analysis depends on. */
export interface StackSource {
  readonly stack: string | null;
  readonly errorName: string;
  readonly message: string;
  /** Frames that the client sent; they win over the text. */
  readonly structured: ParsedStack | null;
  readonly effects: FrameEffects | null;
}

/** Finds the deciding frames and the root cause of a stack of any family. */
export function parseStack(source: StackSource): StackAnalysis {
  const { stack, structured } = source;
  if (structured === null) return analyseText(source);
  const analysis = analyseStack(structured, source);
  return analysis.frames === null && stack !== null && stack !== '' ? analyseText(source) : analysis;
}

function analyseText(source: StackSource): StackAnalysis {
  const { stack, message } = source;
  if (stack === null || stack === '') return nothing('The event has no stack.');
  const start = stack.length > MAX_STACK ? stack.slice(0, MAX_STACK) : stack;
  const plain = start.includes('\u001b') ? start.replace(TERMINAL_SEQUENCE, '') : start;
  const text = withLineBreaks(withoutMessage(plain, message));
  const analysis = analyseLines(text, source);
  if (analysis.frames !== null) return analysis;
  const withoutPrefix = withoutLinePrefix(text);
  return withoutPrefix === text ? analysis : analyseLines(withoutPrefix, source);
}

function analyseLines(text: string, source: StackSource): StackAnalysis {
  const parser = detectParser(text);
  if (parser === null) return nothing('No line of the stack has the form of a frame.');
  return analyseStack(parser.parse(text), source);
}

function analyseStack(parsed: ParsedStack, { errorName, message, effects }: StackSource): StackAnalysis {
  const { rootCause, rootMessage, group } = parsed;
  const stack = effects === null ? parsed : applyFrameEffects(parsed, effects);
  const cycle = mentionsOverflow(errorName, message, rootCause, rootMessage) ? decideCycle(stack) : null;
  const frames = cycle ?? decideFrames(stack);
  return {
    cause: rootCause === null ? null : normalizeGenerated(rootCause),
    causeMessage: rootMessage,
    group: group === undefined ? null : { type: group.type, message: group.message },
    frames,
    reason: frames?.reason ?? 'No frame has a name or a file.',
  };
}

function nothing(reason: string): StackAnalysis {
  return { cause: null, causeMessage: null, group: null, frames: null, reason };
}

/** Removes a message of several lines, which may look like frames: from the start, after the name, or from the end as in Python. */
function withoutMessage(stack: string, message: string): string {
  if (!message.includes('\n')) return stack;
  const whole = stack.trimEnd();
  if (whole.length > message.length && whole.endsWith(message)) {
    return whole.slice(0, whole.length - message.length);
  }
  const afterName = stack.indexOf(': ') + 2;
  for (const start of [0, afterName]) {
    if (stack.startsWith(message, start)) return stack.slice(start + message.length);
  }
  return stack;
}
