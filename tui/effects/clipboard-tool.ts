import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isSet } from './osc52.js';

/** A program that puts its standard input on the clipboard of this machine. */
export interface ClipboardTool {
  readonly name: string;
  /** Absolute. */
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

/** How long a tool may take; one that hangs waits for a display that does not answer. */
const TIMEOUT_MS = 3_000;
/** More directories than a search path has. */
const MAX_DIRECTORIES = 64;

/** The first tool that fits and is installed; undefined where none is, and over SSH, where the clipboard of this machine is not the person's. */
export async function findClipboardTool(env: NodeJS.ProcessEnv): Promise<ClipboardTool | undefined> {
  if (isSet(env['SSH_TTY']) || isSet(env['SSH_CONNECTION'])) return undefined;
  for (const { name, args, fits } of TOOLS) {
    const path = fits(env) ? await findProgram(name, env) : undefined;
    if (path !== undefined) return { name, path, args };
  }
  return undefined;
}

/** Hands a text to a tool; answers whether the tool says that it took it. */
export function runClipboardTool(
  { path, args }: ClipboardTool,
  text: string,
  { env, timeoutMs = TIMEOUT_MS }: { env: NodeJS.ProcessEnv; timeoutMs?: number },
): Promise<boolean> {
  return new Promise((resolve) => {
    // Detached: these tools stay behind to serve the clipboard, and the keys of our terminal must not end them.
    const child = spawn(path, args, { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    const timer = setTimeout(() => {
      child.kill();
      resolve(false);
    }, timeoutMs);
    const end = (isDone: boolean): void => {
      clearTimeout(timer);
      resolve(isDone);
    };
    child.on('error', () => end(false));
    child.on('exit', (code) => end(code === 0));
    // A tool that ends before it has read everything says so by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
    child.unref();
  });
}

async function findProgram(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Relative directories of a search path depend on where one stands: nothing is run from there.
  const directories = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute).slice(0, MAX_DIRECTORIES);
  for (const directory of directories) {
    const path = join(directory, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}
