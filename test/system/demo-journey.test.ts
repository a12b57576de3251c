import { removeTemporaryFolders } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

let terminal: TmuxSession;

afterEach(async () => {
  await terminal?.close();
});
afterAll(removeTemporaryFolders);

it('a new user of the demo finds the spike, why it is one issue, copies it, resolves it, and sees it come back', async () => {
  terminal = await openTmux();
  await terminal.tmux('set-option', '-g', 'set-clipboard', 'on');
  await terminal.run('faultline demo');

  // The spike has its sign and its line of the last day.
  await terminal.see('1[open 1');
  const spike = /^[› ] *\^ critical PoolTimeoutError.*[▁▂▃·]█ +\d+/m;
  await terminal.see(spike);
  await terminal.type('/pool');
  await terminal.press('Enter');
  // The rows and the counts above them are answers of their own.
  await terminal.see(/ 1 (?:of \d+ )?issues?/, /^› .*PoolTimeoutError/m);
  await terminal.press('Enter');
  await terminal.see(/most \d+ in \d+/, 'PoolTimeoutError: no connection to', /spiking/);

  // Why it is one.
  await terminal.type('3');
  await terminal.see('3[why]', /^fingerprint +[0-9a-f]{32}/m, /^yes +error_name +PoolTimeoutError/m);

  // As Markdown, by the terminal's clipboard, which is tmux's.
  await terminal.type('y');
  await terminal.see('Markdown');
  await terminal.type('m');
  await terminal.see(/copied [\d,]+ characters/);
  const markdown = await waitFor('tmux to have what was copied', async () => {
    const buffer = await terminal.tmux('show-buffer');
    return buffer.includes('PoolTimeoutError') && buffer;
  });
  expect(markdown).toMatch(/^#+ .*PoolTimeoutError/m);
  expect(markdown).toContain('payments');

  // Resolved; the traffic goes on and brings it back.
  await terminal.type('r');
  await terminal.see('Resolve "PoolTimeoutError');
  await terminal.type('r');
  await terminal.see('Resolved "PoolTimeoutError');
  await terminal.press('Escape');
  await terminal.see('Filter: pool');
  await terminal.press('Escape');
  await terminal.see('by last seen');
  await terminal.type('3');
  await waitFor(
    'the issue to come back',
    // The rows and the counts above them are answers of their own: either may be seen first.
    async () => {
      const screen = await terminal.screen();
      return screen.includes('3[regressed 1]') && /^› *! critical PoolTimeoutError/m.test(screen);
    },
    40_000,
  );

  await terminal.type('q');
  await terminal.expectAsBefore(0);
});
