import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../core/storage/files/system-error.js';
import { formatMemory, parseMemory, type SessionMemory } from './session-memory.js';
import { xdgFolder } from './xdg-folder.js';

/** The session memory on disk. */
export type SessionMemoryFile = Awaited<ReturnType<typeof openSessionMemory>>;

/** A file above 8 MiB is not one of ours: the largest memory within its limits has 5.1 MB. */
const MAX_BYTES = 8 * 1024 * 1024;
const DELAY_MS = 500;

/** The path of the memory: `faultline/terminal.json` in the XDG folder for state, default `~/.local/state`. */
export function sessionMemoryPath(env: NodeJS.ProcessEnv): string {
  return join(xdgFolder(env, 'state'), 'terminal.json');
}

/** Opens the memory; never rejects. An invalid file becomes `terminal.json.unusable`, its valid parts are kept. The last to save wins. */
export async function openSessionMemory(env: NodeJS.ProcessEnv, delayMs = DELAY_MS) {
  const path = sessionMemoryPath(env);
  const text = await readText(path).catch(() => undefined);
  const { memory, others, isValid } = parseMemory(text ?? '{}');
  if (!isValid) await rename(path, `${path}.unusable`).catch(() => undefined);
  let pending: SessionMemory | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const changed = pending;
    pending = undefined;
    if (changed !== undefined) {
      writing = writing.then(() => writePrivateFile(path, formatMemory(changed, others)).catch(() => undefined));
    }
    return writing;
  }

  return {
    /** As read at the start. */
    memory,
    /** May be called on every change and never throws; changes are written together after `delayMs`. Does nothing after `close`. */
    save(changed: SessionMemory): void {
      if (isClosed) return;
      pending = changed;
      timer ??= setTimeout(flush, delayMs).unref();
    },
    /** Writes pending changes; never rejects and is safe twice. */
    async close(): Promise<void> {
      isClosed = true;
      await flush();
    },
  };
}

/** Reads the file; undefined if it does not exist, empty if it is too large or not UTF-8. Throws system errors. */
async function readText(path: string): Promise<string | undefined> {
  // Opening a pipe would block until it has a writer.
  const opened = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  if (opened === undefined) return undefined;
  try {
    const status = await opened.stat();
    if (!status.isFile() || status.size > MAX_BYTES) return '';
    const bytes = await opened.readFile();
    return isUtf8(bytes) ? bytes.toString() : '';
  } finally {
    await opened.close();
  }
}

/** Replaces a file atomically; only its owner may read it and its folder. */
async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const opened = await open(temporary, 'wx', 0o600);
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
