import { type SpawnOptions, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Fault } from '../../core/event/fault.js';

/** The editor exited, is open in its own window, or failed. */
export type EditorEnd =
  | { readonly kind: 'closed' | 'opened' }
  /** `reason` is for people. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface OpenEditorOptions {
  /** With `VISUAL` and `EDITOR`; passed to the editor. */
  env: NodeJS.ProcessEnv;
  /** Of an existing file; relative paths start at the working directory. */
  path: string;
  /** One-based; an invalid line opens the first. */
  line: number;
  /** Default: `spawn` of Node. */
  spawnProcess?: (program: string, args: readonly string[], options: SpawnOptions) => SpawnedEditor;
  /** Milliseconds in which an editor with its own window can fail, default 1,000. */
  windowWaitMs?: number;
}

export interface SpawnedEditor {
  once(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  unref(): void;
}

const DEFAULT_EDITOR = 'vi';
const WINDOW_WAIT_MS = 1_000;
const EMACS_IN_TERMINAL: ReadonlySet<string> = new Set(['-nw', '--no-window-system', '-t', '--tty', '-tty']);

/**
 * The command of `VISUAL`, `EDITOR` or `vi`, to be started without a shell. The path becomes absolute, so that it is never an option.
 * With `needsTerminal` it draws in this terminal, which the caller must release until the editor exits. Fault: `EDITOR_INVALID`.
 */
export function editorCommand({ env, path, line }: Pick<OpenEditorOptions, 'env' | 'path' | 'line'>) {
  const configured =
    [env['VISUAL'], env['EDITOR']].find((value) => value !== undefined && value.trim() !== '') ?? DEFAULT_EDITOR;
  const [program, ...options] = splitWords(configured) ?? [];
  if (program === undefined || program === '') {
    throw new Fault(
      'EDITOR_INVALID',
      `The editor ${JSON.stringify(configured)} is not a valid command line; set VISUAL or EDITOR to a command.`,
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

/** Opens a regular file until the editor exits, or shows its own window. The caller releases the terminal if `needsTerminal`. */
export async function openEditor(options: OpenEditorOptions): Promise<EditorEnd> {
  const { env, path, spawnProcess = spawn, windowWaitMs = WINDOW_WAIT_MS } = options;
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return { kind: 'failed', reason: 'the file does not exist here' };
  const { program, args, needsTerminal } = editorCommand(options);
  return await new Promise<EditorEnd>((done) => {
    const stdio = needsTerminal ? ('inherit' as const) : ('ignore' as const);
    const child = spawnProcess(program, args, { env, stdio, detached: !needsTerminal });
    const timer = needsTerminal ? undefined : setTimeout(() => end({ kind: 'opened' }), windowWaitMs);
    const end = (result: EditorEnd): void => {
      clearTimeout(timer);
      done(result);
    };
    child.once('error', (error) => end({ kind: 'failed', reason: `${program} does not start: ${error.message}` }));
    child.once('exit', (code, signal) => {
      if (code === 0) end({ kind: needsTerminal ? 'closed' : 'opened' });
      else end({ kind: 'failed', reason: `${program} ended with ${signal ?? `code ${code}`}` });
    });
    if (!needsTerminal) child.unref();
  });
}

function isInTerminal({ display }: EditorForm, options: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (display !== 'emacs') return display === 'terminal';
  if (options.some((option) => EMACS_IN_TERMINAL.has(option))) return true;
  return process.platform !== 'darwin' && (env['DISPLAY'] ?? '') === '' && (env['WAYLAND_DISPLAY'] ?? '') === '';
}

interface EditorForm {
  /** Program names without folder and `.exe`. */
  readonly names: readonly string[];
  readonly args: (path: string, line: number) => readonly string[];
  /** Where it draws; `emacs` is decided by its options and the environment. */
  readonly display: 'terminal' | 'window' | 'emacs';
}

const plusLine: EditorForm['args'] = (path, line) => [`+${line}`, path];
const pathColonLine: EditorForm['args'] = (path, line) => [`${path}:${line}`];
/** The file may contain untrusted input: its modelines must not set options of the editor. */
const withoutModelines: EditorForm['args'] = (path, line) => ['--cmd', 'set nomodeline', `+${line}`, path];

const FORMS: readonly EditorForm[] = [
  { names: ['vim', 'nvim', 'vimx'], args: withoutModelines, display: 'terminal' },
  { names: ['gvim', 'mvim', 'nvim-qt', 'neovide'], args: plusLine, display: 'window' },
  {
    names: ['vi', 'view', 'nvi', 'elvis', 'nano', 'pico', 'joe', 'jed', 'ne', 'mg', 'mcedit', 'vis', 'kak', 'less'],
    args: plusLine,
    display: 'terminal',
  },
  { names: ['emacs', 'emacsclient'], args: plusLine, display: 'emacs' },
  { names: ['helix', 'hx', 'micro'], args: pathColonLine, display: 'terminal' },
  {
    names: ['code', 'code-insiders', 'codium', 'vscodium', 'cursor', 'windsurf', 'positron'],
    args: (path, line) => ['-g', `${path}:${line}`],
    display: 'window',
  },
  { names: ['subl', 'sublime_text', 'zed', 'zeditor', 'zedit', 'lapce'], args: pathColonLine, display: 'window' },
  {
    names: [
      'idea',
      'webstorm',
      'phpstorm',
      'pycharm',
      'goland',
      'clion',
      'rubymine',
      'rider',
      'rustrover',
      'fleet',
      'studio',
      'mate',
    ],
    args: (path, line) => ['--line', String(line), path],
    display: 'window',
  },
  { names: ['kate', 'kwrite'], args: (path, line) => ['--line', String(line), path], display: 'window' },
  { names: ['gedit', 'gnome-text-editor', 'xed', 'pluma'], args: plusLine, display: 'window' },
];

/** For names that end in `vi` or `vim`; all other editors get only the file. */
const LIKE_VI: EditorForm = { names: [], args: plusLine, display: 'terminal' };
const UNKNOWN: EditorForm = { names: [], args: (path) => [path], display: 'terminal' };

function editorForm(name: string): EditorForm {
  const known = FORMS.find(({ names }) => names.includes(name));
  return known ?? (/vim?$/.test(name) ? LIKE_VI : UNKNOWN);
}

/** A part of a command line: blanks, text in quotes, an escaped character, or one that stands for itself. A last backslash is one, too. */
const PART = /(\s+)|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^"'])/gsy;

/** Splits at blanks outside quotes; backslashes escape, other shell syntax means nothing. Undefined if a quote is not closed. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const [part, blanks, doubleQuoted, singleQuoted, escaped, plain] of text.matchAll(PART)) {
    end += part.length;
    if (blanks === undefined) {
      const unescaped = doubleQuoted?.replace(/\\(.)/gs, '$1');
      word = (word ?? '') + (unescaped ?? singleQuoted ?? escaped ?? plain ?? '');
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (end < text.length) return undefined;
  if (word !== undefined) words.push(word);
  return words;
}

const folders = new Set<string>();

/** A file that only its owner can read and nobody can change; it is removed at the latest when this process ends. */
export async function writeReadOnlyCopy(name: string, text: string): Promise<{ path: string; remove: () => void }> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-'));
  if (folders.size === 0) process.once('exit', () => folders.forEach(removeFolder));
  folders.add(folder);
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o400, flag: 'wx' });
  return { path, remove: () => removeFolder(folder) };
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
