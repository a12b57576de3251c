import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FAULTLINE } from '../helpers/faultline-process.js';
import { waitFor } from '../helpers/wait-for.js';

const SOCKET = `faultline-test-${process.pid}`;

async function tmux(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('tmux', ['-L', SOCKET, '-f', '/dev/null', ...args]);
  return stdout;
}

const screen = async (): Promise<string> => await tmux('capture-pane', '-p', '-t', 'main');
const press = async (...keys: string[]): Promise<string> => await tmux('send-keys', '-t', 'main', ...keys);

async function see(text: string | RegExp): Promise<string> {
  return await waitFor(`the screen to show ${String(text)}`, async () => {
    const shown = await screen();
    if (typeof text === 'string' ? shown.includes(text) : text.test(shown)) return shown;
    throw new Error(shown);
  });
}

beforeEach(async () => {
  await tmux('new-session', '-d', '-s', 'main', '-x', '80', '-y', '24', 'sh');
  await press("PS1='ready> '", 'Enter');
  await press('clear; echo before', 'Enter');
  await see(/^before$/m);
});

afterEach(async () => {
  await tmux('kill-server').catch(() => undefined);
});

describe('faultline demo in tmux at 80x24', () => {
  it('is read from the issues to one event and back, and leaves screen and scrollback as they were', async () => {
    await press(`${process.execPath} ${FAULTLINE} demo --events 600`, 'Enter');
    const issues = await see('PoolTimeoutError');
    expect(issues.split('\n').every((row) => row.length <= 80)).toBe(true);
    await press('s');
    await see('Sort by');
    await press('c');
    await see('by events');
    await press('g', 'Enter');
    await see(/^› \d\d-\d\d .* (critical|error) /m);
    await press('Enter');
    await see(/^Event [0-9a-f]{8}/m);
    await see('Event ID');
    await press('G');
    await see('Back to Issue');
    await press('Escape');
    await see(/^› \d\d-\d\d .* (critical|error) /m);
    await press('Escape');
    await see('by events');
    await press('?');
    await see('came back');
    await press('Escape');
    // Gone before the next key: behind an Escape that was not read yet it would be Alt and that key.
    await waitFor('the help to be gone', async () => !(await screen()).includes('came back'));
    await see('by events');
    await press('q');
    const after = await see(/^ready>\s*$/m);
    expect(after).toMatch(/^before$/m);
    expect(after).not.toContain('Faultline');
    await press('echo exit=$?', 'Enter');
    await see('exit=0');
  });

  it('restores the terminal when it is ended by SIGTERM', async () => {
    await press(`${process.execPath} ${FAULTLINE} demo --events 50`, 'Enter');
    await see('by last seen');
    const pid = (await tmux('list-panes', '-t', 'main', '-F', '#{pane_pid}')).trim();
    await promisify(execFile)('pkill', ['-TERM', '-P', pid]);
    await see(/^ready>\s*$/m);
    await press('echo still here', 'Enter');
    expect(await see(/^still here$/m)).toMatch(/^before$/m);
  });
});
