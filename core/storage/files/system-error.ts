/** The code of an error, for example `ENOENT`; undefined without one. Not by class: the error may come from another realm. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error has one of these system codes, for example `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error);
  return code !== undefined && codes.includes(code);
}

const SENTENCES: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `Permission denied: ${path}. Run as a user with access to it, or choose another folder.`,
  EPERM: (path) => `Permission denied: ${path}. Run as a user with access to it, or choose another folder.`,
  EROFS: (path) => `${path} is on a read-only file system. Choose another folder.`,
  ENOSPC: (path) => `The disk of ${path} is full. Free some space, or choose another folder.`,
};

/** What the disk refused, and the next step; undefined for other codes and without a path. Default `path`: that of the error. */
export function systemSentence(error: unknown, path?: string): string | undefined {
  const named = path ?? (error instanceof Error && 'path' in error ? error.path : undefined);
  return typeof named === 'string' ? SENTENCES[codeOf(error) ?? '']?.(named) : undefined;
}
