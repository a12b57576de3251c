import type { SourcesReader } from '../../core/merged/source.js';
import type { MountedApp } from '../app/app.js';
import { Browser } from '../app/run-loop.js';
import { createSourceLinks, hasHyperlinks, type LinkOf, readReleaseCommit } from '../effects/source-links.js';
import { applyKeys } from '../preferences/check-keys.js';
import type { Preferences } from '../preferences/preferences.js';
import { userName } from '../preferences/user-name.js';
import type { DisplayPreferences, StateChange, WindowSize } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { readKeys } from '../terminal/key-reader.js';
import { commandOf, DEFAULT_KEYMAP, type Keymap } from '../terminal/keymap.js';
import { RowPainter } from '../terminal/row-painter.js';
import {
  type ProcessSignals,
  ScreenSession,
  type SessionEnd,
  type TerminalInput,
  type TerminalOutput,
} from '../terminal/screen-session.js';
import { createTheme, type Theme, usesColours } from '../terminal/theme.js';
import { toAscii, usesAscii } from '../text/characters.js';
import { words } from '../text/line.js';
import { createEffectContext } from './create-effect-context.js';
import { EXIT_CODES } from './printing-command.js';
import { SavedSession } from './saved-session.js';
import { errorText, type TextOutput } from './text-output.js';

export interface BrowseOptions {
  /** Called once; the reader is closed at the end. */
  openReader: () => Promise<SourcesReader>;
  /** The environment of this process; a missing `NODE_ENV` is set in it. */
  env: NodeJS.ProcessEnv;
  stdin: TerminalInput;
  stdout: TerminalOutput;
  stderr: TextOutput;
  /** Default: the built-in preferences. */
  preferences?: Preferences;
  /** Key under which the session is saved and resumed; default: neither. */
  rememberAs?: string;
  /** What to open, above the restored list. */
  start?: StateChange | undefined;
  /** Whether nothing is restored; default false. */
  isFresh?: boolean;
  /** Default: the name in the environment. */
  userName?: string | undefined;
  /** Default: this process. */
  signals?: ProcessSignals;
  /** Milliseconds between two polls, default 1,000. */
  pollIntervalMs?: number;
  /** Wall clock in milliseconds since the epoch, default `Date.now`. */
  nowMs?: () => number;
}

/** Runs the terminal until the user quits. Returns 0, 1 after a printed error, 2 without a terminal, or 128 plus the ending signal. */
export async function runBrowse(options: BrowseOptions): Promise<number> {
  const { env, stdin, stdout, stderr } = options;
  if (stdin.isTTY !== true || stdout.isTTY !== true || env['TERM'] === 'dumb') {
    stderr.write(
      '`faultline browse` needs a terminal as input and output. Without one use `faultline issues`, `faultline events` or `faultline event`.\n',
    );
    return EXIT_CODES.usage;
  }
  // React's development build records the timing of every draw and never frees it.
  env['NODE_ENV'] ??= 'production';
  const { exitCode, error } = await new BrowseSession(options).run();
  if (error !== undefined) stderr.write(errorText(error));
  return exitCode;
}

/** The terminal while it runs: acquires it at once, reads and loads Ink at the same time, and releases everything at the end. */
class BrowseSession {
  readonly #options: BrowseOptions;
  readonly #look: TerminalLook;
  readonly #painter: RowPainter;
  readonly #session: ScreenSession;
  /** Keys that were pressed before the browser could take them. */
  readonly #typedAhead: KeyInput[] = [];
  #reader: SourcesReader | undefined;
  #browser: Browser | undefined;
  #app: MountedApp | undefined;
  #isOver = false;
  #stopKeys = (): void => undefined;

  constructor(options: BrowseOptions) {
    const { env, stdin, stdout, preferences, signals = process } = options;
    this.#options = options;
    const linkOf = createLinks(env, preferences, () => this.#reader);
    this.#look = setUpTerminal(env, linkOf, preferences);
    const painter = new RowPainter(stdout, this.#look.habits.isForScreenReader);
    this.#painter = painter;
    this.#session = new ScreenSession({
      input: stdin,
      output: stdout,
      signals,
      onLeave: () => painter.pause(),
      onReturn: () => painter.repaint(),
    });
  }

