import { isJsonObject, type JsonObject, type JsonValue } from '../../event/json.js';
import { plainText } from '../../event/text.js';
import { isMinified, normalizeFile, normalizeFunction, normalizeGenerated, type StackFrame } from './frames.js';
import { isAppFile, isAppModule } from './in-app.js';
import { MAX_LINE_LENGTH, type ParsedStack } from './parsers/stack-parser.js';
import { isCancellation, withoutCancellations } from './parsers/traced-exception.js';

/** Frames of all exceptions together that are visited. */
const MAX_FRAMES = 512;
/** The last exceptions of a longer chain are used. */
const MAX_EXCEPTIONS = 16;

const BUILT_IN = /^(?:<[^>]*>|native|\[native code\])$/;
const SCRIPT_PLATFORM = /^(?:javascript|node)$/;

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

/** The members of a sent frame that count. */
interface SentFrame {
  readonly isScript: boolean;
  readonly function: string;
  readonly module: string;
  readonly filename: string;
  readonly absPath: string;
  /** Null if the client did not send it. */
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
  const walkSent = (visit: (frame: SentFrame) => boolean) => {
    let seen = 0;
    for (const { frames } of exceptions.toReversed()) {
      for (let index = frames.length - 1; index >= 0; index--) {
        if (seen++ >= MAX_FRAMES) return;
        const sent = frames[index];
        if (isJsonObject(sent) && !visit(sentFrame(sent, platform))) return;
      }
    }
  };
  const rootMessage = rootCause === null || root === undefined ? null : messageOfRoot(root, chain[0]);
  const namedGroup = group && { type: textIn(group.type), message: textIn(group.message) };
  return {
    rootCause,
    rootMessage,
    group: namedGroup,
    walk: (visit) => walkSent((sent) => visit(toFrame(sent))),
    identity: () => {
      const parts = [JSON.stringify([rootCause, rootMessage, namedGroup])];
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

function sentFrame(sent: JsonObject, platformOfEvent: JsonValue | undefined): SentFrame {
  const isScript = SCRIPT_PLATFORM.test(start(sent['platform']) || String(platformOfEvent ?? ''));
  return {
    isScript,
    function: start(sent['function']),
    // SDKs derive the module of a script from its file name.
    module: isScript ? '' : start(sent['module']),
    filename: start(sent['filename']),
    absPath: start(sent['abs_path']),
    inApp: typeof sent['in_app'] === 'boolean' ? sent['in_app'] : null,
  };
}

/** The first `MAX_LINE_LENGTH` units; empty if `value` is not a string. */
function start(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, MAX_LINE_LENGTH) : '';
}

/** The lengths make the text unambiguous. */
function textOf({ isScript, function: name, module, filename, absPath, inApp }: SentFrame): string {
  const lengths = `${name.length} ${module.length} ${filename.length} ${absPath.length}`;
  return `${isScript} ${inApp} ${lengths} ${name}${module}${filename}${absPath}`;
}

function toFrame({ isScript, function: sentName, module, filename, absPath, inApp }: SentFrame): StackFrame {
  const name = normalizeFunction(withoutArguments(sentName));
  const path = filename || absPath;
  const isBuiltIn = BUILT_IN.test(path);
  return {
    function: name !== null && isScript && isMinified(name) ? null : name,
    module: module === '' ? null : normalizeGenerated(module),
    file: path === '' || isBuiltIn ? null : normalizeFile(path),
    line: null,
    column: null,
    inApp: inApp ?? (!isBuiltIn && isAppFile(absPath || path) && isAppModule(module)),
  };
}

/** Removes parameters and the return type of native and .NET frames; a receiver in parentheses, as in Go, stays. */
function withoutArguments(name: string): string {
  const open = name.indexOf('(');
  if (open <= 0 || name[open - 1] === '.') return name;
  const declared = name.slice(0, open).trimEnd();
  return declared.slice(declared.lastIndexOf(' ') + 1);
}
