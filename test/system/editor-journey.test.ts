import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killLeftoverProcesses, type RunningCollector, startCollector } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { failure, send } from './send-failures.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

let collector: RunningCollector | undefined;
let terminal: TmuxSession | undefined;

afterAll(async () => {
  await terminal?.close();
  collector?.child.kill('SIGTERM');
  await collector?.finished;
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

it('e opens a copy of the event in $EDITOR, which gets the terminal, and returns to the event', async () => {
  collector = await startCollector(await temporaryFolder());
  await send(collector, [failure('Alder'), failure('Birch'), failure('Cedar')]);
  const folder = await temporaryFolder();
  const editor = join(folder, 'vi');
  const log = join(folder, 'log');
  await writeFile(
    editor,
    `#!/bin/sh\nprintf '%s\\n' "$@" > "${log}"; stty -a > "${folder}/line"\nfor file; do :; done; cp "$file" "${folder}/copy"\ntrap 'echo stopped >> "${log}"' INT\necho the editor is open; read first; read answer; echo "$answer" >> "${log}"\n`,
  );
  await chmod(editor, 0o755);
  terminal = await openTmux({ env: { EDITOR: editor } });
  await terminal.run(`faultline browse --url ${collector.queryUrl}`);
  await terminal.see('CedarError');
  await terminal.type('/birch');
  await terminal.see('/ birch█');
  await terminal.press('Enter');
  await terminal.see('/ birch ', /\d\[\w+ 1\]/);
  await terminal.press('Enter');
  await terminal.see(/^› 20 Nov \d\d:\d\d the Birch did not answer/m);
  await terminal.press('Enter');
  // Keys for the event work once it is loaded.
  await terminal.see('1[Detail]', /^ {2}Event [0-9a-f]{8}/m);
  await terminal.type('e');
  await terminal.see('the editor is open');
  // Keys and Ctrl-C go to the editor.
  await terminal.press('C-c');
  await terminal.see('^C');
  await terminal.type('qjk');
  await terminal.see('qjk');
  await terminal.press('Enter');
  await terminal.see('1[Detail]', /^ {2}Event [0-9a-f]{8}/m);

  const logged = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const copy = await readFile(join(folder, 'copy'), 'utf8');
  expect(JSON.parse(copy)).toMatchObject({ normalized: { error_name: 'BirchError' } });
  // The copy is removed once the editor has ended.
  await expect(readFile(logged.find((argument) => argument.endsWith('.json')) ?? '')).rejects.toThrow();
  expect(logged.slice(-2)).toEqual(['stopped', 'qjk']);
  const modes = await readFile(join(folder, 'line'), 'utf8');
  expect(modes).toMatch(/ icanon /);
  expect(modes).toMatch(/ echo /);

  await terminal.type('q');
  await terminal.expectAsBefore(0, /^the editor is open\n\^C\s*qjk$/);
});
