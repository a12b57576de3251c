import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../event/json.js';
import { plainText } from '../../event/text.js';
import type { Call, CallContext } from './families/call.js';
import { familyOfCall } from './families/family-of-call.js';
import type { StackFrame } from './frames.js';
import { type ExceptionGroup, MAX_LINE_LENGTH, type ParsedStack } from './parsers/stack-parser.js';
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
  return new SentStack(chain, start(platform));
}

class SentStack implements StructuredStack {
  readonly rootCause: string | null;
  readonly rootMessage: string | null;
  readonly group: ExceptionGroup | undefined;
  readonly #rootFirst: readonly StructuredException[];
  readonly #platform: string;
  readonly #hasLocations: boolean;
  #hasMarks: boolean | undefined;

  constructor(chain: readonly StructuredException[], platform: string) {
    const deciding = withoutCancellations(chain, ({ type, message }) =>
      isCancellation({ type: textIn(type), message: textIn(message) }),
    );
    const root = deciding.length > 1 ? deciding.at(-1) : undefined;
    const group = root === undefined ? undefined : chain.find(({ isGroup }) => isGroup);
    this.rootCause = textIn(root?.type);
    this.rootMessage = this.rootCause === null || root === undefined ? null : messageOfRoot(root, chain[0]);
    this.group = group && { type: textIn(group.type), message: textIn(group.message) };
    this.#rootFirst = deciding.slice(-MAX_EXCEPTIONS).reverse();
    this.#platform = platform;
    this.#hasLocations = deciding.some(({ frames }) =>
      frames.some((sent) => numberIn(ownValue(sent, 'lineno')) !== null),
    );
  }

  walk(visit: (frame: StackFrame) => boolean): void {
    this.#walkSent((sent, context) => {
      const frame = this.#frameOf(sent, context);
      return frame === null || visit(frame);
    });
  }

  identity(): string {
    const parts = [JSON.stringify([this.rootCause, this.rootMessage, this.group, this.#hasLocations])];
    this.#walkSent((sent) => {
      parts.push(textOf(sent));
      return true;
    });
    return parts.join('\n');
  }

  #walkSent(visit: (frame: SentFrame, context: CallContext) => boolean): void {
    let seen = 0;
    for (const { frames } of this.#rootFirst) {
      let frame = readFrame(frames.at(-1), this.#platform);
      for (let index = frames.length - 1; index >= 0; index--) {
        if (seen++ >= MAX_FRAMES) return;
        const caller = readFrame(frames[index - 1], this.#platform);
        if (frame !== undefined && !visit(frame, { caller: caller?.call, hasLocations: this.#hasLocations })) return;
        frame = caller;
      }
    }
  }

  /**
   * A frame that the rules of its language call foreign stays foreign, as browser SDKs mark every frame as the application's. One that only
   * its mark calls foreign, or that has none beside marked frames, is the application's if no other frame is.
   */
  #frameOf(sent: SentFrame, context: CallContext): StackFrame | null {
    const frame = frameByFamily(sent, context);
    if (frame === null || !frame.inApp) return frame;
    return (sent.inApp ?? !this.#marksApplication()) ? frame : { ...frame, inApp: false, stepsBack: true };
  }

  /** Whether the client marked code of the application; marks of code that is certainly foreign say nothing. */
  #marksApplication(): boolean {
    if (this.#hasMarks === undefined) {
      this.#hasMarks = false;
      this.#walkSent((sent, context) => {
        if (sent.inApp === true && frameByFamily(sent, context)?.inApp === true) this.#hasMarks = true;
        return this.#hasMarks === false;
      });
    }
    return this.#hasMarks;
  }
}

function frameByFamily({ platform, call }: SentFrame, context: CallContext): StackFrame | null {
  return familyOfCall(platform, call)(call, context);
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
