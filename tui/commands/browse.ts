import type { MountedApp } from '../app/app.js';
import { type Browser, startBrowser } from '../app/run-loop.js';
import { applyKeys } from '../preferences/check-keys.js';
import type { Preferences } from '../preferences/preferences.js';
import type { TerminalReader } from '../readers/source.js';
import type { Habits } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { readKeys } from '../terminal/key-reader.js';
import { commandOf, DEFAULT_KEYMAP, type Keymap } from '../terminal/keymap.js';
import { createRowPainter } from '../terminal/row-painter.js';
import { openScreenSession } from '../terminal/screen-session.js';
import type { ProcessSignals, TerminalInput, TerminalOutput } from '../terminal/terminal-streams.js';
import { colourDepth, createTheme, type Theme } from '../terminal/theme.js';
import { signsFor, toAscii, UNICODE_SIGNS } from '../text/characters.js';
import { words } from '../text/line.js';
import { createOutside } from './create-outside.js';
import { openRemembering } from './remembering.js';
import { errorText, type TextOutput } from './text-output.js';

export interface BrowseOptions {
  /** Called once; what it opens is closed at the end. */
  openReader: () => Promise<TerminalReader>;
  /** The environment of this process; `NODE_ENV` is set in it where it is missing. */
  env: NodeJS.ProcessEnv;
  stdin: TerminalInput;
  stdout: TerminalOutput;
  stderr: TextOutput;
  /** How the person wants it; default: as if nothing was chosen. */
  preferences?: Preferences;
  /** Under which name the place is remembered where one leaves; absent: nothing is remembered and nothing is resumed. */
  rememberAs?: string;
  /** Default: this process. */
  signals?: ProcessSignals;
  /** Milliseconds between two polls, default 1,000. */
  pollIntervalMs?: number;
  /** Wall clock in milliseconds since the epoch, default `Date.now`. */
  nowMs?: () => number;
}

const DONE = 0;
const FAILED = 1;
const USAGE = 2;

/**
 * Runs the terminal until the person leaves. Answers 0, 1 after an error (which it prints), 2 without a terminal, or 128 and the number of the
 * signal that ended it.
 */
export async function runBrowse(options: BrowseOptions): Promise<number> {
  const {
    openReader,
    env,
    stdin,
    stdout,
    stderr,
    preferences,
    rememberAs,
    signals = process,
    pollIntervalMs,
    nowMs = Date.now,
  } = options;
  if (stdin.isTTY !== true || stdout.isTTY !== true || env['TERM'] === 'dumb') {
    stderr.write(
      '`faultline browse` needs a terminal for what it reads and writes. `faultline issues`, `faultline events` and `faultline event` print instead.\n',
    );
    return USAGE;
  }
  // React's development build times every draw and keeps the timings for ever.
  env['NODE_ENV'] ??= 'production';

  const { theme, keymap, habits } = setUpTerminal(env, preferences);
  const painter = createRowPainter(stdout, { showsCursor: habits.isForScreenReader });
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
  const listen = () => readKeys(stdin, onKey, { isMouseOn: () => browser?.state().habits.mouse ?? habits.mouse });
  const typedAhead: KeyInput[] = [];
  let isOver = false;
  let reader: TerminalReader | undefined;
  let browser: Browser | undefined;
  let app: MountedApp | undefined;

  function onKey(input: KeyInput): void {
    // While a text is typed, only keys that are no characters can be meant for the terminal itself.
    const isTyped = browser?.state().overlay !== undefined && input.kind === 'character';
    const command = isTyped ? undefined : commandOf(keymap, input, { screen: 'issues' }, false);
    if (command === 'suspend') session.suspend();
    else if (command === 'redraw') painter.repaint();
    else if (browser !== undefined) browser.press(input);
    else if (command === 'quit') session.end({ exitCode: DONE });
    else typedAhead.push(input);
  }
  const onResize = (): void => {
    painter.invalidate();
    if (app === undefined) showLoading();
    browser?.resize(sizeOf());
  };

  /** Gives keys and screen to another program until it is through. */
  const lend = async <T>(run: () => Promise<T>): Promise<T> => {
    stopKeys();
    try {
      return await session.lend(run);
    } finally {
      if (!isOver) stopKeys = listen();
    }
  };

  /** Starts the first reading; it runs while Ink loads. */
  async function startReading(): Promise<void> {
    reader = await openReader();
    if (isOver) return await reader.close();
    const write = (sequence: string): void => void stdout.write(sequence);
    const outside = createOutside({ reader, env, write, lend, setMouse: session.mouse });
    const start = { ...remembering.start(habits), keymap, size: sizeOf(), nowMs };
    const poll = pollIntervalMs === undefined ? {} : { pollIntervalMs };
    const started = startBrowser({ outside, ...start, ...poll });
    session.mouse(started.state().habits.mouse);
    started.subscribe(() => {
      remembering.take(started.state());
      if (started.state().isOver) session.end({ exitCode: DONE });
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
  let stopKeys = listen();
  stdout.on('resize', onResize);
  const remembering = await openRemembering(rememberAs, env);
  start().catch((error: unknown) => session.end({ exitCode: FAILED, error }));
  const { exitCode, error } = await session.ended;
  isOver = true;
  stopKeys();
  stdout.off('resize', onResize);
  browser?.close();
  app?.unmount();
  await remembering.close();
  try {
    await reader?.close();
  } finally {
    session.close();
  }
  if (error !== undefined) stderr.write(errorText(error));
  return exitCode;
}

/** How a terminal looks and listens. */
interface TerminalSetUp {
  readonly theme: Theme;
  readonly keymap: Keymap;
  readonly habits: Habits;
}

/** Puts together what a person chose and what the environment says of the terminal. */
function setUpTerminal(env: NodeJS.ProcessEnv, preferences?: Preferences): TerminalSetUp {
  const depth = colourDepth(env, true, preferences?.colours);
  const theme = createTheme({
    depth,
    ...(preferences !== undefined && { theme: preferences.theme, looks: preferences.looks }),
  });
  const isAscii = signsFor(preferences?.characters ?? 'auto', env) !== UNICODE_SIGNS;
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
