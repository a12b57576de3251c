import { FOREIGN_FILES, FOREIGN_MODULES, type ForeignRow } from './foreign-code.js';

const NEWEST = 2;

const FILES = byVersion(FOREIGN_FILES);
const MODULES = byVersion(FOREIGN_MODULES);

/** The rows of each version, those with the same flags as one pattern: a text is gone through twice, not once for each row. */
function byVersion(rows: readonly ForeignRow[]): readonly (readonly RegExp[])[] {
  return [1, NEWEST].map((version) => {
    const patterns = rows.filter(({ since }) => (since ?? 1) <= version).map(({ pattern }) => pattern);
    return ['', 'i'].flatMap((flags) => {
      const sources = patterns.filter((pattern) => pattern.flags === flags).map(({ source }) => `(?:${source})`);
      return sources.length === 0 ? [] : [new RegExp(sources.join('|'), flags)];
    });
  });
}

/** Whether a file belongs to the application, by the kind of its path as it was written. `version`: of the rules; absent: the newest. */
export function isAppFile(path: string, version: number = NEWEST): boolean {
  return !isForeign(path, FILES, version);
}

/**
 * Whether a class, module or loaded image belongs to the application, or to a library that cannot be told from it, by its name.
 * `version`: of the rules; absent: the newest.
 */
export function isAppModule(module: string, version: number = NEWEST): boolean {
  return !isForeign(module, MODULES, version);
}

function isForeign(text: string, versions: readonly (readonly RegExp[])[], version: number): boolean {
  for (const pattern of versions[version - 1] ?? []) if (pattern.test(text)) return true;
  return false;
}
