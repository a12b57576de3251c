import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { hasCode } from '../../core/storage/files/system-error.js';

const OWNER_ONLY_FILE = 0o600;

/** What a file holds: its text, or that it is not there, or that it is larger than was asked for, no text or no file. */
export type FileContent = { readonly text: string } | 'absent' | 'unusable';

/** Reads a text file of at most so many bytes. Throws what the system says where it may not be read. */
export async function readPrivateFile(path: string, maxBytes: number): Promise<FileContent> {
  // A pipe would keep us waiting for its writer.
  const opened = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  if (opened === undefined) return 'absent';
  try {
    const status = await opened.stat();
    if (!status.isFile() || status.size > maxBytes) return 'unusable';
    const bytes = await opened.readFile();
    return isUtf8(bytes) ? { text: bytes.toString() } : 'unusable';
  } finally {
    await opened.close();
  }
}

/** Writes a file that only its owner may read, whole or not at all; its folder is there. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const opened = await open(temporary, 'wx', OWNER_ONLY_FILE);
    try {
      await opened.writeFile(text);
      await opened.sync();
    } finally {
      await opened.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
