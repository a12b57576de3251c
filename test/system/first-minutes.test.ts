import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { killLeftoverProcesses, startCollector, stop } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

const run = promisify(execFile);
let terminal: TmuxSession;

afterEach(async () => {
  await terminal?.close();
  killLeftoverProcesses();
});
afterAll(removeTemporaryFolders);

it('leads from the package to a resolved issue, by what its own commands and screens say', async () => {
  const folder = await temporaryFolder();
  const npm = async (cwd: string, ...args: string[]): Promise<string> => (await run('npm', args, { cwd })).stdout;
  // Without scripts, because the tests have built it.
  const packed = await npm(resolve('.'), 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder);
  await npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${packed.trim()}`);

  // Without npm's own warnings, for example of settings that it does not know.
  terminal = await openTmux({ env: { npm_config_loglevel: 'error' } });
  await terminal.run(`cd ${folder} && clear && npx faultline`);
  const page = await terminal.see('completion', '[0] ready>');
  for (const command of ['gate', 'verify', 'explain']) expect(page).toContain(command);

  const options = { command: [join(folder, 'node_modules/.bin/faultline')] };
  const collector = await startCollector(await temporaryFolder(), [], options);
  await terminal.run(`clear; npx faultline send --message 'first light' --url ${collector.ingestUrl}`);
  const sent = await terminal.see('stored.', '[0] ready>');
  const open = /^(npx faultline browse \w+ --url \S+) opens it\.$/m.exec(sent)?.[1];
  await terminal.run(String(open));
  await terminal.see('Issues › Error', '1[Events 1]', /first light/);

  await terminal.press('Enter');
  await terminal.see(/Error Name +Error/, 'Raw Payload');
  await terminal.type('r');
  await terminal.see('Resolve: first light');
  await terminal.type('r');
  await terminal.see('Resolved "first light');
  await terminal.type('q');
  await terminal.expectAsBefore(0);
  await terminal.run(`clear; npx faultline issues --query is:resolved --url ${collector.queryUrl}`);
  await terminal.see(/first light +1 .* resolved/);
  expect((await stop(collector)).code).toBe(0);
});
