import { type SpawnOptions, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import { type EditorForm, editorForm } from './editor-forms.js';
import { splitWords } from './split-words.js';

/** A program with its arguments; no shell reads them. */
export interface EditorCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** True where it draws in our terminal: the screen is to be given back until it ends. */
  readonly needsTerminal: boolean;
}

/** How an editor ended: by itself, or still open in a window of its own, or it could not do its work. */
export type EditorEnd =
  | { readonly kind: 'closed' }
  | { readonly kind: 'opened' }
  | {
      readonly kind: 'failed';
      /** One sentence for people. */
      readonly why: string;
    };

export interface OpenEditorOptions {
  /** Holds `VISUAL` and `EDITOR`, and is handed to the editor. */
  env: NodeJS.ProcessEnv;
  /** Of an existing file; relative ones count from the folder of this process. */
  path: string;
  /** One-based; what is none is taken as the first. */
  line: number;
  /** Default: starts processes of this machine. */
  spawnProcess?: (program: string, args: readonly string[], options: SpawnOptions) => SpawnedEditor;
  /** How long an editor with a window of its own may take to say that it cannot open, milliseconds, default 1,000. */
  windowWaitMs?: number;
}

/** The part of a child process that is waited for. */
export interface SpawnedEditor {
  once(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  unref(): void;
}

const DEFAULT_EDITOR = 'vi';
const WINDOW_WAIT_MS = 1_000;
/** Options with which Emacs draws in the terminal. */
const EMACS_IN_TERMINAL: ReadonlySet<string> = new Set(['-nw', '--no-window-system', '-t', '--tty', '-tty']);

/**
 * The command that opens `VISUAL`, else `EDITOR`, else `vi` at a line of a file. The path becomes absolute, so that it is never taken for an option.
 * Throws Fault `EDITOR_INVALID` for a command line that cannot be read.
 */
export function editorCommand({ env, path, line }: Pick<OpenEditorOptions, 'env' | 'path' | 'line'>): EditorCommand {
  const given = [env['VISUAL'], env['EDITOR']].find((one) => one !== undefined && one.trim() !== '') ?? DEFAULT_EDITOR;
  const [program, ...options] = splitWords(given) ?? [];
  if (program === undefined || program === '') {
    throw new Fault(
      'EDITOR_INVALID',
      `The editor ${JSON.stringify(given)} cannot be read; set VISUAL or EDITOR to a command.`,
    );
  }
  const form = editorForm(basename(program).replace(/\.(?:exe|cmd)$/i, ''));
  const oneBased = Number.isSafeInteger(line) && line > 0 ? line : 1;
  return {
    program,
    args: [...options, ...form.args(resolve(path), oneBased)],
    needsTerminal: isInTerminal(form, options, env),
  };
}

/**
 * Opens a file in the person's editor and waits until it is closed, or, where it has a window of its own, until it stands. Only existing regular files are opened. Whoever calls it gives
 * the terminal back before, where `editorCommand` says that it is needed.
 */
export async function openEditor(options: OpenEditorOptions): Promise<EditorEnd> {
  const { env, path, spawnProcess = spawn, windowWaitMs = WINDOW_WAIT_MS } = options;
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return { kind: 'failed', why: 'there is no such file here' };
  const { program, args, needsTerminal } = editorCommand(options);
  return await new Promise<EditorEnd>((done) => {
    const stdio = needsTerminal ? ('inherit' as const) : ('ignore' as const);
    const child = spawnProcess(program, args, { env, stdio, detached: !needsTerminal });
    const timer = needsTerminal ? undefined : setTimeout(() => end({ kind: 'opened' }), windowWaitMs);
    const end = (result: EditorEnd): void => {
      clearTimeout(timer);
      done(result);
    };
    child.once('error', (error) => end({ kind: 'failed', why: `${program} does not start: ${error.message}` }));
    child.once('exit', (code, signal) => {
      if (code === 0) end({ kind: needsTerminal ? 'closed' : 'opened' });
      else end({ kind: 'failed', why: `${program} ended with ${signal ?? `code ${code}`}` });
    });
    if (!needsTerminal) child.unref();
  });
}

function isInTerminal({ place }: EditorForm, options: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (place !== 'emacs') return place === 'terminal';
  if (options.some((option) => EMACS_IN_TERMINAL.has(option))) return true;
  return process.platform !== 'darwin' && (env['DISPLAY'] ?? '') === '' && (env['WAYLAND_DISPLAY'] ?? '') === '';
}
