import { isJsonObject, type JsonValue } from '../event/json.js';
import { normalizeFile } from './frame-file.js';
import { isMinified, normalizeFunction, normalizeGenerated } from './frame-function.js';
import type { StackFrame } from './frames.js';
import { isAppFile, isAppModule } from './in-app.js';
import { plainText } from './plain-text.js';
import { MAX_LINE_LENGTH, type ParsedStack } from './stack-parsers/stack-parser.js';

/** Frames that are looked at, of all exceptions together, and exceptions, the last ones of a longer chain. */
const MAX_FRAMES = 512;
const MAX_EXCEPTIONS = 16;

const BUILT_IN = /^(?:<[^>]*>|native|\[native code\])$/;
const SCRIPT_PLATFORM = /^(?:javascript|node)$/;

/** One exception as a client took it apart. */
export interface StructuredException {
  readonly type: JsonValue | undefined;
  /** The caller first, where it failed last. */
  readonly frames: readonly JsonValue[];
}

/**
 * A stack of which the client sent the frames themselves: what it says about a frame wins over what a text lets guess. `chain` begins with the main
 * exception and ends with the root cause. `platform` names the language, for example `node`; a frame may name its own.
 */
export function structuredStack(chain: readonly StructuredException[], platform: JsonValue | undefined): ParsedStack {
  const exceptions = chain.slice(-MAX_EXCEPTIONS);
  const root = chain.length > 1 ? chain.at(-1)?.type : undefined;
  return {
    rootCause: typeof root === 'string' && root !== '' ? plainText(root.slice(0, MAX_LINE_LENGTH)) : null,
    walk: (take) => {
      let seen = 0;
      for (const { frames } of exceptions.toReversed()) {
        for (let place = frames.length - 1; place >= 0; place--) {
          if (seen++ >= MAX_FRAMES) return;
          const frame = readFrame(frames[place], platform);
          if (frame !== null && !take(frame)) return;
        }
      }
    },
  };
}

function readFrame(sent: JsonValue | undefined, platformOfEvent: JsonValue | undefined): StackFrame | null {
  if (!isJsonObject(sent)) return null;
  const text = (key: string): string => {
    const value = Object.hasOwn(sent, key) ? sent[key] : undefined;
    return typeof value === 'string' ? value.slice(0, MAX_LINE_LENGTH) : '';
  };
  const isScript = SCRIPT_PLATFORM.test(text('platform') || String(platformOfEvent ?? ''));
  const name = normalizeFunction(withoutArguments(text('function')));
  // Scripts have no modules: there the name of the file stands for one.
  const module = isScript ? '' : text('module');
  const path = text('filename') || text('abs_path');
  const isBuiltIn = BUILT_IN.test(path);
  return {
    function: name !== null && isScript && isMinified(name) ? null : name,
    module: module === '' ? null : normalizeGenerated(module),
    file: path === '' || isBuiltIn ? null : normalizeFile(path),
    line: null,
    column: null,
    inApp: isInApp(sent['in_app']) ?? (!isBuiltIn && isAppFile(text('abs_path') || path) && isAppModule(module)),
  };
}

function isInApp(said: JsonValue | undefined): boolean | null {
  return typeof said === 'boolean' ? said : null;
}

/** A name without the parameters and the type of the result that native and .NET frames write; a receiver in parentheses, as Go writes it, stays. */
function withoutArguments(name: string): string {
  const open = name.indexOf('(');
  if (open <= 0 || name[open - 1] === '.') return name;
  const declared = name.slice(0, open).trimEnd();
  return declared.slice(declared.lastIndexOf(' ') + 1);
}
