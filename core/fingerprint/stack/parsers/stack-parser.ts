import type { StackFrame } from '../frames.js';

/** Lines of one exception that are looked at; frames below them are not read. */
export const MAX_LINES = 512;
/** UTF-16 units of a line that are read; the rest of a longer one is not. */
export const MAX_LINE_LENGTH = 1_024;

/** Reads a frame that was left aside; null when its line is no frame after all. */
export type DeferredFrame = () => StackFrame | null;

/** A stack text of which a parser knows the outline; frames are read one by one, as far as they are asked for. */
export interface ParsedStack {
  /** Type of the exception at the root of a chain; null when the text holds a single exception or does not name it. */
  readonly rootCause: string | null;
  /** Message of that exception, its first line; null where `rootCause` is, or where it has none. */
  readonly rootMessage: string | null;
  /**
   * Hands over frames until `visit` answers false: the root cause's first, and of each exception the innermost first.
   * May be called again. Lines that are no frames are passed over. With `defer`, a frame that is foreign at first glance may be handed over
   * unread instead, in the same order; absent: all are read.
   */
  walk(visit: (frame: StackFrame) => boolean, defer?: (read: DeferredFrame) => void): void;
}

/** Reads the stack text of one family of languages. A new family is one more file and one more row in stack-parsers.ts. */
export interface StackParser {
  readonly family: string;
  /** Whether a trimmed line is one that this family writes. */
  readonly isEvidence: (line: string) => boolean;
  /** Whether a trimmed line that begins with `at ` is certainly of this family and no other: a quicker test for what it writes most; absent: there is none. */
  readonly isCertain?: (line: string) => boolean;
  /** Total: whatever the text, there is an answer. */
  readonly parse: (stack: string) => ParsedStack;
}
