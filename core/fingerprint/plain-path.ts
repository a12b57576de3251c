/** Longer paths are cut when they are read. */
const MAX_PATH = 512;
const FILE_SCHEME = 'file://';

/** Folders of letters, then a name whose pieces behind the first are in lower case, as those of hashes are not. */
const SHAPE =
  /^(?:file:\/\/)?(?:\/[A-Za-z]+(?:[_-][A-Za-z]+)*)*\/[A-Za-z]+(?:[._-][a-z]+)*\.(?:[cm]?[jt]sx?|vue|svelte)$/;
/** Words in which a row of in-app.ts, stable-path.ts or frame-file.ts may see something: more than they mean, never less. */
const MAY_MEAN_SOMETHING =
  /[/_-](?:node_modules|bower_components|jspm_packages|(?:site|dist)-packages|third[_-]?party|vendor|polyfill|internalbytecode|dart_sdk|cargo|rustc|compiler-rt|libsanitizer|libexec|goroot|checkouts|data\/app|(?:lib|library|usr|share|go|mod|pods|deps|hosted|application|applications|devices|home|users|tmp|system|nix|buildroot|apex)\/)/i;
const GEMS = 'gems/';
const PACKAGES = '-packages/';
const MODULES = '_modules/';
const COMPONENTS = '_components/';
const HASH_OF_LETTERS = /[a-f]{8}/;

/**
 * The path of a script as `normalizeFile` gives it, where one look tells that it is an ordinary one of the application: `isAppFile` is true of it, and
 * nothing in it changes. Null for all others, which are to be read.
 */
export function plainAppPath(path: string): string | null {
  if (path.length > MAX_PATH || !SHAPE.test(path) || MAY_MEAN_SOMETHING.test(path) || HASH_OF_LETTERS.test(path))
    return null;
  if (path.includes(GEMS) || path.includes(PACKAGES) || path.includes(MODULES) || path.includes(COMPONENTS))
    return null;
  return path.startsWith(FILE_SCHEME) ? path.slice(FILE_SCHEME.length) : path;
}
