import { killLeftoverProcesses, type RunningCollector, startCollector, stop } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { failure, send } from './send-failures.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

let collector: RunningCollector | undefined;
let terminal: TmuxSession | undefined;

afterAll(async () => {
  await terminal?.close();
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

it('browse shows a killed collector as lost, keeps its data on the screen, and reconnects when it returns', async () => {
  const directory = await temporaryFolder();
  collector = await startCollector(directory);
  await send(collector, [failure('Alder'), failure('Birch')]);
  terminal = await openTmux();
  const { queryUrl } = collector;
  await terminal.run(`faultline browse --url ${queryUrl}`);
  await terminal.see('BirchError', 'AlderError', /live$/m);

  await stop(collector, 'SIGKILL');
  const lost = await terminal.see('connection lost');
  expect(lost).toContain('AlderError');
  await terminal.see(/^ No answer from/m);
  // Keys still work on the loaded data.
  await terminal.type('G');
  await terminal.see(/^› .*AlderError/m);
  await terminal.type('S');
  await terminal.see(/lost /);
  await terminal.press('Escape');
  await terminal.see('1[Open');

  collector = await startCollector(directory, [`--set=extensions.query.endpoint=${new URL(queryUrl).host}`]);
  await send(collector, [failure('Cedar')]);
  await terminal.see('1 new: g', /live$/m);
  await terminal.type('g');
  await terminal.see(/^. .*CedarError/m);
  await terminal.type('q');
  await terminal.expectAsBefore(0);

  expect((await stop(collector)).code).toBe(0);
});
