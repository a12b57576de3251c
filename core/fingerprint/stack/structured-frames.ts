import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../event/json.js';
import { plainText } from '../../event/text.js';
import type { Call, CallContext } from './families/call.js';
import { familyOfCall } from './families/family-of-call.js';
import type { StackFrame } from './frames.js';
import { MAX_LINE_LENGTH, type ParsedStack } from './parsers/stack-parser.js';
import { isCancellation, withoutCancellations } from './parsers/traced-exception.js';

/** Frames of all exceptions together that are visited. */
const MAX_FRAMES = 512;
/** The last exceptions of a longer chain are used. */
const MAX_EXCEPTIONS = 16;

/** An exception with structured frames. */
export interface StructuredException {
  readonly type?: JsonValue | undefined;
  readonly message?: JsonValue | undefined;
  /** Default false. */
  readonly isGroup?: boolean;
  /** The innermost frame last. */
  readonly frames: readonly JsonValue[];
}

/** A stack of structured frames. */
export interface StructuredStack extends ParsedStack {
  /** A text of all that `walk` visits and of the root: equal texts mean equal stacks. */
  identity(): string;
}

/** A sent frame. */
interface SentFrame {
  readonly platform: string;
  readonly call: Call;
  /** Null if the client did not say whose code it is. */
  readonly inApp: boolean | null;
}

/**
 * Creates a stack of frames that the client sent. `chain` begins with the main exception and ends with the root cause.
 * `platform` is the language, for example `node`; a frame may have its own.
 */
export function structuredStack(
  chain: readonly StructuredException[],
  platform: JsonValue | undefined,
): StructuredStack {
  const deciding = withoutCancellations(chain, ({ type, message }) =>
    isCancellation({ type: textIn(type), message: textIn(message) }),
  );
  const exceptions = deciding.slice(-MAX_EXCEPTIONS);
  const root = deciding.length > 1 ? deciding.at(-1) : undefined;
  const group = root === undefined ? undefined : chain.find(({ isGroup }) => isGroup);
  const rootCause = textIn(root?.type);
  // What a client left without a mark is code of others if it marked any.
  const hasMarks = exceptions.some(({ frames }) => frames.some((sent) => ownValue(sent, 'in_app') === true));
  const hasLocations = exceptions.some(({ frames }) =>
    frames.some((sent) => numberIn(ownValue(sent, 'lineno')) !== null),
  );
  const platformOfEvent = start(platform);
  const walkSent = (visit: (frame: SentFrame, caller: Call | undefined) => boolean) => {
    let seen = 0;
    for (const { frames } of exceptions.toReversed()) {
      let frame = readFrame(frames.at(-1), platformOfEvent);
      for (let index = frames.length - 1; index >= 0; index--) {
        if (seen++ >= MAX_FRAMES) return;
        const caller = readFrame(frames[index - 1], platformOfEvent);
        if (frame !== undefined && !visit(frame, caller?.call)) return;
        frame = caller;
      }
    }
  };
  const rootMessage = rootCause === null || root === undefined ? null : messageOfRoot(root, chain[0]);
  const namedGroup = group && { type: textIn(group.type), message: textIn(group.message) };
  return {
    rootCause,
    rootMessage,
    group: namedGroup,
    walk: (visit) =>
      walkSent((sent, caller) => {
        const frame = toFrame(sent, { caller, hasLocations }, hasMarks);
        return frame === null || visit(frame);
      }),
    identity: () => {
      const parts = [JSON.stringify([rootCause, rootMessage, namedGroup, hasMarks])];
      walkSent((sent) => {
        parts.push(textOf(sent));
        return true;
      });
      return parts.join('\n');
    },
  };
}

/**
 * The message of the root. One without frames of its own, as in Go, was only wrapped: the outermost message says where, if it ends with that
 * of the root.
 */
function messageOfRoot({ message, frames }: StructuredException, main: StructuredException | undefined): string | null {
  const own = textIn(message);
  const whole = textIn(main?.message);
  return frames.length === 0 && own !== null && whole?.endsWith(own) ? whole : own;
}

function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? plainText(value.slice(0, MAX_LINE_LENGTH)) : null;
}

function readFrame(sent: JsonValue | undefined, platformOfEvent: string): SentFrame | undefined {
  if (!isJsonObject(sent)) return undefined;
  const inApp = typeof sent['in_app'] === 'boolean' ? sent['in_app'] : null;
  return { platform: start(sent['platform']) || platformOfEvent, call: callOf(sent, inApp === true), inApp };
}

function callOf(sent: JsonObject, isMarkedApp: boolean): Call {
  const filename = start(sent['filename']);
  return {
    name: start(sent['function']) || start(sent['raw_function']),
    module: start(sent['module']),
    // SDKs make a path in the folder of the process of a name such as `<string>`.
    path: filename.startsWith('<') ? filename : start(sent['abs_path']) || filename,
    image: start(sent['package']),
    line: numberIn(sent['lineno']),
    column: numberIn(sent['colno']),
    isMarkedApp,
  };
}

/** The first `MAX_LINE_LENGTH` units; empty if `value` is not a string. */
function start(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, MAX_LINE_LENGTH) : '';
}

function numberIn(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && value > 0 ? value : null;
}

/** All that decides about a frame, with the line, as some families compare it with that of the caller. */
function textOf({ platform, call, inApp }: SentFrame): string {
  return JSON.stringify([platform, inApp, call.name, call.module, call.path, call.image, call.line]);
}

/**
 * A frame that the rules of its language call foreign stays foreign, as browser SDKs mark every frame as the application's. One that only its
 * mark calls foreign is the application's if no other frame is.
 */
function toFrame({ platform, call, inApp }: SentFrame, context: CallContext, hasMarks: boolean): StackFrame | null {
  const frame = familyOfCall(platform, call)(call, context);
  if (frame === null || !frame.inApp) return frame;
  return (inApp ?? !hasMarks) ? frame : { ...frame, inApp: false, stepsBack: true };
}
