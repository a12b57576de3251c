import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../core/event/json.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import { formatMemory, type ParsedMemory, parseMemory, type SessionMemory } from './session-memory.js';
import { xdgFolder } from './xdg-folder.js';

/** A file above 8 MiB is not one of ours: the largest memory within its limits has 5.1 MB. */
const MAX_BYTES = 8 * 1024 * 1024;
const DELAY_MS = 500;

/** The path of the memory: `faultline/terminal.json` in the XDG folder for state, default `~/.local/state`. */
export function sessionMemoryPath(env: NodeJS.ProcessEnv): string {
  return join(xdgFolder(env, 'state'), 'terminal.json');
}

/** The session memory on disk; of several that save, the last one wins. */
export class SessionMemoryFile {
  /** As read at the start. */
  readonly memory: SessionMemory;
  readonly #path: string;
  readonly #others: JsonObject;
  readonly #delayMs: number;
  #pending: SessionMemory | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(path: string, { memory, others }: ParsedMemory, delayMs: number) {
    this.memory = memory;
    this.#path = path;
    this.#others = others;
    this.#delayMs = delayMs;
  }

  /** Opens the memory; never rejects. An invalid file becomes `terminal.json.unusable`, its valid parts are kept. */
  static async open(env: NodeJS.ProcessEnv, delayMs = DELAY_MS): Promise<SessionMemoryFile> {
    const path = sessionMemoryPath(env);
    const text = await readText(path).catch(() => undefined);
    const parsed = parseMemory(text ?? '{}');
    if (!parsed.isValid) await rename(path, `${path}.unusable`).catch(() => undefined);
    return new SessionMemoryFile(path, parsed, delayMs);
  }

  /** May be called on every change and never throws; changes are written together after a delay. Does nothing after `close`. */
  save(changed: SessionMemory): void {
    if (this.#isClosed) return;
    this.#pending = changed;
    this.#timer ??= setTimeout(() => void this.#flush(), this.#delayMs).unref();
  }

  /** Writes pending changes; never rejects and is safe twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#flush();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changed = this.#pending;
    this.#pending = undefined;
    if (changed !== undefined) {
      const text = formatMemory(changed, this.#others);
      this.#writing = this.#writing.then(() => writePrivateFile(this.#path, text).catch(() => undefined));
    }
    return this.#writing;
  }
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
