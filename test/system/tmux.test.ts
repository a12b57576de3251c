import { removeTemporaryFolders } from '../helpers/temporary-folder.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

let terminal: TmuxSession | undefined;

afterAll(async () => {
  await terminal?.close();
  await removeTemporaryFolders();
});

describe('faultline demo in tmux at 80x24', () => {
  it('opens an issue and an event, goes back, and restores screen and scrollback', async () => {
    terminal = await openTmux();
    const { see, press } = terminal;
    await terminal.run('faultline demo --events 600');
    const issues = await see('PoolTimeoutError');
    expect(issues.split('\n').every((row) => row.length <= 80)).toBe(true);
    await press('s');
    await see('── Sort');
    await press('c');
    await see('by events');
    await press('Enter');
    await see(/^› (?:\d\d:|\d+ [A-Z])/m);
    await press('Enter');
    await see(/^ {2}Event [0-9a-f]{8}/m);
    await see('Event ID');
    await press('G');
    await see('› Back to Issue');
    await press('Escape');
    await see(/^› (?:\d\d:|\d+ [A-Z])/m);
    await press('Escape');
    await see('by events');
    await press('?');
    await see('came back');
    await press('Escape');
    await terminal.seeNo('came back');
    await press('q');
    await terminal.expectAsBefore(0);
  });
});
