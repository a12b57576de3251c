import type { StackFrame } from '../frames.js';

/** Lines of one exception that are looked at; frames below them are not read. */
export const MAX_LINES = 512;
/** UTF-16 units of a line that are read; the rest of a longer one is not. */
export const MAX_LINE_LENGTH = 1_024;

/** A stack text of which a parser knows the outline; frames are read one by one, as far as they are asked for. */
export interface ParsedStack {
  /** Type of the exception at the root of a chain; null when the text holds a single exception or does not name it. */
  readonly rootCause: string | null;
  /**
   * Hands over frames until `take` answers false: the root cause's first, and of each exception the innermost first.
   * May be called again. Lines that are no frames are passed over.
   */
  walk(take: (frame: StackFrame) => boolean): void;
}

/** Reads the stack text of one family of languages. A new family is one more file and one more row in stack-parsers.ts. */
export interface StackParser {
  readonly family: string;
  /** Whether a trimmed line is one that this family writes. */
  readonly isEvidence: (line: string) => boolean;
  /** Total: whatever the text, there is an answer. */
  readonly parse: (stack: string) => ParsedStack;
}
