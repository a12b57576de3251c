import { stablePath } from './stable-path.js';

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
export function projectFile(file: string): string {
  if (!file.includes('/')) return file;
  const below = file.replace(SOURCE_ROOT, '');
  if (below.includes('/') && below !== file) return below;
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (!NAMELESS.test(name)) return name;
  const parts = file.split('/');
  const folder = parts.at(below === file ? -2 : -3) ?? '';
  return PLACE.test(folder) ? name : `${folder}/${name}`;
}
