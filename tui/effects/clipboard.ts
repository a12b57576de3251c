import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, constants, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { countWithNoun } from '../text/counts.js';
import { literal, neutralise, type Visible } from '../text/visible.js';
import { isSet, osc52 } from './osc52.js';

/** How a text was copied: by a program, by the terminal, only to a file, or not at all. */
export interface CopyOutcome {
  readonly kind: 'tool' | 'osc52' | 'file' | 'none';
  /** One sentence for people. */
  readonly message: Visible;
  /** A file that also has the text. */
  readonly path?: string;
}

/** A later copy replaces an earlier one, also its file. */
export interface Clipboard {
  copy(text: string): Promise<CopyOutcome>;
}

export interface ClipboardOptions {
  /** Environment of this process, which identifies the terminal. */
  env: NodeJS.ProcessEnv;
  /** Writes a sequence to the terminal between two frames; absent without a terminal. */
  write?: (sequence: string) => void;
}

/** UTF-16 units. */
const MAX_LENGTH = 32 * 1024 * 1024;

/**
 * Creates a clipboard. A text is sent to the terminal (OSC 52), which works over SSH but cannot confirm, and to a program of this machine.
 * Without a program that succeeds, the text is also written to a file.
 */
export function createClipboard({ env, write }: ClipboardOptions): Clipboard {
  // The last file stays when the session ends: the person may still need it.
  let previousPath: string | undefined;

  async function copyWithTool(text: string): Promise<string | undefined> {
    const tool = await findClipboardTool(env);
    return tool !== undefined && (await runClipboardTool(tool, text, { env })) ? tool.name : undefined;
  }

  async function replaceFile(text: string): Promise<string | undefined> {
    const path = await writeCopyFile(text, env);
    if (path === undefined) return undefined;
    if (previousPath !== undefined) await rm(previousPath, { force: true }).catch(() => undefined);
    previousPath = path;
    return path;
  }

  return {
    async copy(text) {
      if (text.length > MAX_LENGTH) {
        return { kind: 'none', message: literal('not copied: it is too long; `faultline export` writes it to a file') };
      }
      const what = countWithNoun(lengthInCharacters(text), 'character');
      const sequence = write === undefined ? { kind: 'none' as const, why: 'no terminal' } : osc52(text, env);
      if (sequence.kind === 'sequence') write?.(sequence.text);
      const tool = await copyWithTool(text);
      if (tool !== undefined) return { kind: 'tool', message: literal(`copied ${what} with ${tool}`) };
      const path = await replaceFile(text);
      const shownPath = path === undefined ? undefined : neutralise(path);
      if (sequence.kind === 'sequence') {
        const also = shownPath === undefined ? '' : `; also in ${shownPath}`;
        const message = literal(`copied ${what} by OSC 52: a terminal that does not know it ignores it${also}`);
        return { kind: 'osc52', message, ...(path !== undefined && { path }) };
      }
      const reason = `not on the clipboard: ${sequence.why}`;
      return path === undefined
        ? { kind: 'none', message: literal(`${reason}, and no file could be written`) }
        : { kind: 'file', message: literal(`${reason}; ${what} in ${shownPath}`), path };
    },
  };
}

/** Counts a surrogate pair once. */
function lengthInCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}

const OWNER_ONLY = 0o600;

/** Writes a new file for the last copy and resolves with its path; undefined if no directory is writable. */
async function writeCopyFile(text: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const directory of await directories(env)) {
    const path = join(directory, `faultline-copy-${randomBytes(8).toString('hex')}.txt`);
    try {
      await writeFile(path, text, { flag: 'wx', mode: OWNER_ONLY });
      return path;
    } catch {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }
  return undefined;
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

/** A program that copies its standard input to the clipboard of this machine. */
interface ClipboardTool {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  readonly args: readonly string[];
}

interface KnownTool {
  readonly name: string;
  readonly args: readonly string[];
  readonly fits: (env: NodeJS.ProcessEnv) => boolean;
}

const hasWayland = (env: NodeJS.ProcessEnv): boolean => isSet(env['WAYLAND_DISPLAY']);
const hasX = (env: NodeJS.ProcessEnv): boolean => isSet(env['DISPLAY']);

/** In order of preference. */
const TOOLS: readonly KnownTool[] = [
  { name: 'wl-copy', args: [], fits: hasWayland },
  { name: 'xclip', args: ['-selection', 'clipboard'], fits: hasX },
  { name: 'xsel', args: ['--clipboard', '--input'], fits: hasX },
  { name: 'pbcopy', args: [], fits: () => process.platform === 'darwin' },
  { name: 'clip.exe', args: [], fits: (env) => isSet(env['WSL_DISTRO_NAME']) || process.platform === 'win32' },
];

/** A tool that hangs is waiting for a display that does not respond. */
const TIMEOUT_MS = 3_000;
const MAX_DIRECTORIES = 64;

/** Finds the first installed tool for the environment; undefined over SSH, where this machine's clipboard is not the person's. */
async function findClipboardTool(env: NodeJS.ProcessEnv): Promise<ClipboardTool | undefined> {
  if (isSet(env['SSH_TTY']) || isSet(env['SSH_CONNECTION'])) return undefined;
  for (const { name, args, fits } of TOOLS) {
    const path = fits(env) ? await findProgram(name, env) : undefined;
    if (path !== undefined) return { name, path, args };
  }
  return undefined;
}

/** Runs a tool with a text; resolves with whether it succeeded. */
function runClipboardTool(
  { path, args }: ClipboardTool,
  text: string,
  { env, timeoutMs = TIMEOUT_MS }: { env: NodeJS.ProcessEnv; timeoutMs?: number },
): Promise<boolean> {
  return new Promise((resolve) => {
    // Detached: these tools keep running to serve the clipboard, and Ctrl-C in the terminal must not stop them.
    const child = spawn(path, args, { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    const timer = setTimeout(() => {
      child.kill();
      resolve(false);
    }, timeoutMs);
    const end = (isCopied: boolean): void => {
      clearTimeout(timer);
      resolve(isCopied);
    };
    child.on('error', () => end(false));
    child.on('exit', (code) => end(code === 0));
    // A tool that exits before it has read everything fails by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
    child.unref();
  });
}

async function findProgram(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Relative directories are skipped: they depend on the working directory.
  const directories = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute).slice(0, MAX_DIRECTORIES);
  for (const directory of directories) {
    const path = join(directory, name);
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return path;
  }
  return undefined;
}
