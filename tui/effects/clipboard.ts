import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { countWithNoun } from '../text/counts.js';
import { literal, type Visible } from '../text/visible.js';
import { isSet, osc52 } from './osc52.js';

/** How a text was copied: by a program, by the terminal, or not at all. */
export interface CopyOutcome {
  readonly kind: 'tool' | 'osc52' | 'none';
  /** One sentence for people. */
  readonly message: Visible;
}

/** UTF-16 units. */
const MAX_LENGTH = 32 * 1024 * 1024;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/**
 * Copies a text: to the terminal (OSC 52), which works over SSH but cannot confirm, and to a program of this machine.
 * `write` sends a sequence to the terminal between two frames; absent without a terminal.
 */
export async function copyToClipboard(
  text: string,
  env: NodeJS.ProcessEnv,
  write?: (sequence: string) => void,
): Promise<CopyOutcome> {
  if (text.length > MAX_LENGTH) {
    return { kind: 'none', message: literal('Too long to copy. x exports it.') };
  }
  const what = countWithNoun(text.replace(SURROGATE_PAIR, ' ').length, 'character');
  const sequence = write === undefined ? { kind: 'none' as const, why: 'no terminal' } : osc52(text, env);
  if (sequence.kind === 'sequence') write?.(sequence.text);
  const tool = await copyWithTool(text, env);
  if (tool !== undefined) return { kind: 'tool', message: literal(`copied ${what} with ${tool}`) };
  return sequence.kind === 'sequence'
    ? { kind: 'osc52', message: literal(`copied ${what} by OSC 52: a terminal that does not know it ignores it`) }
    : { kind: 'none', message: literal(`not on the clipboard: ${sequence.why}`) };
}

/** A program that copies its standard input to the clipboard of this machine. */
interface ClipboardTool {
  readonly name: string;
  readonly args: readonly string[];
  readonly fits: (env: NodeJS.ProcessEnv) => boolean;
}

const hasWayland = (env: NodeJS.ProcessEnv): boolean => isSet(env['WAYLAND_DISPLAY']);
const hasX = (env: NodeJS.ProcessEnv): boolean => isSet(env['DISPLAY']);

/** In order of preference. */
const TOOLS: readonly ClipboardTool[] = [
  { name: 'wl-copy', args: [], fits: hasWayland },
  { name: 'xclip', args: ['-selection', 'clipboard'], fits: hasX },
  { name: 'xsel', args: ['--clipboard', '--input'], fits: hasX },
  { name: 'pbcopy', args: [], fits: () => process.platform === 'darwin' },
  { name: 'clip.exe', args: [], fits: (env) => isSet(env['WSL_DISTRO_NAME']) || process.platform === 'win32' },
];

/** A tool that hangs is waiting for a display that does not respond. */
const TIMEOUT_MS = 3_000;
const MAX_DIRECTORIES = 64;

/** Runs the first installed tool for the environment; its name if it succeeded. None over SSH: the clipboard of this machine is not the user's. */
async function copyWithTool(text: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (isSet(env['SSH_TTY']) || isSet(env['SSH_CONNECTION'])) return undefined;
  for (const { name, args, fits } of TOOLS) {
    const path = fits(env) ? await findProgram(name, env) : undefined;
    if (path !== undefined) return (await runTool(path, args, text, env)) ? name : undefined;
  }
  return undefined;
}

/** Whether a program accepted the text. */
function runTool(path: string, args: readonly string[], text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    // Detached: these tools keep running to serve the clipboard, and Ctrl-C in the terminal must not stop them.
    const child = spawn(path, args, { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    const timer = setTimeout(() => {
      child.kill();
      resolve(false);
    }, TIMEOUT_MS);
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
