import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { countWithNoun } from '../text/counts.js';
import { literal, type Visible } from '../text/visible.js';

/** Limit of Base64 characters: xterm accepts sequences of 100,000 bytes, other terminals about 75,000. */
export const MAX_OSC52_BASE64 = 74_994;

/** Bytes of a device control string, which GNU screen cuts at 768. */
const SCREEN_CHUNK = 512;

/** Values of TERM whose terminals show the sequence or have no clipboard. */
const WITHOUT_CLIPBOARD: ReadonlySet<string> = new Set(['', 'dumb', 'linux']);

type Osc52 = { readonly kind: 'sequence'; readonly text: string } | { readonly kind: 'none'; readonly why: string };

/** How a text was copied: by a program, by the terminal, or not at all. */
export interface CopyOutcome {
  readonly kind: 'tool' | 'osc52' | 'none';
  /** One sentence for people. */
  readonly message: Visible;
}

/** UTF-16 units. */
const MAX_LENGTH = 32 * 1024 * 1024;
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Copies to the terminal (OSC 52, which cannot confirm) between two frames by `write`, and to a program of this machine. */
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

/** The sequence that copies a text, also over SSH; tmux gets both forms, because `set-clipboard` or `allow-passthrough` can be off, screen gets pieces. */
export function osc52(text: string, env: NodeJS.ProcessEnv): Osc52 {
  if (WITHOUT_CLIPBOARD.has(env['TERM'] ?? '')) {
    return { kind: 'none', why: 'this terminal has no clipboard' };
  }
  const bytes = Buffer.byteLength(text);
  if (Math.ceil(bytes / 3) * 4 > MAX_OSC52_BASE64) {
    return { kind: 'none', why: 'it is too long for the clipboard of a terminal' };
  }
  return { kind: 'sequence', text: wrapped(Buffer.from(text).toString('base64'), env) };
}

function wrapped(base64: string, env: NodeJS.ProcessEnv): string {
  const plain = `\u001b]52;c;${base64}\u0007`;
  if (isSet(env['TMUX'])) return `${plain}\u001bPtmux;\u001b${plain}\u001b\\`;
  if (!isSet(env['STY'])) return plain;
  let pieces = '';
  for (let start = 0; start < plain.length; start += SCREEN_CHUNK) {
    pieces += `\u001bP${plain.slice(start, start + SCREEN_CHUNK)}\u001b\\`;
  }
  return pieces;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
