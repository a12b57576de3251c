import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FAULTLINE } from '../helpers/faultline-process.js';
import { SeenBeforeTyped } from '../helpers/seen-before-typed.js';
import { temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';

/** Lines in the scrollback before the first command. */
const EARLIER_LINES = 60;

/** The state of a terminal that a program must restore. */
interface TerminalModes {
  /** Alternate screen, cursor, mouse, wrapping and scrolling region, from tmux. */
  readonly flags: string;
  /** Modes of the line discipline, from stty. */
  readonly line: string;
  /** Screen and scrollback. */
  readonly text: string;
}

/** A shell in its own tmux server, with the built `faultline`, an empty HOME, and a prompt that shows the last exit code. */
export interface TmuxSession {
  readonly home: string;
  /** Runs a tmux command. */
  tmux(...args: string[]): Promise<string>;
  /** Presses keys by their tmux names: `Enter`, `Escape`, `C-u`. Rejects if no screen was seen since the last keys. */
  press(...keys: string[]): Promise<void>;
  /** Types text literally. Rejects if no screen was seen since the last keys. */
  type(text: string): Promise<void>;
  /** Waits until the screen shows all texts at the same time and returns the screen. After keys, one must be new. */
  see(...texts: readonly (string | RegExp)[]): Promise<string>;
  /** Waits until the screen stops showing a text and returns the screen. After keys, it must have been there before. */
  seeNo(text: string | RegExp): Promise<string>;
  /** Types a command line, records the terminal modes, and runs it. */
  run(command: string): Promise<void>;
  /** Waits for the prompt with an exit code, and expects the recorded modes and only `output` between command and prompt. */
  expectAsBefore(exitCode: number, output?: string | RegExp): Promise<void>;
  /** Returns the ids of all child processes of the shell. */
  processes(): Promise<number[]>;
  close(): Promise<void>;
}

const FLAGS =
  '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{wrap_flag} #{origin_flag} #{insert_flag} #{keypad_flag} #{scroll_region_upper} #{scroll_region_lower}';

let opened = 0;

/** Opens a session of 80x24 by default. */
export async function openTmux(
  options: { env?: Record<string, string>; columns?: number; rows?: number } = {},
): Promise<TmuxSession> {
  const home = await temporaryFolder();
  opened += 1;
  const socket = `faultline-test-${process.pid}-${opened}`;
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_RUNTIME_DIR: home,
    ENV: '',
    PATH: `${home}:${process.env['PATH'] ?? ''}`,
    USER: 'ada',
    ...options.env,
  };
  for (const name of ['NO_COLOR', 'TMUX', 'DISPLAY', 'WAYLAND_DISPLAY', 'VISUAL']) delete env[name];
  await writeFile(join(home, 'faultline'), `#!/bin/sh\nexec "${process.execPath}" "${FAULTLINE}" "$@"\n`);
  await chmod(join(home, 'faultline'), 0o755);

  async function tmux(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      env,
      cwd: home,
    });
    return stdout;
  }
  const screen = (): Promise<string> => tmux('capture-pane', '-p', '-t', 'main');
  const contains = (shown: string, text: string | RegExp): boolean =>
    typeof text === 'string' ? shown.includes(text) : text.test(shown);
  const keys = new SeenBeforeTyped();
  async function seeScreen(what: string, isSeen: (shown: string) => boolean): Promise<string> {
    keys.expectNew(what, (rows) => isSeen(rows.join('\n')));
    const seen = await waitFor(what, async () => {
      const shown = await screen();
      if (isSeen(shown)) return shown;
      throw new Error(shown);
    });
    keys.seen();
    return seen;
  }
  const see = (...texts: readonly (string | RegExp)[]): Promise<string> =>
    seeScreen(`the screen to show ${texts.map(String).join(' and ')}`, (shown) =>
      texts.every((text) => contains(shown, text)),
    );
  const sendKeys = async (...names: string[]): Promise<void> => void (await tmux('send-keys', '-t', 'main', ...names));
  const sendText = (text: string): Promise<void> => sendKeys('-l', '--', text);

  const terminal = (await startShell()).trim();
  let before: TerminalModes | undefined;

  async function startShell(): Promise<string> {
    const size = ['-x', String(options.columns ?? 80), '-y', String(options.rows ?? 24)];
    await tmux('new-session', '-d', '-s', 'main', ...size, 'sh');
    await sendText(`PS1='[$?] ready> '; clear; seq ${EARLIER_LINES}`);
    await sendKeys('Enter');
    await see(new RegExp(`^${EARLIER_LINES}\\n\\[0\\] ready>`, 'm'));
    return await tmux('display-message', '-p', '-t', 'main', '#{pane_tty}');
  }

  async function modes(): Promise<TerminalModes> {
    const [flags, text, line] = await Promise.all([
      tmux('display-message', '-p', '-t', 'main', FLAGS),
      tmux('capture-pane', '-p', '-S', '-', '-t', 'main'),
      promisify(execFile)('stty', ['-F', terminal, '-a']).then(({ stdout }) => stdout),
    ]);
    return { flags, line, text: text.trimEnd() };
  }

  return {
    home,
    tmux,
    async press(...names) {
      keys.type(names.join(' '), (await screen()).split('\n'));
      await sendKeys(...names);
    },
    async type(text) {
      keys.type(text, (await screen()).split('\n'));
      await sendText(text);
    },
    see,
    seeNo: (text) => seeScreen(`the screen to stop showing ${String(text)}`, (shown) => !contains(shown, text)),
    async run(command) {
      await sendText(command);
      // At the end of the screen, because the same command may be visible above; `-J` joins the rows of a long one.
      await waitFor(`the prompt to have ${command}`, async () => {
        const shown = await tmux('capture-pane', '-p', '-J', '-t', 'main');
        if (shown.trimEnd().endsWith(`ready> ${command}`)) return true;
        throw new Error(shown);
      });
      before = await modes();
      keys.type(command, (await screen()).split('\n'));
      await sendKeys('Enter');
    },
    async expectAsBefore(exitCode, output = '') {
      await see(/\n\[\d+\] ready>\s*$/);
      const after = await modes();
      expect(after).toMatchObject({ flags: before?.flags, line: before?.line });
      const kept = after.text.slice(0, before?.text.length);
      expect(kept).toBe(before?.text);
      const added = after.text.slice(kept.length).split('\n');
      expect(added.at(-1)).toBe(`[${exitCode}] ready>`);
      expect(added.slice(0, -1).join('\n').trim()).toEqual(output === '' ? '' : expect.stringMatching(output));
    },
    async processes() {
      const shell = (await tmux('display-message', '-p', '-t', 'main', '#{pane_pid}')).trim();
      const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', shell]).catch(() => ({ stdout: '' }));
      return stdout.split('\n').flatMap((pid) => (pid.trim() === '' ? [] : [Number(pid)]));
    },
    async close() {
      await tmux('kill-server').catch(() => undefined);
    },
  };
}
