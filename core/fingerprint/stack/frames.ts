import { GENERATED_MARKS } from './generated-names.js';
import { stablePath } from './stable-path.js';

/** One call on a stack, read from text and normalized: what two builds, hosts or versions of a library would not share is gone. */
export interface StackFrame {
  /** Name of the function, with its class where the text has it; null when it has none or the name is a minifier's. */
  readonly function: string | null;
  /** Class or module that holds the function, for families that write it; null for others. */
  readonly module: string | null;
  /** Path without host, query, build folders and hashes; null when the text has none. */
  readonly file: string | null;
  /** One-based; null when unknown. Never part of a fingerprint. */
  readonly line: number | null;
  /** One-based; null when unknown. Never part of a fingerprint. */
  readonly column: number | null;
  /** True for code of the application, false for libraries and the language's own code, by the kind of path or namespace. */
  readonly inApp: boolean;
}

/** UTF-16 units of a function's name that count. */
const MAX_NAME = 256;

const ALIAS = / \[as [^\]]{0,200}\]$/;
const ADJECTIVES = /^(?:(?:async|new|get|set|static|bound) )+/;
const RECEIVER = /^(?:Object|Module|Function|global|globalThis|[Ww]indow|exports|self)\./;
const NOBODY = /^(?:|\?|anonymous|eval|native|<anonymous>|<lambda>|<unknown>|anonymous function|_callee\d*\$?)$/i;
/** What else is no name: comprehensions, numbers of modules in bundles, names of obfuscators and of unknown symbols. */
const NO_NAME =
  /^(?:<(?:listcomp|dictcomp|setcomp|genexpr|redacted|deduplicated_symbol|computed)>|\d+|_0x[0-9a-f]{2,12}|\?{2,3}|0x[0-9a-f]{4,16}|\(null\)|_?callee\$\w{0,20}|<compiler-generated>|__lldb_unnamed_symbol\w{0,40})$/i;
/** Names in which no mark of `GENERATED_MARKS` can be: each has a digit, a sign or an underscore, or stands behind a dot in lower case. */
const LETTERS = /^[A-Za-z]+$|^[A-Za-z]+\.[a-z]*[A-Z][A-Za-z]*$/;
const ANONYMOUS_MEMBER = /\.(?:<anonymous>|anonymous|\?)$/;
const MINIFIED = /^(?:[A-Za-z_$]{1,2}\d?\.)?[A-Za-z_$]{1,2}\d?$/;

