import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault, messageOf } from '../../core/event/fault.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import { EMPTY_DOCUMENT, formatMemoryDocument, type MemoryDocument, parseMemoryDocument } from './memory-document.js';
import type { SessionMemory } from './session-memory.js';
import { xdgFolder } from './xdg-folder.js';

export interface SessionMemoryOptions {
  /** Locates the file: `XDG_STATE_HOME`, `HOME`. */
  env: NodeJS.ProcessEnv;
  /** Called with `MEMORY_UNUSABLE`, `MEMORY_UNREADABLE` or `MEMORY_NOT_SAVED`; the terminal continues. */
  onFault: (fault: Fault) => void;
  /** Milliseconds from a change until it is written together with later ones, default 500. */
  delayMs?: number;
}

/**
 * The session memory on disk. `save` may be called on every change and never throws; of several terminals the last to save wins.
 * `close` writes pending changes, never rejects and is safe twice; a `save` after it does nothing.
 */
export interface SessionMemoryFile {
  /** As read at the start. */
  readonly memory: SessionMemory;
  save(memory: SessionMemory): void;
  close(): Promise<void>;
}

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;
const DELAY_MS = 500;
const MAX_BYTES = 1024 * 1024;
const SMALLEST_SHARE = 1 / 64;

/** The path of the memory: `faultline/terminal.json` in the XDG folder for state, default `~/.local/state`. */
export function sessionMemoryPath(env: NodeJS.ProcessEnv): string {
  return join(xdgFolder(env, 'state'), 'terminal.json');
}

/** Opens the memory; never rejects. An invalid file is renamed to `terminal.json.unusable`; its valid parts are kept. */
export async function openSessionMemory(options: SessionMemoryOptions): Promise<SessionMemoryFile> {
  const { env, onFault, delayMs = DELAY_MS } = options;
  const path = sessionMemoryPath(env);
  const { memory, others } = await readDocument();
  let pending: SessionMemory | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function readDocument(): Promise<MemoryDocument> {
    try {
      const text = await readText(path);
      if (text === undefined) return EMPTY_DOCUMENT;
      const document = parseMemoryDocument(text);
      if (!document.isValid) await setAside();
      return document;
    } catch (error) {
      onFault(faultOf('MEMORY_UNREADABLE', `The saved session cannot be read from ${path}`, error));
      return EMPTY_DOCUMENT;
    }
  }

  async function setAside(): Promise<void> {
    const aside = `${path}.unusable`;
    await rename(path, aside);
    const message = `${path} is not a valid session; it was renamed to ${aside}, and a new file is started.`;
    onFault(new Fault('MEMORY_UNUSABLE', message));
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writePending);
    return writing;
  }

  async function writePending(): Promise<void> {
    if (pending === undefined) return;
    const changed = pending;
    pending = undefined;
    try {
      await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
      await writePrivateFile(path, boundedText(changed, others));
    } catch (error) {
      onFault(faultOf('MEMORY_NOT_SAVED', `The saved session cannot be written to ${path}`, error));
    }
  }

  return {
    memory,
    save(changed) {
      if (isClosed) return;
      pending = changed;
      timer ??= setTimeout(flush, delayMs).unref();
    },
    async close() {
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

/** Replaces a file atomically; only its owner may read it. */
async function writePrivateFile(path: string, text: string): Promise<void> {
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

/** The largest share of the memory whose text can be read again. */
function boundedText(memory: SessionMemory, others: MemoryDocument['others']): string {
  for (let share = 1; share >= SMALLEST_SHARE; share /= 2) {
    const text = formatMemoryDocument(memory, others, share);
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  throw new Error(`it is larger than ${MAX_BYTES / 1024} KiB`);
}

function faultOf(code: string, sentence: string, cause: unknown): Fault {
  return new Fault(code, `${sentence}: ${messageOf(cause)}`, { cause });
}
