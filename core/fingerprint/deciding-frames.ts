import { cutText } from '../event/cut-text.js';
import { frameKey, frameLabel } from './frame-text.js';
import type { StackFrame } from './frames.js';
import { plainText } from './plain-text.js';
import type { ParsedStack } from './stack-parsers/stack-parser.js';
import { wrapperKind } from './wrappers.js';

/** A frame without a name says little: so many are taken until one has a name. */
const MAX_UNNAMED = 3;
const MAX_CULPRIT = 256;

/** The frames that decide a grouping, as text, and why these. */
export interface DecidingFrames {
  readonly keys: string[];
  /** For people; one line, at most 256 UTF-16 units. Null when nothing of it can be shown. */
  readonly culprit: string | null;
  readonly reason: string;
}

/** The innermost frame of the application that does work of its own, or what comes nearest to it; null when no frame has a name or a file. */
export function decideFrames(stack: ParsedStack): DecidingFrames | null {
  const taken: StackFrame[] = [];
  let raising: StackFrame | undefined;
  let foreign: StackFrame | undefined;
  stack.walk((frame) => {
    if (frame.function === null && frame.file === null && frame.module === null) return true;
    if (!frame.inApp) {
      if (foreign === undefined || wrapperKind(foreign) !== null) foreign = frame;
      return true;
    }
    const kind = wrapperKind(frame);
    if (kind === 'raises') raising = frame;
    if (kind !== null) return true;
    if (frame.function !== null && raising !== undefined) taken.push(raising);
    taken.push(frame);
    return frame.function === null && taken.length < MAX_UNNAMED;
  });
  const last = taken.at(-1);
  if (last !== undefined) {
    return decided(
      taken,
      last.function === null
        ? 'Innermost frames of the application; none has a name.'
        : 'Innermost frame of the application that does work of its own.',
    );
  }
  if (raising !== undefined)
    return decided([raising], 'The application has no frame but one that raises for its callers.');
  return foreign === undefined
    ? null
    : decided([foreign], 'No frame belongs to the application: the innermost one of a library.');
}

/** Frames as a decision; the last one is the culprit, and a frame that follows itself counts once. */
export function decided(frames: readonly StackFrame[], reason: string): DecidingFrames {
  const keys: string[] = [];
  for (const frame of frames) {
    const key = plainText(frameKey(frame));
    if (key !== keys.at(-1)) keys.push(key);
  }
  const last = frames.at(-1);
  // Without a module the key already is what people read.
  const label = last === undefined || last.module === null ? (keys.at(-1) ?? '') : plainText(frameLabel(last));
  return { keys, culprit: label === '' ? null : cutText(label, MAX_CULPRIT), reason };
}
