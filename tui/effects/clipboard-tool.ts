import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isSet } from './osc52.js';

/** A program that copies its standard input to the clipboard of this machine. */
export interface ClipboardTool {
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
export async function findClipboardTool(env: NodeJS.ProcessEnv): Promise<ClipboardTool | undefined> {
  if (isSet(env['SSH_TTY']) || isSet(env['SSH_CONNECTION'])) return undefined;
  for (const { name, args, fits } of TOOLS) {
    const path = fits(env) ? await findProgram(name, env) : undefined;
    if (path !== undefined) return { name, path, args };
  }
  return undefined;
}

/** Runs a tool with a text; resolves with whether it succeeded. */
export function runClipboardTool(
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
