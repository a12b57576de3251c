import { removeTemporaryFolders } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

let terminal: TmuxSession;

afterEach(async () => {
  await terminal?.close();
});
afterAll(removeTemporaryFolders);

it('a new user of the demo finds a spiking issue and its basis, copies and resolves it, and sees it regress', async () => {
  terminal = await openTmux();
  await terminal.tmux('set-option', '-g', 'set-clipboard', 'on');
  await terminal.run('faultline demo');

  // The spiking issue has its sign and its trend.
  await terminal.see('1[Open 1');
  const spike = /^[› ] *\^ crit +PoolTimeoutError/m;
  await terminal.see(spike);
  await terminal.type('/pool');
  await terminal.see('/ pool█');
  await terminal.press('Enter');
  // Rows and counts arrive in separate responses.
  await terminal.see('/ pool ', /\d\[\w+ 1\]/, /^› .*PoolTimeoutError/m);
  await terminal.press('Enter');
  await terminal.see(/24h .* max \d+ per/, 'PoolTimeoutError: no connection to', /spiking/);

  // The basis of the fingerprint.
  await terminal.type('3');
  await terminal.see('3[Why]', /^ {2}Fingerprint +[0-9a-f]{32}/m, /^ {2}yes +error type +PoolTimeoutError/m);

  // Copying uses the clipboard of the terminal, which is that of tmux.
  await terminal.type('y');
  await terminal.see('Markdown');
  await terminal.type('m');
  await terminal.see(/copied [\d,]+ characters/);
  const markdown = await waitFor('the clipboard of tmux', async () => {
    const buffer = await terminal.tmux('show-buffer');
    return buffer.includes('PoolTimeoutError') && buffer;
  });
  expect(markdown).toMatch(/^#+ .*PoolTimeoutError/m);
  expect(markdown).toContain('payments');

  // The resolved issue regresses with the next events.
  await terminal.type('r');
  await terminal.see('Resolve: PoolTimeoutError');
  await terminal.type('r');
  await terminal.see('Resolved "PoolTimeoutError');
  await terminal.press('Escape');
  await terminal.see('/ pool ');
  await terminal.press('Escape');
  await terminal.seeNo('/ pool ');
  await terminal.type('2');
  await terminal.see('2[Review 1]', /^› *! crit +PoolTimeoutError/m);

  await terminal.type('q');
  await terminal.expectAsBefore(0);
});
