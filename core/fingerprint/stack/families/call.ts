import type { StackFrame } from '../frames.js';

/**
 * One call of a stack as a text or an SDK writes it, before the rules of its language make a frame of it. What is not known is empty.
 * Frames that an SDK sent and lines of a text become frames by the same function of their family.
 */
export interface Call {
  /** The function, often with its class or namespace, with parameters, and with what compilers add. */
  readonly name: string;
  /** Class, module, package or namespace, if it stands apart from the name. */
  readonly module: string;
  /** The file with its folders, as written. */
  readonly path: string;
  /** Program or library of native code, with or without its folders. */
  readonly image: string;
  /** One-based; null when unknown. */
  readonly line: number | null;
  readonly column: number | null;
  /** Whether the SDK says that the application wrote it, which then outweighs a namespace; false in a text. */
  readonly isMarkedApp: boolean;
}

/** What the calls around a call say about it. */
export interface CallContext {
  /** The call that made this one; undefined for the outermost, or if the family does not need it. */
  readonly caller?: Call | undefined;
  /** Whether any call of the stack, of all its exceptions, has a line. */
  readonly hasLocations: boolean;
}

/** Makes a frame of a call by the rules of a family of languages; null if the call is none of a program. Never throws. */
export type FrameOfCall = (call: Call, context: CallContext) => StackFrame | null;

/** Creates a call of a text; what the text does not say is left out. */
export function writtenCall({
  name = '',
  module = '',
  path = '',
  image = '',
  line = null,
  column = null,
}: Partial<Call>): Call {
  return { name, module, path, image, line, column, isMarkedApp: false };
}

const POSITION = /(?::(\d{1,9}))?:(\d{1,9})$/;

/** Splits `path:line:column`, where column and line may be missing. */
export function splitPosition(location: string): Pick<Call, 'path' | 'line' | 'column'> {
  const position = POSITION.exec(location);
  if (position === null) return { path: location, line: null, column: null };
  const [, first, last] = position;
  const path = location.slice(0, position.index);
  if (first === undefined) return { path, line: Number(last), column: null };
  return { path, line: Number(first), column: Number(last) };
}
