import { type SpawnOptions, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Fault } from '../../core/event/fault.js';

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
 * Opens a file in the person's editor and waits until it is closed, or, where it has a window of its own, until it stands. Only existing regular files are opened. The caller gives
 * the terminal back before, where `editorCommand` says that it is needed.
 */
export async function openEditor(options: OpenEditorOptions): Promise<EditorEnd> {
  const { env, path, spawnProcess = spawn, windowWaitMs = WINDOW_WAIT_MS } = options;
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return { kind: 'failed', why: 'the file does not exist here' };
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

/** How an editor is told a file and a line. */
interface EditorForm {
  /** Names of its program, without folder and `.exe`. */
  readonly names: readonly string[];
  readonly args: (path: string, line: number) => readonly string[];
  /** Where it draws: in our terminal, in a window of its own, or by `isInTerminal`. */
  readonly place: 'terminal' | 'window' | 'emacs';
}

const plusLine: EditorForm['args'] = (path, line) => [`+${line}`, path];
const pathColonLine: EditorForm['args'] = (path, line) => [`${path}:${line}`];
/** The file may be a record of what strangers sent: it must not set options of the editor. */
const withoutModelines: EditorForm['args'] = (path, line) => ['--cmd', 'set nomodeline', `+${line}`, path];

/** The editors that we know. */
const FORMS: readonly EditorForm[] = [
  { names: ['vim', 'nvim', 'vimx'], args: withoutModelines, place: 'terminal' },
  { names: ['gvim', 'mvim', 'nvim-qt', 'neovide'], args: plusLine, place: 'window' },
  {
    names: ['vi', 'view', 'nvi', 'elvis', 'nano', 'pico', 'joe', 'jed', 'ne', 'mg', 'mcedit', 'vis', 'kak', 'less'],
    args: plusLine,
    place: 'terminal',
  },
  { names: ['emacs', 'emacsclient'], args: plusLine, place: 'emacs' },
  { names: ['helix', 'hx', 'micro'], args: pathColonLine, place: 'terminal' },
  {
    names: ['code', 'code-insiders', 'codium', 'vscodium', 'cursor', 'windsurf', 'positron'],
    args: (path, line) => ['-g', `${path}:${line}`],
    place: 'window',
  },
  { names: ['subl', 'sublime_text', 'zed', 'zeditor', 'zedit', 'lapce'], args: pathColonLine, place: 'window' },
  {
    names: [
      ...['idea', 'webstorm', 'phpstorm', 'pycharm', 'goland', 'clion', 'rubymine', 'rider', 'rustrover', 'fleet'],
      ...['studio', 'mate'],
    ],
    args: (path, line) => ['--line', String(line), path],
    place: 'window',
  },
  { names: ['kate', 'kwrite'], args: (path, line) => ['--line', String(line), path], place: 'window' },
  { names: ['gedit', 'gnome-text-editor', 'xed', 'pluma'], args: plusLine, place: 'window' },
];

/** Those that end like `vi` take its form; of all others only that they take a file is known. */
const LIKE_VI: EditorForm = { names: [], args: plusLine, place: 'terminal' };
const UNKNOWN: EditorForm = { names: [], args: (path) => [path], place: 'terminal' };

/** The form of an editor by its program's name. */
function editorForm(name: string): EditorForm {
  const known = FORMS.find(({ names }) => names.includes(name));
  return known ?? (/vim?$/.test(name) ? LIKE_VI : UNKNOWN);
}

/**
 * The words of a command line such as `code --wait` or `"/opt/my editor/ed" -x`: blanks part them, quotes and backslashes keep them together, nothing else has a meaning.
 * Undefined where a quote is never closed.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let place = 0; place < text.length; place += 1) {
    const character = text.charAt(place);
    if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === '\\' && quote !== "'" && place + 1 < text.length) {
      place += 1;
      word = (word ?? '') + text.charAt(place);
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
