import { type DecidingFrames, decideFrames } from './deciding-frames.js';
import { normalizeGenerated } from './frame-function.js';
import { decideCycle, isOverflow } from './recursion.js';
import type { ParsedStack } from './stack-parsers/stack-parser.js';
import { detectParser } from './stack-parsers/stack-parsers.js';

/** UTF-16 units of a stack that are looked at. */
const MAX_STACK = 131_072;
/** UTF-16 units of a name or a message in which an overflow may be named. */
const MAX_HEADER = 512;

/** What a stack text says about a failure. */
export interface StackReading {
  /** Type at the root of the chain, when the text has a chain. */
  readonly cause: string | null;
  readonly frames: DecidingFrames | null;
  readonly reason: string;
}

/** Reads the deciding frames and the root cause of a stack of whatever family; frames that the client took apart itself win over the text. */
export function readStack(
  stack: string | null,
  errorName: string,
  message: string,
  structured: ParsedStack | null = null,
): StackReading {
  if (structured === null) return readText(stack, errorName, message);
  const said = readParsed(structured, errorName, message);
  return said.frames === null && stack !== null && stack !== '' ? readText(stack, errorName, message) : said;
}

function readText(stack: string | null, errorName: string, message: string): StackReading {
  if (stack === null || stack === '') return nothing('The event has no stack.');
  const text = withoutMessage(stack.length > MAX_STACK ? stack.slice(0, MAX_STACK) : stack, message);
  const parser = detectParser(text);
  if (parser === null) return nothing('No line of the stack has the form of a frame.');
  return readParsed(parser.parse(text), errorName, message);
}

function readParsed(parsed: ParsedStack, errorName: string, message: string): StackReading {
  const cause = parsed.rootCause;
  const frames = (speaksOfOverflow(errorName, message) ? decideCycle(parsed) : null) ?? decideFrames(parsed);
  return {
    cause: cause === null ? null : normalizeGenerated(cause),
    frames,
    reason: frames?.reason ?? 'No frame has a name or a file.',
  };
}

/** Whether the name or the message says that calls nested too deeply; the stack is then read for what repeats. */
export function speaksOfOverflow(errorName: string, message: string): boolean {
  return isOverflow(errorName.slice(0, MAX_HEADER)) || isOverflow(message.slice(0, MAX_HEADER));
}

function nothing(reason: string): StackReading {
  return { cause: null, frames: null, reason };
}

/** The text behind a message of several lines, which may hold lines that look like frames: it stands at the beginning or behind the name. */
function withoutMessage(stack: string, message: string): string {
  if (!message.includes('\n')) return stack;
  const behindName = stack.indexOf(': ') + 2;
  for (const start of [0, behindName]) {
    if (stack.startsWith(message, start)) return stack.slice(start + message.length);
  }
  return stack;
}
