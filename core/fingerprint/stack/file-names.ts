import { isHash, type Place, startOfHash } from './build-hash.js';
import { stablePath } from './stable-path.js';

/** UTF-16 units; of a longer path the end counts. */
const MAX_PATH = 512;

/** What bundlers write: only these names end with hashes of their content. */
const BUNDLE = /\.(?:[cm]?js|css|wasm)(?:\.map)?$/i;
const PLAIN_NAME = /^[A-Za-z_$]+(?:\.[A-Za-z_$]+)*$/;
const SCHEME_AND_HOST =
  /^(?:webpack-internal:\/\/\/|[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^/]{0,255})\/?(?:\([\w-]{1,40}\)\/)?/;
/** A query, or a fragment behind the name of a file: a folder may be `C#`. */
const QUERY = /(?:\?|#(?<=\.\w{1,8}#)).*$/s;
/** Letters that addresses encode, without control characters. */
const ENCODED = /%([2-7][0-9A-Fa-f])/g;
/** Folders of one user, one run or one image. */
const USER_FOLDER = /^(?:[A-Za-z]:)?\/(?:(?:home|Users|tmp|var\/tmp|private\/tmp)\/[^/]+|usr\/src)\//;
/** Folders of packages; the path of a package starts after the last of them. */
const PACKAGES = [
  'node_modules/',
  'bower_components/',
  'site-packages/',
  'dist-packages/',
  'pkg/mod/',
  'gems/',
] as const;
const VERSION =
  /[@_-]v?\d{1,5}(?:\.\d{1,9}){1,3}(?:\.?(?:a|alpha|b|beta|rc|pre|dev|post)\d{0,9})?(?:[-+][0-9A-Za-z.]{1,40})?(?=[./]|$)/g;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const NUMBER = /^\d+$/;
/** A number of this length may be a hash without letters. */
const SHORTEST_HASH = 6;
/** A part of hexadecimal digits, or a number that is long enough for a date. */
const GENERATED =
  /(^|[./_-])(?:\d{6,64}|(?=(?:[a-f]*\d){2})(?![a-f]{3,}\d{1,4}(?:[./_-]|$))[\da-f]{8,64})(?=[./_-]|$)/gi;
/** A number in a folder that is longer than that of a step or a part. */
const LONG_NUMBER = /([._-])\d{3,5}(?=[./_-])/g;
const NUMBERED_FOLDER = /(^|\/)\d{1,5}(?=\/)/g;

/** Removes host, query, version, content hash and package folders from a path; null if nothing is left. */
export function normalizeFile(raw: string): string | null {
  if (PLAIN_NAME.test(raw) && !BUNDLE.test(raw)) return raw;
  const written = raw.length > MAX_PATH ? raw.slice(-MAX_PATH) : raw;
  let path = stablePath(written);
  if (/[?#]/.test(path)) path = path.replace(QUERY, '');
  if (path.includes('%')) path = path.replace(ENCODED, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  if (path.includes('://')) path = path.replace(SCHEME_AND_HOST, '');
  if (path.includes('\\')) path = path.replaceAll('\\', '/');
  path = withoutPackageFolder(path).replace(USER_FOLDER, '');
  if (/\d/.test(path)) path = path.replace(VERSION, '');
  const slash = path.lastIndexOf('/') + 1;
  const name = path.slice(slash);
  const end = name.search(BUNDLE);
  const isBundle = end > 0;
  const place = isBundle ? placeOf(written) : ANYWHERE;
  const stable = isBundle ? stableStem(name.slice(0, end), place) + name.slice(end) : withoutGenerated(name);
  return `${stableFolders(path.slice(0, slash), place)}${stable}` || null;
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

/** Where a bundle lies, in the order in which rows decide. */
const PLACES: readonly (Place & { readonly pattern: RegExp })[] = [
  // Sources that a server of developers or an SDK shows as addresses.
  { pattern: /^webpack:|\/(?:src|node_modules|@fs|@id)\//, afterWords: 0, alone: -4 },
  // Folders that only bundlers make.
  { pattern: /[/\\](?:_[a-z]\w*|immutable|chunks?)[/\\]/, afterWords: 7, alone: 8 },
  {
    pattern: /^(?!file:)[a-z][\w+.-]+:\/\/|(?:^|[/\\])(?:assets|static|bundles|packs)[/\\]|^(?:js|css|scripts)\//,
    afterWords: 5,
    alone: 6,
  },
  // No folder, or that of a page without its host.
  { pattern: /^(?:~\/.*|\/?[^/\\]+)$/, afterWords: 5, alone: 5 },
  { pattern: /[/\\](?:dist|build|out|public|\.[a-z][\w-]*)[/\\]/, afterWords: 0, alone: -2 },
];
/** Where people name files. */
const ANYWHERE: Place = { afterWords: -4, alone: -Infinity };

function placeOf(path: string): Place {
  return PLACES.find(({ pattern }) => pattern.test(path)) ?? ANYWHERE;
}

function stableFolders(folders: string, place: Place): string {
  // A folder may be named by the build that made it.
  const named =
    place.afterWords > 0 ? folders.replace(/[^/]{6,}/g, (folder) => (isHash(folder) ? '<hash>' : folder)) : folders;
  if (!/\d/.test(named)) return named;
  return withoutGenerated(named).replace(NUMBERED_FOLDER, '$1<n>').replace(LONG_NUMBER, '$1<n>');
}

/** Replaces the hash with which a bundler ended a name. */
function stableStem(stem: string, place: Place): string {
  if (!stem.includes('.')) return withoutBuildHash(stem, place);
  const behindDot = { ...place, alone: place.afterWords + 1 };
  const parts = stem.split('.').map((part, index) => withoutBuildHash(part, index === 0 ? place : behindDot));
  return parts.join('.');
}

function withoutBuildHash(part: string, place: Place): string {
  if (NUMBER.test(part) && part.length < SHORTEST_HASH) return '<n>';
  const start = startOfHash(part, place);
  if (start === part.length) return withoutGenerated(part);
  const words = part.slice(0, start);
  return `${/^\d+[-_]$/.test(words) ? '<n>-' : withoutGenerated(words)}<hash>`;
}

/** Replaces what no person writes into any name. */
function withoutGenerated(name: string): string {
  if (!/\d/.test(name)) return name;
  return name.replace(UUID, '<hash>').replace(GENERATED, '$1<hash>');
}

/** Source folders of a project: the path below the last of them is the same in every installation. */
const SOURCE_ROOT = /^(?:.*\/)?(?:src|dist|build|out|target)\//;
/** File names that are ambiguous without their folder: those of modules and of the roles that frameworks give to files. */
const GENERIC_FILE =
  /^[+_]?(?:index|main|mod|init|__init__|__main__|app|server|handlers?|routes?|router|page|layout|utils?|helpers?|types|common|lib|views?|models?|controllers?|services?|tasks?|forms?|admin|serializers?|schemas?|resolvers?|repository|store|reducers?|actions?|hooks?|api|client|component|template|signals|permissions|validators?|middleware|errors?|config|constants|loader|worker|job|base)(?:[.-]<hash>)?\.[\w.]{1,12}$/i;
/** Folders that are ambiguous too, or differ between installations. */
const GENERIC_FOLDER =
  /^(?:|\.|\.\.|src|lib|apps?|dist|build|out|output|target|bin|tmp|temp|var|opt|srv|usr|home|code|work|workspace|www|html|public|static|assets|js|releases?|current|wwwroot|htdocs|task|AppData|bundle|server|client|[A-Za-z]:|.*<n>.*|.*<hash>.*)$/i;

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

const PACKAGE = /^(@[^/]+\/[^/]+|[^@/.][^/]*)\/(.+)$/;

/** A file of a library, with its package: two packages may have files of one name. */
export function libraryFile(file: string): string {
  const [, owner, path] = PACKAGE.exec(file) ?? [];
  if (owner === undefined || path === undefined || GENERIC_FOLDER.test(owner)) return projectFile(file);
  return `${owner}/${projectFile(path)}`;
}
