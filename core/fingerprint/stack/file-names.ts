import { stablePath } from './stable-path.js';

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
export function projectFile(file: string): string {
  if (!file.includes('/')) return file;
  const below = file.replace(SOURCE_ROOT, '');
  if (below.includes('/') && below !== file) return below;
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (!GENERIC_FILE.test(name)) return name;
  const parts = file.split('/');
  const folder = parts.at(below === file ? -2 : -3) ?? '';
  return GENERIC_FOLDER.test(folder) ? name : `${folder}/${name}`;
}
