import { type DecidingFrames, decideFrames } from './deciding-frames.js';
import { normalizeGenerated } from './frame-function.js';
import type { GroupingVersion } from './grouping-version.js';
import { decideCycle, speaksOfOverflow } from './recursion.js';
import { type FrameEffects, shapedStack } from './rules/frame-effects.js';
import type { ParsedStack } from './stack-parsers/stack-parser.js';
import { detectParser } from './stack-parsers/stack-parsers.js';

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
export function readStack(rules: GroupingVersion, source: StackSource): StackReading {
  const { stack, structured } = source;
  if (structured === null) return readText(rules, source);
  const said = readParsed(rules, structured, source);
  return said.frames === null && stack !== null && stack !== '' ? readText(rules, source) : said;
}

function readText(rules: GroupingVersion, source: StackSource): StackReading {
  const { stack, message } = source;
  if (stack === null || stack === '') return nothing('The event has no stack.');
  const start = stack.length > MAX_STACK ? stack.slice(0, MAX_STACK) : stack;
  const text = withoutMessage(start, message, rules.version);
  const parser = detectParser(text, rules.version);
  if (parser === null) return nothing('No line of the stack has the form of a frame.');
  return readParsed(rules, parser.parse(text), source);
}

function readParsed(
  { version, mainException, frames: choice }: GroupingVersion,
  parsed: ParsedStack,
  { errorName, message, effects }: StackSource,
): StackReading {
  const { rootCause, rootMessage } = parsed;
  const stack = effects === null ? parsed : shapedStack(parsed, effects);
  const named = mainException === 'root' ? [errorName, message, rootCause, rootMessage] : [errorName, message];
  const cycle = speaksOfOverflow(choice.overflow, ...named) ? decideCycle(stack, choice.overflow) : null;
  const frames = cycle ?? decideFrames(stack, choice, version);
  return {
    cause: rootCause === null ? null : normalizeGenerated(rootCause, version),
    causeMessage: rootMessage,
    frames,
    reason: frames?.reason ?? 'No frame has a name or a file.',
  };
}

function nothing(reason: string): StackReading {
  return { cause: null, causeMessage: null, frames: null, reason };
}

/**
 * The text without a message of several lines, which may hold lines that look like frames: it stands at the beginning or behind the name, and from
 * version 2 on also at the end, as Python writes it.
 */
function withoutMessage(stack: string, message: string, version: 1 | 2): string {
  if (!message.includes('\n')) return stack;
  const whole = stack.trimEnd();
  if (version > 1 && whole.length > message.length && whole.endsWith(message)) {
    return whole.slice(0, whole.length - message.length);
  }
  const behindName = stack.indexOf(': ') + 2;
  for (const start of [0, behindName]) {
    if (stack.startsWith(message, start)) return stack.slice(start + message.length);
  }
  return stack;
}
