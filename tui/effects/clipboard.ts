import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { countOf } from '../text/counts.js';
import { neutralise, ownWords, type Visible } from '../text/visible.js';
import { findClipboardTool, runClipboardTool } from './clipboard-tool.js';
import { osc52 } from './osc52.js';

/** How a text was copied, by the surest way that worked: a program of this machine, the terminal, a file alone, or not at all. */
export interface CopyOutcome {
  readonly kind: 'tool' | 'osc52' | 'file' | 'none';
  /** One sentence for people. */
  readonly said: Visible;
  /** The file that holds the text too; absent where there is none. */
  readonly path?: string;
}

/** Copies texts. A later copy replaces an earlier one, also its file. */
export interface Clipboard {
  copy(text: string): Promise<CopyOutcome>;
}

export interface ClipboardOptions {
  /** Of this process: says which terminal this is and what is around it. */
  env: NodeJS.ProcessEnv;
  /** Writes a sequence to the terminal between two frames, so that neither tears the other; absent without a terminal. */
  write?: (sequence: string) => void;
}

/** UTF-16 units that are copied at all; a longer text is a task for `faultline export`. */
const MAX_LENGTH = 32 * 1024 * 1024;

/**
 * Makes a clipboard. A text goes to the terminal (OSC 52), which alone reaches the person over SSH but never answers, and to a program of this machine where one is here and the
 * person is too. Only the program says whether it worked: without it, the text also lies in a file.
 */
export function createClipboard({ env, write }: ClipboardOptions): Clipboard {
  const file = createCopyFile(env);

  async function toTool(text: string): Promise<string | undefined> {
    const tool = await findClipboardTool(env);
    return tool !== undefined && (await runClipboardTool(tool, text, { env })) ? tool.name : undefined;
  }

  return {
    async copy(text) {
      if (text.length > MAX_LENGTH) {
        return { kind: 'none', said: ownWords('not copied: it is too long; `faultline export` writes it to a file') };
      }
      // Characters as people count them, not the halves of which JavaScript makes some.
      const what = countOf(lengthInCharacters(text), 'character');
      const sequence = write === undefined ? noTerminal() : osc52(text, env);
      if (sequence.kind === 'sequence') write?.(sequence.text);
      const tool = await toTool(text);
      if (tool !== undefined) return { kind: 'tool', said: ownWords(`copied ${what} with ${tool}`) };
      const path = await file.replace(text);
      const place = path === undefined ? undefined : neutralise(path);
      if (sequence.kind === 'sequence') {
        const also = place === undefined ? '' : `; also in ${place}`;
        const said = ownWords(`copied ${what} by OSC 52: a terminal that does not know it ignores it${also}`);
        return { kind: 'osc52', said, ...(path !== undefined && { path }) };
      }
      const reason = `not on the clipboard: ${sequence.why}`;
      return path === undefined
        ? { kind: 'none', said: ownWords(`${reason}, and no file could be written`) }
        : { kind: 'file', said: ownWords(`${reason}; ${what} in ${place}`), path };
    },
  };
}

function noTerminal() {
  return { kind: 'none', why: 'no terminal' } as const;
}

function lengthInCharacters(text: string): number {
  let count = text.length;
  for (let place = 0; place < text.length; place += 1) {
    if ((text.charCodeAt(place) & 0xfc00) === 0xdc00 && (text.charCodeAt(place - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}

/** Where the last copy of a session also lies, for terminals that drop what they are told. */
interface CopyFile {
  /** Writes a new file that only its owner can read, takes the previous one away, and answers the path; undefined where no file can be written. */
  replace(text: string): Promise<string | undefined>;
}

/** The owner reads and writes, nobody else does anything. */
const PRIVATE = 0o600;

/** Makes the place; nothing is written before the first copy. The last file stays when the session ends, because somebody may still need it. */
function createCopyFile(env: NodeJS.ProcessEnv): CopyFile {
  let previous: string | undefined;
  return {
    async replace(text) {
      for (const directory of await directories(env)) {
        const path = join(directory, `faultline-copy-${randomBytes(8).toString('hex')}.txt`);
        try {
          await writeFile(path, text, { flag: 'wx', mode: PRIVATE });
        } catch {
          // Read-only, full or not ours: the next one is tried, and without any the copy says so.
          await rm(path, { force: true }).catch(() => undefined);
          continue;
        }
        if (previous !== undefined) await rm(previous, { force: true }).catch(() => undefined);
        previous = path;
        return path;
      }
      return undefined;
    },
  };
}

async function directories(env: NodeJS.ProcessEnv): Promise<string[]> {
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  const isUsable =
    isAbsolute(runtime) &&
    (await stat(runtime).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  return isUsable ? [runtime, tmpdir()] : [tmpdir()];
}
