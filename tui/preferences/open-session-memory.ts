import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import { withFileLock } from './file-lock.js';
import { EMPTY_DOCUMENT, type MemoryDocument, parseMemoryDocument, writeMemoryDocument } from './memory-document.js';
import { mergeMemory } from './merge-memory.js';
import { readPrivateFile, writePrivateFile } from './private-file.js';
import type { SessionMemory } from './session-memory.js';
import { xdgFolder } from './xdg-folder.js';

export interface SessionMemoryOptions {
  /** Says where the file lies: `XDG_STATE_HOME`, `HOME`. */
  env: NodeJS.ProcessEnv;
  /** Told of what went wrong: `MEMORY_UNUSABLE`, `MEMORY_UNREADABLE`, `MEMORY_NOT_SAVED`. The terminal goes on. */
  onFault: (fault: Fault) => void;
  /** Milliseconds that a change may wait for others before it is written, default 500. */
  delayMs?: number;
}

/**
 * What the terminal remembers, on disk. `save` may be called as often as something changes and never throws; what other terminals saved meanwhile is
 * merged in. `close` writes what is still to be written, never rejects and is safe twice; a `save` after it does nothing.
 */
export interface SessionMemoryFile {
  /** As it was when it was opened. */
  readonly memory: SessionMemory;
  save(memory: SessionMemory): void;
  close(): Promise<void>;
}

const DELAY_MS = 500;
const MAX_BYTES = 1024 * 1024;
const SMALLEST_SHARE = 1 / 64;

/** The path of the memory: `faultline/terminal.json` in the XDG folder for state, default `~/.local/state`. */
export function sessionMemoryPath(env: NodeJS.ProcessEnv): string {
  return join(xdgFolder(env, 'state'), 'terminal.json');
}

/** Opens the memory. A file that is no memory is set aside as `terminal.json.unusable`, with what can be used of it kept; never rejects. */
export async function openSessionMemory(options: SessionMemoryOptions): Promise<SessionMemoryFile> {
  const { env, onFault, delayMs = DELAY_MS } = options;
  const path = sessionMemoryPath(env);
  const { memory } = await readFirst();
  /** What the caller had when it was last written: the difference to it is what the caller changed. */
  let before = memory;
  let waiting: SessionMemory | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function readDocument(): Promise<MemoryDocument> {
    const content = await readPrivateFile(path, MAX_BYTES);
    if (content === 'absent') return EMPTY_DOCUMENT;
    const document = content === 'unusable' ? { ...EMPTY_DOCUMENT, isSound: false } : parseMemoryDocument(content.text);
    if (!document.isSound) await setAside();
    return document;
  }

  async function readFirst(): Promise<MemoryDocument> {
    try {
      return await readDocument();
    } catch (error) {
      onFault(faultOf('MEMORY_UNREADABLE', `What the terminal remembers cannot be read from ${path}`, error));
      return EMPTY_DOCUMENT;
    }
  }

  async function setAside(): Promise<void> {
    const aside = `${path}.unusable`;
    await rename(path, aside);
    const message = `${path} is not what the terminal wrote; it lies in ${aside} now, and a new one is begun.`;
    onFault(new Fault('MEMORY_UNUSABLE', message));
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeWaiting);
    return writing;
  }

  async function writeWaiting(): Promise<void> {
    if (waiting === undefined) return;
    const ours = waiting;
    waiting = undefined;
    try {
      await withFileLock(path, async () => {
        const { memory: theirs, others } = await readDocument();
        await writePrivateFile(path, boundedText(mergeMemory(before, ours, theirs), others));
      });
      before = ours;
    } catch (error) {
      onFault(faultOf('MEMORY_NOT_SAVED', `What the terminal remembers cannot be written to ${path}`, error));
    }
  }

  return {
    memory,
    save(changed) {
      if (isClosed) return;
      waiting = changed;
      timer ??= setTimeout(flush, delayMs).unref();
    },
    async close() {
      isClosed = true;
      await flush();
    },
  };
}

/** A smaller share of everything where the whole would be too large to be read again. */
function boundedText(memory: SessionMemory, others: MemoryDocument['others']): string {
  for (let share = 1; share >= SMALLEST_SHARE; share /= 2) {
    const text = writeMemoryDocument(memory, others, share);
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  throw new Error(`it is larger than ${MAX_BYTES / 1024} KiB`);
}

function faultOf(code: string, sentence: string, cause: unknown): Fault {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Fault(code, `${sentence}: ${reason}`, { cause });
}
