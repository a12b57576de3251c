import { isJsonObject, type JsonObject, type JsonValue } from '../../event/json.js';
import { plainText } from '../../event/text.js';
import { isMinified, normalizeFile, normalizeFunction, normalizeGenerated, type StackFrame } from './frames.js';
import { isAppFile, isAppModule } from './in-app.js';
import { MAX_LINE_LENGTH, type ParsedStack } from './parsers/stack-parser.js';

/** Frames that are looked at, of all exceptions together, and exceptions, the last ones of a longer chain. */
const MAX_FRAMES = 512;
const MAX_EXCEPTIONS = 16;

const BUILT_IN = /^(?:<[^>]*>|native|\[native code\])$/;
const SCRIPT_PLATFORM = /^(?:javascript|node)$/;

/** One exception as a client took it apart. */
export interface StructuredException {
  readonly type: JsonValue | undefined;
  readonly message: JsonValue | undefined;
  /** The caller first, where it failed last. */
  readonly frames: readonly JsonValue[];
}

/** A stack of structured frames. */
export interface StructuredStack extends ParsedStack {
  /** As `walk`, with a text for each frame: frames of equal texts read the same. Never an empty one. */
  walkTexts(take: (text: string) => boolean): void;
}

/** All of a sent frame that has a say in how it is read. */
interface SentFrame {
  readonly isScript: boolean;
  readonly function: string;
  readonly module: string;
  readonly filename: string;
  readonly absPath: string;
  /** Null where the client does not say. */
  readonly inApp: boolean | null;
}

/**
 * A stack of which the client sent the frames themselves: what it says about a frame wins over what a text lets guess. `chain` begins with the main
 * exception and ends with the root cause. `platform` names the language, for example `node`; a frame may name its own.
 */
export function structuredStack(
  chain: readonly StructuredException[],
  platform: JsonValue | undefined,
): StructuredStack {
  const exceptions = chain.slice(-MAX_EXCEPTIONS);
  const root = chain.length > 1 ? chain.at(-1) : undefined;
  const rootCause = textIn(root?.type);
  const walkSent = (take: (frame: SentFrame) => boolean) => {
    let seen = 0;
    for (const { frames } of exceptions.toReversed()) {
      for (let place = frames.length - 1; place >= 0; place--) {
        if (seen++ >= MAX_FRAMES) return;
        const sent = frames[place];
        if (isJsonObject(sent) && !take(sentFrame(sent, platform))) return;
      }
    }
  };
  return {
    rootCause,
    rootMessage: rootCause === null ? null : textIn(root?.message),
    walk: (take) => walkSent((sent) => take(readFrame(sent))),
    walkTexts: (take) => walkSent((sent) => take(textOf(sent))),
  };
}

function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? plainText(value.slice(0, MAX_LINE_LENGTH)) : null;
}

function sentFrame(sent: JsonObject, platformOfEvent: JsonValue | undefined): SentFrame {
  const isScript = SCRIPT_PLATFORM.test(start(sent['platform']) || String(platformOfEvent ?? ''));
  return {
    isScript,
    function: start(sent['function']),
    // Scripts have no modules: there the name of the file stands for one.
    module: isScript ? '' : start(sent['module']),
    filename: start(sent['filename']),
    absPath: start(sent['abs_path']),
    inApp: typeof sent['in_app'] === 'boolean' ? sent['in_app'] : null,
  };
}

/** The part of a text that is read; empty for what is no text. */
function start(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, MAX_LINE_LENGTH) : '';
}

/** The lengths tell where a part ends, whatever it holds. */
function textOf({ isScript, function: name, module, filename, absPath, inApp }: SentFrame): string {
  return `${isScript} ${inApp} ${name.length} ${module.length} ${filename.length} ${name}${module}${filename}${absPath}`;
}

function readFrame({ isScript, function: sentName, module, filename, absPath, inApp }: SentFrame): StackFrame {
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

/** A name without the parameters and the type of the result that native and .NET frames write; a receiver in parentheses, as Go writes it, stays. */
function withoutArguments(name: string): string {
  const open = name.indexOf('(');
  if (open <= 0 || name[open - 1] === '.') return name;
  const declared = name.slice(0, open).trimEnd();
  return declared.slice(declared.lastIndexOf(' ') + 1);
}