/** A sign of one of the marks; most names have none. */
const MAY_HOLD_MARK =
  /[$<{`@[#·'/-]|__\d|\binit\.\d|(?:Accessor|Proxy|_closure|\.func|\.gowrap|\.deferwrap)\d|::h[0-9a-f]{16}|\bblock \(|_block_invoke|\.(?:constprop|isra|part|lto_priv|llvm|cold|localalias|resume|destroy|prototype)(?:\.|$)/;

/** A function's name without receivers, aliases and generated numbers; null when nothing is left that tells it from another. */
export function normalizeFunction(raw: string): string | null {
  let name = raw.length > MAX_NAME ? raw.slice(0, MAX_NAME) : raw;
  if (name.includes(' ')) name = name.replace(ALIAS, '').replace(ADJECTIVES, '');
  name = name.replace(RECEIVER, '');
  if (NOBODY.test(name) || ANONYMOUS_MEMBER.test(name)) return null;
  if (LETTERS.test(name)) return name;
  return NO_NAME.test(name) ? null : normalizeGenerated(name) || null;
}

/** A name of a class, module or function without the numbers that a compiler or a runtime gave it. */
export function normalizeGenerated(name: string): string {
  let rest = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
  if (!MAY_HOLD_MARK.test(rest)) return rest;
  for (const { pattern, replacement } of GENERATED_MARKS) rest = rest.replace(pattern, replacement);
  return rest;
}

/** Whether a name of one or two letters was made by a minifier, which gives the next build another one. */
export function isMinified(name: string): boolean {
  return name.length <= 7 && MINIFIED.test(name);
}

/** The end of a longer path is what counts; the rest is not read. */
const MAX_PATH = 512;

const PLAIN_NAME = /^[A-Za-z_$]+(?:\.[A-Za-z_$]+)*$/;
const SCHEME_AND_HOST =
  /^(?:webpack-internal:\/\/\/|[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^/]{0,255})\/?(?:\([\w-]{1,40}\)\/)?/;
/** Folders of one person or one run. */
const PLACE_OF_ONE = /^(?:[A-Za-z]:)?\/(?:home|Users|tmp|var\/tmp|private\/tmp)\/[^/]+\//;
/** Folders under which packages lie; what stands behind the last of them is the package's own path. */
const PACKAGES = [
  'node_modules/',
  'bower_components/',
  'site-packages/',
  'dist-packages/',
  'pkg/mod/',
  'gems/',
] as const;
const VERSION = /[@_-]v?\d{1,5}(?:\.\d{1,9}){1,3}(?:[-+][0-9A-Za-z.]{1,40})?(?=[./]|$)/g;
/** The eight characters of base64url with which bundlers end a name. */
const BUNDLE_HASH =
  /-(?=[\w-]{0,7}[A-Z])(?=[\w-]{0,7}[a-z])(?=[\w-]{0,7}[\d_]|(?:[a-z\d_-]{0,7}[A-Z]){3})[\w-]{8}(?=\.(?:[cm]?js|css)$)/;
const PART = /(^|[./_-])([0-9A-Za-z]{1,64})(?=[./_-]|$)/g;
const NUMBER = /^\d+$/;
/** From this length on a number may be a hash that happens to have no letter. */
const SHORTEST_HASH = 6;
const HEXADECIMAL = /^[0-9a-f]{6,}$/i;
/** A hash that happens to have no digit, as one in some 2,500 of eight characters has not; no word is spelled so. */
const HASH_OF_LETTERS = /^[a-f]{8,}$/;
const RANDOM = /^(?=.{0,64}[A-Za-z].{0,64}[A-Za-z])[0-9A-Za-z]{8,}$/;
const WORD_WITH_NUMBER = /^[A-Za-z]{3,}\d{1,3}$/;

/** A file name as it stays from build to build and from host to host: without host, query, version, content hash and folder of packages. */
export function normalizeFile(raw: string): string | null {
  if (PLAIN_NAME.test(raw) && !/[a-f]{8}/.test(raw)) return raw;
  let path = stablePath(raw.length > MAX_PATH ? raw.slice(-MAX_PATH) : raw);
  const query = path.search(/[?#]/);
  if (query >= 0) path = path.slice(0, query);
  if (path.includes('://')) path = path.replace(SCHEME_AND_HOST, '');
  if (path.includes('\\')) path = path.replaceAll('\\', '/');
  path = behindPackages(path).replace(PLACE_OF_ONE, '').replace(BUNDLE_HASH, '-<hash>');
  if (/\d|[a-f]{8}/.test(path)) path = path.replace(VERSION, '').replace(PART, replacePart);
  return path === '' ? null : path;
}

function behindPackages(path: string): string {
  let start = 0;
  for (const folder of PACKAGES) {
    // Searching forward is much quicker, and most paths hold none of them.
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

/** Folders that hold the sources of a project: the path below the last of them is the same wherever it is installed. */
const SOURCE_ROOT = /^(?:.*\/)?(?:src|dist|build|out|target)\//;
/** Names of files that say nothing without their folder. */
const NAMELESS =
  /^(?:index|main|mod|init|__init__|__main__|app|server|handler|routes?|page|layout|utils?|helpers|types|common|lib)\.[\w.]{1,12}$/i;
/** Folders that say nothing either, or differ from one installation to the next. */
const PLACE =
  /^(?:|\.|\.\.|src|lib|apps?|dist|build|out|output|target|bin|tmp|temp|var|opt|srv|usr|home|code|work|workspace|www|html|public|static|assets|js|releases?|current|bundle|server|client|.*<n>.*|.*<hash>.*)$/i;

/** What of a normalized path names the file in its project: all below the source root; without one the name, and the folder of a name that says nothing. */
function projectFile(file: string): string {
  if (!file.includes('/')) return file;
  const below = file.replace(SOURCE_ROOT, '');
  if (below.includes('/') && below !== file) return below;
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (!NAMELESS.test(name)) return name;
  const parts = file.split('/');
  const folder = parts.at(below === file ? -2 : -3) ?? '';
  return PLACE.test(folder) ? name : `${folder}/${name}`;
}

/** What of a frame is hashed: module and function, or function and file where the family writes no modules. Never empty for a frame with a name or a file. */
export function frameKey(frame: StackFrame): string {
  if (frame.module === null) return frameLabel(frame);
  return frame.function === null ? frame.module : `${frame.module}.${frame.function}`;
}

/** A frame as people read it in a list: `Class.function (file)`. */
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
