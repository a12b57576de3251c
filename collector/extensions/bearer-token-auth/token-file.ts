import { readFile, stat } from 'node:fs/promises';
import { Fault } from '../../../core/event/fault.js';
import { parseTokenLines } from './token-lines.js';

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

/** Reads the tokens of a file. Throws `TOKEN_FILE_UNREADABLE` and `TOKEN_FILE_INVALID`, which name the file. */
export async function readTokenFile(path: string): Promise<readonly string[]> {
  return parseTokenLines(path, await readText(path));
}

/** What changes when a file is written or replaced; a text of its own where there is none. */
export async function markOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch (error) {
    return codeOf(error);
  }
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_FILE_BYTES) return await readFile(path, 'utf8');
  } catch (cause) {
    const code = codeOf(cause);
    throw new Fault('TOKEN_FILE_UNREADABLE', `the tokens in ${path} cannot be read: ${REASONS[code] ?? code}`, {
      cause,
    });
  }
  throw new Fault('TOKEN_FILE_INVALID', `the file of tokens ${path} is larger than ${MAX_FILE_BYTES} bytes`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}
