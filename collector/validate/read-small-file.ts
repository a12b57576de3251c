import { readFile, stat } from 'node:fs/promises';
import { hasCode } from '../../core/storage/files/system-error.js';

/** No certificate chain and no list of tokens comes near it. */
const MAX_BYTES = 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist (ENOENT)',
  EACCES: 'this user may not (EACCES)',
  EROFS: 'the file system is read-only (EROFS)',
  ENOTDIR: 'a part of its path is no folder (ENOTDIR)',
};

/** The text of a file of at most 1 MiB, or a sentence that says why it cannot be read. */
export async function readSmallFile(path: string): Promise<{ readonly text: string } | { readonly fault: string }> {
  try {
    const found = await stat(path);
    // A pipe may never end, or never begin.
    if (!found.isFile()) return { fault: `${path} is ${found.isDirectory() ? 'a folder' : 'no regular file'}` };
    if (found.size > MAX_BYTES) return { fault: `${path} is larger than 1 MiB` };
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    return { fault: `${path} cannot be read: ${systemReasonOf(error)}` };
  }
}

/** What the system says, in words where there are some. */
export function systemReasonOf(error: unknown): string {
  const known = Object.entries(REASONS).find(([code]) => hasCode(error, code));
  return known?.[1] ?? (error instanceof Error ? error.message : String(error));
}