  async run(): Promise<SessionEnd> {
    const { stdout, rememberAs, env } = this.#options;
    this.#showLoading();
    this.#listenForKeys();
    stdout.on('resize', this.#onResize);
    const saved = await SavedSession.open(rememberAs, env);
    this.#start(saved).catch((error: unknown) => this.#session.end({ exitCode: EXIT_CODES.failed, error }));
    const end = await this.#session.ended;
    this.#isOver = true;
    this.#stopKeys();
    stdout.off('resize', this.#onResize);
    this.#browser?.close();
    this.#app?.unmount();
    await saved.close();
    try {
      await this.#reader?.close();
    } finally {
      this.#session.close();
    }
    return end;
  }

  async #start(saved: SavedSession): Promise<void> {
    const [{ mountApp }] = await Promise.all([import('../app/app.js'), this.#startReading(saved)]);
    if (this.#isOver || this.#browser === undefined) return;
    this.#app = mountApp(this.#browser, this.#look.theme, this.#painter);
    await this.#app.ended;
  }

  /** Starts the first read, which runs while Ink loads. */
  async #startReading(saved: SavedSession): Promise<void> {
    const reader = await this.#options.openReader();
    this.#reader = reader;
    if (this.#isOver) return await reader.close();
    const browser = this.#createBrowser(reader, saved);
    this.#session.mouse(browser.state().habits.mouse);
    browser.subscribe(() => {
      saved.record(browser.state());
      if (browser.state().isOver) this.#session.end({ exitCode: EXIT_CODES.done });
    });
    this.#browser = browser;
    for (const input of this.#typedAhead.splice(0)) browser.press(input);
  }

  #createBrowser(reader: SourcesReader, saved: SavedSession): Browser {
    const { env, stdout, start, isFresh = false, pollIntervalMs, nowMs = Date.now } = this.#options;
    const name = this.#options.userName ?? userName(env);
    const { resume, ...restored } = saved.restore(this.#look.habits);
    const changes = [isFresh ? undefined : resume, start].filter((change) => change !== undefined);
    return new Browser({
      ...restored,
      outside: createEffectContext({
        reader,
        env,
        userName: name,
        write: (sequence) => void stdout.write(sequence),
        lend: (run) => this.#lend(run),
        setMouse: (isOn) => this.#session.mouse(isOn),
      }),
      resume: (state) => changes.reduce((changed, change) => change(changed), state),
      keymap: this.#look.keymap,
      size: this.#windowSize(),
      nowMs,
      userName: name,
      pollIntervalMs,
    });
  }

  #listenForKeys(): void {
    const isMouseOn = (): boolean => this.#browser?.state().habits.mouse ?? this.#look.habits.mouse;
    this.#stopKeys = readKeys(this.#options.stdin, (input) => this.#onKey(input), isMouseOn);
  }

  #onKey(input: KeyInput): void {
    // Characters typed into an overlay are text, not commands.
    const isText = this.#browser?.state().overlay !== undefined && input.kind === 'character';
    const command = isText ? undefined : commandOf(this.#look.keymap, input, { screen: 'issues' }, false);
    if (command === 'suspend') this.#session.suspend();
    else if (command === 'redraw') this.#painter.repaint();
    else if (this.#browser !== undefined) this.#browser.press(input);
    else if (command === 'quit') this.#session.end({ exitCode: EXIT_CODES.done });
    else this.#typedAhead.push(input);
  }

  readonly #onResize = (): void => {
    this.#painter.invalidate();
    if (this.#app === undefined) this.#showLoading();
    this.#browser?.resize(this.#windowSize());
  };

  /** Lends keys and screen to another program until it exits. */
  async #lend<T>(run: () => Promise<T>): Promise<T> {
    this.#stopKeys();
    try {
      return await this.#session.lend(run);
    } finally {
      if (!this.#isOver) this.#listenForKeys();
    }
  }

  #showLoading(): void {
    this.#painter.show([this.#look.theme.paint([words(' Faultline ', 'heading'), words('loading…', 'muted')])]);
  }

  #windowSize(): WindowSize {
    const { columns, rows } = this.#options.stdout;
    return { columns, rows };
  }
}

const MAX_COMMITS = 100;

/** The first frame of a release asks for its commit; the links are there from the next one on. */
function createLinks(
  env: NodeJS.ProcessEnv,
  preferences: Preferences | undefined,
  readerNow: () => SourcesReader | undefined,
): LinkOf | undefined {
  if (preferences === undefined || !hasHyperlinks(env)) return undefined;
  const commits = new Map<string, string | undefined>();
  const commitOf = (release: string): string | undefined => {
    const reader = readerNow();
    if (!commits.has(release) && reader !== undefined) {
      if (commits.size >= MAX_COMMITS) commits.clear();
      commits.set(release, undefined);
      void readReleaseCommit(reader, release).then((commit) => commits.set(release, commit));
    }
    return commits.get(release);
  };
  return createSourceLinks({ ...preferences.links, root: process.cwd(), commitOf });
}

interface TerminalLook {
  readonly theme: Theme;
  readonly keymap: Keymap;
  readonly habits: DisplayPreferences;
}

function setUpTerminal(env: NodeJS.ProcessEnv, linkOf: LinkOf | undefined, preferences?: Preferences): TerminalLook {
  const theme = createTheme({
    linkOf,
    hasColours: usesColours(env, preferences?.colours),
    ...(preferences !== undefined && { theme: preferences.theme }),
  });
  const isAscii = usesAscii(preferences?.characters ?? 'auto', env);
  return {
    theme: isAscii ? { paint: (line) => toAscii(theme.paint(line)) } : theme,
    keymap: preferences === undefined ? DEFAULT_KEYMAP : applyKeys(DEFAULT_KEYMAP, preferences.keys),
    habits: {
      time: preferences?.time ?? 'utc',
      characters: isAscii ? 'ascii' : 'unicode',
      isForScreenReader: preferences?.isForScreenReader ?? false,
      mouse: preferences?.isMouseOn ?? false,
    },
  };
}
