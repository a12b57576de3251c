import { libraryFile, normalizeFile, projectFile } from './file-names.js';
import { GENERATED_NAMES } from './generated-names.js';
import { isAppFile } from './in-app.js';

/** One call on a stack, normalized: without what differs between builds, hosts or versions of a library. */
export interface StackFrame {
  /** With its class if the text has it; null if it is missing or minified. */
  readonly function: string | null;
  /** Class or module of the function; null for families that do not write it. */
  readonly module: string | null;
  /** Class before the function with its mark, for example `Cart#`, where only some versions write it: shown, but not part of a fingerprint. */
  readonly owner?: string;
  /** Path without host, query, build folders and hashes; null if it is missing. */
  readonly file: string | null;
  /** One-based, as the column; null when unknown. Neither is part of a fingerprint. */
  readonly line: number | null;
  readonly column: number | null;
  /** False for libraries and code of the language, by path or namespace. */
  readonly inApp: boolean;
  /** Whether a frame that is not `inApp` is the application's if no other one is: of a well-known library. Absent: false. */
  readonly stepsBack?: boolean;
  /** Whether it is code that comes with the language, which decides only where no package does. Absent: false, or known by the file. */
  readonly isOfLanguage?: boolean;
}

/** What a text says of a frame; what it does not say is absent or empty. */
interface WrittenFrame {
  readonly name?: string | undefined;
  /** As it counts. */
  readonly module?: string | undefined;
  readonly path?: string | undefined;
  readonly line?: number | string | null | undefined;
  readonly column?: number | string | null | undefined;
  /** Default: whether the path belongs to the application. */
  readonly inApp?: boolean | undefined;
}

/** Creates a frame, with function and file normalized. */
export function createFrame({ name = '', module = '', path = '', line, column, inApp }: WrittenFrame): StackFrame {
  return {
    function: normalizeFunction(name),
    module: module === '' ? null : module,
    file: normalizeFile(path),
    line: numberOf(line),
    column: numberOf(column),
    inApp: inApp ?? isAppFile(path),
  };
}

function numberOf(written: number | string | null | undefined): number | null {
  return written === undefined || written === null ? null : Number(written);
}

/** UTF-16 units; longer names are cut. */
const MAX_NAME = 256;

const ALIAS = / \[as [^\]]{0,200}\]$/;
const ADJECTIVES = /^(?:(?:async|new|get|set|static|bound) )+/;
const RECEIVER = /^(?:Object|Module|Function|global|globalThis|[Ww]indow|exports|self)\./;
const ANONYMOUS =
  /^(?:|\?|anonymous|eval|native|<anonymous>|<lambda>|<unknown>|anonymous function|operator\(\)|_callee\d*\$?)$/i;
/** Comprehensions, module numbers of bundles, obfuscated names and unknown symbols. */
const NOT_A_NAME =
  /^(?:<(?:listcomp|dictcomp|setcomp|genexpr|redacted|deduplicated_symbol|computed)>|\d+|_0x[0-9a-f]{2,12}|\?{2,3}|0x[0-9a-f]{4,16}|\(null\)|_?callee\$\w{0,20}|<compiler-generated>|__lldb_unnamed_symbol\w{0,40})$/i;
/** Names that no row of `GENERATED_NAMES` can match. */
const LETTERS = /^[A-Za-z]+$|^[A-Za-z]+\.[a-z]*[A-Z][A-Za-z]*$/;
const ANONYMOUS_MEMBER = /\.(?:<anonymous>|anonymous|\?)$/;

/** Matches whenever a row of `GENERATED_NAMES` may match; most names do not. */
const MAY_BE_GENERATED =
  /[$<{`@[#·'/-]|__\d|\binit\.\d|(?:Accessor|Proxy|_closure|\.func|\.gowrap|\.deferwrap)\d|::h[0-9a-f]{16}|_block_invoke|\.(?:constprop|isra|part|lto_priv|llvm|cold|localalias|resume|destroy|prototype)(?:\.|$)/;

/** Removes receivers, aliases and generated numbers from a function's name; null if no specific name is left. */
export function normalizeFunction(raw: string): string | null {
  let name = raw.length > MAX_NAME ? raw.slice(0, MAX_NAME) : raw;
  if (name.includes(' ')) name = name.replace(ALIAS, '').replace(ADJECTIVES, '');
  name = name.replace(RECEIVER, '');
  if (ANONYMOUS.test(name) || ANONYMOUS_MEMBER.test(name)) return null;
  if (LETTERS.test(name)) return name;
  return NOT_A_NAME.test(name) ? null : normalizeGenerated(name) || null;
}

/** Removes the numbers that compilers and runtimes add to names of classes, modules and functions. */
export function normalizeGenerated(name: string): string {
  let rest = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
  if (!MAY_BE_GENERATED.test(rest)) return rest;
  for (const { pattern, replacement } of GENERATED_NAMES) rest = rest.replace(pattern, replacement);
  return rest;
}

/** The text of a frame that is hashed: module and function, or function and file without a module. Never empty for a frame with a name or a file. */
export function frameKey(frame: StackFrame): string {
  if (frame.module === null) return labelOf(frame, '');
  return frame.function === null ? frame.module : `${frame.module}.${frame.function}`;
}

/** Formats a frame as `Class.function (file)`. */
export function frameLabel(frame: StackFrame): string {
  return labelOf(frame, frame.owner ?? '');
}

function labelOf(frame: StackFrame, shownOwner: string): string {
  const file = shownFile(frame);
  const owner = frame.module === null ? '' : lastPart(frame.module);
  const called = `${shownOwner}${frame.function ?? ''}`;
  const name = owner === '' || called === '' ? `${owner}${called}` : `${owner}.${called}`;
  if (file === null) return name;
  return name === '' ? file : `${name} (${file})`;
}

function shownFile({ file, inApp }: StackFrame): string | null {
  if (file === null) return null;
  return inApp ? projectFile(file) : libraryFile(file);
}

const IMAGE = /\.(?:so|dylib|dll|exe|node)$/i;

/** The class of `com.acme.Cart`, the package of `example.com/shop/stock`, all of the image `libshop.so`. */
function lastPart(module: string): string {
  if (IMAGE.test(module)) return module;
  return module.slice(Math.max(module.lastIndexOf('.'), module.lastIndexOf('/')) + 1);
}
