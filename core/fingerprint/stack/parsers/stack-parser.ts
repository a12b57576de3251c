import type { StackFrame } from '../frames.js';

/** Lines of one exception that are parsed. */
export const MAX_LINES = 512;
/** UTF-16 units; longer lines are cut. */
export const MAX_LINE_LENGTH = 1_024;

/** Parses a deferred frame; null if its line is not a frame. */
export type DeferredFrame = () => StackFrame | null;

/** A group of exceptions, which names a failure for all of its members. */
export interface ExceptionGroup {
  /** Null if the text does not name it; of a group, if it is the event's own error. */
  readonly type: string | null;
  /** First line; null if it is missing. */
  readonly message: string | null;
}

/** A stack with its root cause known and its frames parsed during a walk. */
export interface ParsedStack {
  /** Type of the root cause, or the kind of error in a report; null if the text holds one exception or does not name it. */
  readonly rootCause: string | null;
  /** First line of its message; null without a root cause or a message. */
  readonly rootMessage: string | null;
  /** The outermost group of exceptions in the chain; absent without one. */
  readonly group?: ExceptionGroup | undefined;
  /**
   * Visits frames until `visit` returns false: the root cause's first, and of each exception the innermost first. May be called again.
   * With `defer`, a certainly foreign frame may be passed to it unparsed instead, in the same order.
   */
  walk(visit: (frame: StackFrame) => boolean, defer?: (read: DeferredFrame) => void): void;
}

/** Parses the stacks of one family of languages. A new family is a file and a row in stack-parsers.ts. */
export interface StackParser {
  readonly family: string;
  /** Whether a trimmed line has a form of this family. */
  readonly isEvidence: (line: string) => boolean;
  /** Never throws. */
  readonly parse: (stack: string) => ParsedStack;
}
