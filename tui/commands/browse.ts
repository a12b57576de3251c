import type { SourcesReader } from '../../core/merged/source.js';
import type { MountedApp } from '../app/app.js';
import { type Browser, startBrowser } from '../app/run-loop.js';
import { createSourceLinks, hasHyperlinks, type LinkOf, readReleaseCommit } from '../effects/source-links.js';
import { applyKeys } from '../preferences/check-keys.js';
import type { Preferences } from '../preferences/preferences.js';
import { userName } from '../preferences/user-name.js';
import type { DisplayPreferences, StateChange } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { readKeys } from '../terminal/key-reader.js';
import { commandOf, DEFAULT_KEYMAP, type Keymap } from '../terminal/keymap.js';
import { createRowPainter } from '../terminal/row-painter.js';
import {
  openScreenSession,
  type ProcessSignals,
  type TerminalInput,
  type TerminalOutput,
} from '../terminal/screen-session.js';
import { createTheme, type Theme, usesColours } from '../terminal/theme.js';
import { toAscii, usesAscii } from '../text/characters.js';
import { words } from '../text/line.js';
import { createEffectContext } from './create-effect-context.js';
import { EXIT_CODES } from './printing-command.js';
import { openSessionRecorder } from './session-recorder.js';
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
  const { openReader, env, stdin, stdout, stderr, preferences, signals = process, nowMs = Date.now } = options;
  if (stdin.isTTY !== true || stdout.isTTY !== true || env['TERM'] === 'dumb') {
    stderr.write(
      '`faultline browse` needs a terminal as input and output. Without one use `faultline issues`, `faultline events` or `faultline event`.\n',
    );
    return EXIT_CODES.usage;
  }
  // React's development build records the timing of every draw and never frees it.
  env['NODE_ENV'] ??= 'production';

  const linkOf = createLinks(env, preferences, () => reader);
  const { theme, keymap, habits } = setUpTerminal(env, linkOf, preferences);
  const painter = createRowPainter(stdout, habits.isForScreenReader);
  const session = openScreenSession({
    input: stdin,
    output: stdout,
    signals,
    onLeave: painter.pause,
    onReturn: painter.repaint,
  });
  const showLoading = (): void =>
    painter.show([theme.paint([words(' Faultline ', 'heading'), words('loading…', 'muted')])]);
  const sizeOf = () => ({ columns: stdout.columns, rows: stdout.rows });
  const listenForKeys = () => readKeys(stdin, onKey, () => browser?.state().habits.mouse ?? habits.mouse);
  const typedAhead: KeyInput[] = [];
  let isOver = false;
  let reader: SourcesReader | undefined;
  let browser: Browser | undefined;
  let app: MountedApp | undefined;

  function onKey(input: KeyInput): void {
    // Characters typed into an overlay are text, not commands.
    const isText = browser?.state().overlay !== undefined && input.kind === 'character';
    const command = isText ? undefined : commandOf(keymap, input, { screen: 'issues' }, false);
    if (command === 'suspend') session.suspend();
    else if (command === 'redraw') painter.repaint();
    else if (browser !== undefined) browser.press(input);
    else if (command === 'quit') session.end({ exitCode: EXIT_CODES.done });
    else typedAhead.push(input);
  }
  const onResize = (): void => {
    painter.invalidate();
    if (app === undefined) showLoading();
    browser?.resize(sizeOf());
  };

  /** Lends keys and screen to another program until it exits. */
  const lend = async <T>(run: () => Promise<T>): Promise<T> => {
    stopKeys();
    try {
      return await session.lend(run);
    } finally {
      if (!isOver) stopKeys = listenForKeys();
    }
  };

  /** Starts the first read, which runs while Ink loads. */
  async function startReading(): Promise<void> {
    reader = await openReader();
    if (isOver) return await reader.close();
    const write = (sequence: string): void => void stdout.write(sequence);
    const name = options.userName ?? userName(env);
    const outside = createEffectContext({ reader, env, userName: name, write, lend, setMouse: session.mouse });
    const { resume, ...restored } = recorder.restore(habits);
    const changes = [options.isFresh === true ? undefined : resume, options.start].filter(
      (change) => change !== undefined,
    );
    const opened: StateChange = (state) => changes.reduce((now, change) => change(now), state);
    const start = { ...restored, resume: opened, keymap, size: sizeOf(), nowMs, userName: name };
    const started = startBrowser({ outside, ...start, pollIntervalMs: options.pollIntervalMs });
    session.mouse(started.state().habits.mouse);
    started.subscribe(() => {
      recorder.record(started.state());
      if (started.state().isOver) session.end({ exitCode: EXIT_CODES.done });
    });
    browser = started;
    for (const input of typedAhead.splice(0)) started.press(input);
  }

  async function start(): Promise<void> {
    const [{ mountApp }] = await Promise.all([import('../app/app.js'), startReading()]);
    if (isOver || browser === undefined) return;
    app = mountApp(browser, theme, painter);
    await app.ended;
  }

  showLoading();
  let stopKeys = listenForKeys();
  stdout.on('resize', onResize);
  const recorder = await openSessionRecorder(options.rememberAs, env);
  start().catch((error: unknown) => session.end({ exitCode: EXIT_CODES.failed, error }));
  const { exitCode, error } = await session.ended;
  isOver = true;
  stopKeys();
  stdout.off('resize', onResize);
  browser?.close();
  app?.unmount();
  await recorder.close();
  try {
    await reader?.close();
  } finally {
    session.close();
  }
  if (error !== undefined) stderr.write(errorText(error));
  return exitCode;
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

function setUpTerminal(
  env: NodeJS.ProcessEnv,
  linkOf: LinkOf | undefined,
  preferences?: Preferences,
): { theme: Theme; keymap: Keymap; habits: DisplayPreferences } {
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
