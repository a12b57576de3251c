import { Fault } from '../../core/event/fault.js';

/** What the log tells of something that was thrown. */
export interface LoggedError {
  /** Name of its class, or the type of a thing that is no error. */
  readonly type: string;
  readonly code?: string;
  /** Absent where it may quote what was being worked on. */
  readonly message?: string;
  /** Where it was thrown: the frames alone. */
  readonly stack?: string;
  readonly cause?: LoggedError;
}

const MAX_CAUSES = 5;
const FRAME = /^ {4}at .{1,500}$/;

/**
 * What was thrown, without the words of an event. Our own faults are worded without them, and the system names files and addresses; but `JSON.parse`, regular expressions and
 * engines of JavaScript quote what they were given, so of all other errors only class, code and frames are told.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code } = error as { readonly code?: unknown };
  const isWordedSafely = error instanceof Fault || isOfSystem(error);
  const stack = error instanceof Fault ? '' : framesOf(error);
  return {
    type: error.name,
    ...(typeof code === 'string' && { code }),
    ...(isWordedSafely && { message: error.message }),
    ...(stack !== '' && { stack }),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: loggedError(error.cause, depth + 1) }),
  };
}

function isOfSystem(error: Error): boolean {
  return 'syscall' in error && typeof error.syscall === 'string' && 'errno' in error;
}

/** A message may itself have lines that look like frames: it is taken off first, and where it is not at the beginning nothing is told. */
function framesOf({ name, message, stack = '' }: Error): string {
  const head = message === '' ? name : `${name}: ${message}`;
  if (!stack.startsWith(head)) return '';
  const lines = stack.slice(head.length).split('\n');
  return lines.filter((line) => FRAME.test(line)).join('\n');
}
