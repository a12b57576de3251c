import { buildModule } from '../helpers/build-module.js';
import { openPseudoTerminal } from '../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

let terminal: TmuxSession;

afterEach(async () => {
  await terminal?.close();
});
afterAll(removeTemporaryFolders);

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

/** Returns the process id of the terminal, the only child of the shell. */
async function onlyProcess(): Promise<number> {
  const [processId, ...others] = await terminal.processes();
  if (processId === undefined || others.length > 0) throw new Error(`${others.length} additional processes`);
  return processId;
}

/** Opens an issue and begins to type a filter, so that there is state to restore. */
async function openIssueAndFilter(): Promise<void> {
  await terminal.see(/^›/m);
  await terminal.press('Enter');
  await terminal.see('1[Events');
  await terminal.type('/level');
  await terminal.see('/level█');
}

describe('the terminal is restored', () => {
  const signals = [
    { signal: 'SIGTERM', exitCode: 143 },
    { signal: 'SIGHUP', exitCode: 129 },
    { signal: 'SIGINT', exitCode: 130 },
  ] as const;
  it.each(signals)('after $signal, with exit code $exitCode', async ({ signal, exitCode }) => {
    terminal = await openTmux();
    await terminal.run('faultline demo --events 300');
    await openIssueAndFilter();
    const processId = await onlyProcess();
    process.kill(processId, signal);
    await terminal.expectAsBefore(exitCode);
    expect(isRunning(processId)).toBe(false);
  });

  it('after a component threw, with the error printed and exit code 1', async () => {
    terminal = await openTmux();
    await terminal.run(`"${process.execPath}" "${await buildModule('test/system/broken-reader.js')}"`);
    await terminal.expectAsBefore(1, /TypeError/);
    expect(await terminal.processes()).toEqual([]);
  });

  it('after Ctrl-C', async () => {
    terminal = await openTmux();
    await terminal.run('faultline demo --events 300');
    await terminal.see(/^›/m);
    await terminal.press('C-c');
    await terminal.expectAsBefore(0);
  });
});

describe('no process is left running', () => {
  it('after the tmux pane is closed', async () => {
    terminal = await openTmux();
    await terminal.run('faultline demo --events 300');
    await openIssueAndFilter();
    const processId = await onlyProcess();
    await terminal.tmux('kill-pane', '-t', 'main');
    await waitFor('the process to end', () => !isRunning(processId));
  });

  it('after the pseudo-terminal is closed', async () => {
    const home = await temporaryFolder();
    const opened = openPseudoTerminal(['demo', '--events', '300'], {
      env: { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, TMPDIR: home },
    });
    await opened.see('1[Open');
    const { pid } = opened.process;
    opened.process.kill('SIGHUP');
    await waitFor('the process to end', () => !isRunning(pid));
  });
});
