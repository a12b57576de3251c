import { type DecidingFrames, decideCycle, decideFrames, speaksOfOverflow } from './deciding-frames.js';
import { type FrameEffects, shapedStack } from './frame-rules.js';
import { normalizeGenerated } from './frames.js';
import type { ParsedStack } from './parsers/stack-parser.js';
import { detectParser } from './parsers/stack-parsers.js';

/** UTF-16 units of a stack that are looked at. */
const MAX_STACK = 131_072;

/** What a stack says about a failure. */
export interface StackReading {
  /** Type at the root of the chain, when the stack is a chain. */
  readonly cause: string | null;
  /** First line of the root's message, as it was written; null where `cause` is, or where it has none. */
  readonly causeMessage: string | null;
  readonly frames: DecidingFrames | null;
  readonly reason: string;
}

/** The stack of an event, and what has a say in how it is read. */
export interface StackSource {
  readonly stack: string | null;
  readonly errorName: string;
  readonly message: string;
  /** Frames that the client took apart itself: they win over the text. */
  readonly structured: ParsedStack | null;
  readonly effects: FrameEffects | null;
}

/** Reads the deciding frames and the root cause of a stack of whatever family. */
export function readStack(source: StackSource): StackReading {
  const { stack, structured } = source;
  if (structured === null) return readText(source);
  const said = readParsed(structured, source);
  return said.frames === null && stack !== null && stack !== '' ? readText(source) : said;
}

function readText(source: StackSource): StackReading {
  const { stack, message } = source;
  if (stack === null || stack === '') return nothing('The event has no stack.');
  const start = stack.length > MAX_STACK ? stack.slice(0, MAX_STACK) : stack;
  const text = withoutMessage(start, message);
  const parser = detectParser(text);
  if (parser === null) return nothing('No line of the stack has the form of a frame.');
  return readParsed(parser.parse(text), source);
}

function readParsed(parsed: ParsedStack, { errorName, message, effects }: StackSource): StackReading {
  const { rootCause, rootMessage } = parsed;
  const stack = effects === null ? parsed : shapedStack(parsed, effects);
  const cycle = speaksOfOverflow(errorName, message, rootCause, rootMessage) ? decideCycle(stack) : null;
  const frames = cycle ?? decideFrames(stack);
  return {
    cause: rootCause === null ? null : normalizeGenerated(rootCause),
    causeMessage: rootMessage,
    frames,
    reason: frames?.reason ?? 'No frame has a name or a file.',
  };
}

function nothing(reason: string): StackReading {
  return { cause: null, causeMessage: null, frames: null, reason };
}

/**
 * The text without a message of several lines, which may hold lines that look like frames: it stands at the beginning, behind the name, or at the end
 * as Python writes it.
 */
function withoutMessage(stack: string, message: string): string {
  if (!message.includes('\n')) return stack;
  const whole = stack.trimEnd();
  if (whole.length > message.length && whole.endsWith(message)) {
    return whole.slice(0, whole.length - message.length);
  }
  const behindName = stack.indexOf(': ') + 2;
  for (const start of [0, behindName]) {
    if (stack.startsWith(message, start)) return stack.slice(start + message.length);
  }
  return stack;
}
