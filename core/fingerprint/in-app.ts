import { FOREIGN_FILES, FOREIGN_MODULES, type ForeignRow } from './foreign-code.js';

const FILES = byFlags(FOREIGN_FILES);
const MODULES = byFlags(FOREIGN_MODULES);

/** Rows with the same flags as one pattern: a text is gone through twice, not once for each row. */
function byFlags(rows: readonly ForeignRow[]): readonly RegExp[] {
  return ['', 'i'].flatMap((flags) => {
    const sources = rows.filter(({ pattern }) => pattern.flags === flags).map(({ pattern }) => `(?:${pattern.source})`);
    return sources.length === 0 ? [] : [new RegExp(sources.join('|'), flags)];
  });
}

/** Whether a file belongs to the application, by the kind of its path as it was written. */
export function isAppFile(path: string): boolean {
  return !FILES.some((pattern) => pattern.test(path));
}

/** Whether a class, module or loaded image belongs to the application, or to a library that cannot be told from it, by its name. */
export function isAppModule(module: string): boolean {
  return !MODULES.some((pattern) => pattern.test(module));
}
