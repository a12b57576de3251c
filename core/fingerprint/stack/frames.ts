import { GENERATED_NAMES } from './generated-names.js';
import { isAppFile } from './in-app.js';
import { stablePath } from './stable-path.js';

/** One call on a stack, normalized: without what differs between builds, hosts or versions of a library. */
export interface StackFrame {
  /** With its class if the text has it; null if it is missing or minified. */
  readonly function: string | null;
  /** Class or module of the function; null for families that do not write it. */
  readonly module: string | null;
  /** Path without host, query, build folders and hashes; null if it is missing. */
  readonly file: string | null;
  /** One-based, as the column; null when unknown. Neither is part of a fingerprint. */
  readonly line: number | null;
  readonly column: number | null;
  /** False for libraries and code of the language, by path or namespace. */
  readonly inApp: boolean;
}

/** What a text says of a frame; what it does not say is absent or empty. */
interface WrittenFrame {
  readonly name?: string | undefined;
  /** As it counts. */
  readonly module?: string | undefined;
  readonly path?: string | undefined;
  readonly line?: number | string | undefined;
  readonly column?: number | string | undefined;
  /** Default: whether the path belongs to the application. */
  readonly inApp?: boolean | undefined;
}

/** Creates a frame, with function and file normalized. */
export function createFrame({ name = '', module = '', path = '', line, column, inApp }: WrittenFrame): StackFrame {
  return {
    function: normalizeFunction(name),
    module: module === '' ? null : module,
    file: normalizeFile(path),
    line: line === undefined ? null : Number(line),
    column: column === undefined ? null : Number(column),
    inApp: inApp ?? isAppFile(path),
  };
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
const MINIFIED = /^(?:[A-Za-z_$]{1,2}\d?\.)?[A-Za-z_$]{1,2}\d?$/;

/** Matches whenever a row of `GENERATED_NAMES` may match; most names do not. */
const MAY_BE_GENERATED =
  /[$<{`@[#·'/-]|__\d|\binit\.\d|(?:Accessor|Proxy|_closure|\.func|\.gowrap|\.deferwrap)\d|::h[0-9a-f]{16}|\b(?:block|rescue|ensure) (?:\(|in )|_block_invoke|\.(?:constprop|isra|part|lto_priv|llvm|cold|localalias|resume|destroy|prototype)(?:\.|$)/;

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

/** Whether a name looks minified, so that it changes with each build. */
export function isMinified(name: string): boolean {
  return name.length <= 7 && MINIFIED.test(name);
}

/** UTF-16 units; of a longer path the end counts. */
const MAX_PATH = 512;

const PLAIN_NAME = /^[A-Za-z_$]+(?:\.[A-Za-z_$]+)*$/;
const SCHEME_AND_HOST =
  /^(?:webpack-internal:\/\/\/|[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^/]{0,255})\/?(?:\([\w-]{1,40}\)\/)?/;
/** Folders of one user or one run. */
const USER_FOLDER = /^(?:[A-Za-z]:)?\/(?:home|Users|tmp|var\/tmp|private\/tmp)\/[^/]+\//;
/** Folders of packages; the path of a package starts after the last of them. */
const PACKAGES = [
  'node_modules/',
  'bower_components/',
  'site-packages/',
  'dist-packages/',
  'pkg/mod/',
  'gems/',
] as const;
const VERSION = /[@_-]v?\d{1,5}(?:\.\d{1,9}){1,3}(?:[-+][0-9A-Za-z.]{1,40})?(?=[./]|$)/g;
/** Eight characters of base64url at the end of a bundle's name. */
const BUNDLE_HASH =
  /-(?=[\w-]{0,7}[A-Z])(?=[\w-]{0,7}[a-z])(?=[\w-]{0,7}[\d_]|(?:[a-z\d_-]{0,7}[A-Z]){3})[\w-]{8}(?=\.(?:[cm]?js|css)$)/;
const PART = /(^|[./_-])([0-9A-Za-z]{1,64})(?=[./_-]|$)/g;
const NUMBER = /^\d+$/;
/** A number of this length may be a hash without letters. */
const SHORTEST_HASH = 6;
const HEXADECIMAL = /^[0-9a-f]{6,}$/i;
/** A hash without digits; words do not match. */
const HASH_OF_LETTERS = /^[a-f]{8,}$/;
const RANDOM = /^(?=.{0,64}[A-Za-z].{0,64}[A-Za-z])[0-9A-Za-z]{8,}$/;
const WORD_WITH_NUMBER = /^[A-Za-z]{3,}\d{1,3}$/;

/** Removes host, query, version, content hash and package folders from a path; null if nothing is left. */
export function normalizeFile(raw: string): string | null {
  if (PLAIN_NAME.test(raw) && !/[a-f]{8}/.test(raw)) return raw;
  let path = stablePath(raw.length > MAX_PATH ? raw.slice(-MAX_PATH) : raw);
  const query = path.search(/[?#]/);
  if (query >= 0) path = path.slice(0, query);
  if (path.includes('://')) path = path.replace(SCHEME_AND_HOST, '');
  if (path.includes('\\')) path = path.replaceAll('\\', '/');
  path = withoutPackageFolder(path).replace(USER_FOLDER, '').replace(BUNDLE_HASH, '-<hash>');
  if (/\d|[a-f]{8}/.test(path)) path = path.replace(VERSION, '').replace(PART, replacePart);
  return path === '' ? null : path;
}

function withoutPackageFolder(path: string): string {
  let start = 0;
  for (const folder of PACKAGES) {
    // `includes` is faster than `lastIndexOf`, and most paths have none.
    if (!path.includes(folder)) continue;
    const at = path.lastIndexOf(folder);
    start = Math.max(start, at + folder.length);
  }
  return start === 0 ? path : path.slice(start);
}

function replacePart(whole: string, before: string, part: string): string {
  if (!/\d/.test(part)) return HASH_OF_LETTERS.test(part) ? `${before}<hash>` : whole;
  if (NUMBER.test(part)) return part.length < SHORTEST_HASH ? `${before}<n>` : `${before}<hash>`;
  if (HEXADECIMAL.test(part) || (RANDOM.test(part) && !WORD_WITH_NUMBER.test(part))) return `${before}<hash>`;
  return whole;
}

/** Source folders of a project: the path below the last of them is the same in every installation. */
const SOURCE_ROOT = /^(?:.*\/)?(?:src|dist|build|out|target)\//;
/** File names that are ambiguous without their folder. */
const GENERIC_FILE =
  /^(?:index|main|mod|init|__init__|__main__|app|server|handler|routes?|page|layout|utils?|helpers|types|common|lib)\.[\w.]{1,12}$/i;
/** Folders that are ambiguous too, or differ between installations. */
const GENERIC_FOLDER =
  /^(?:|\.|\.\.|src|lib|apps?|dist|build|out|output|target|bin|tmp|temp|var|opt|srv|usr|home|code|work|workspace|www|html|public|static|assets|js|releases?|current|bundle|server|client|.*<n>.*|.*<hash>.*)$/i;

/** The path below the source root; without one the file name, with its folder if the name is generic. */
function projectFile(file: string): string {
  if (!file.includes('/')) return file;
  const below = file.replace(SOURCE_ROOT, '');
  if (below.includes('/') && below !== file) return below;
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (!GENERIC_FILE.test(name)) return name;
  const parts = file.split('/');
  const folder = parts.at(below === file ? -2 : -3) ?? '';
  return GENERIC_FOLDER.test(folder) ? name : `${folder}/${name}`;
}

/** The text of a frame that is hashed: module and function, or function and file without a module. Never empty for a frame with a name or a file. */
export function frameKey(frame: StackFrame): string {
  if (frame.module === null) return frameLabel(frame);
  return frame.function === null ? frame.module : `${frame.module}.${frame.function}`;
}

/** Formats a frame as `Class.function (file)`. */
export function frameLabel(frame: StackFrame): string {
  const file = frame.file === null ? null : projectFile(frame.file);
  const owner = frame.module === null ? '' : lastPart(frame.module);
  const called = frame.function ?? '';
  const name = owner === '' || called === '' ? `${owner}${called}` : `${owner}.${called}`;
  if (file === null) return name;
  return name === '' ? file : `${name} (${file})`;
}

/** The class of `com.acme.Cart`, the package of `example.com/shop/stock`. */
function lastPart(module: string): string {
  return module.slice(Math.max(module.lastIndexOf('.'), module.lastIndexOf('/')) + 1);
}
