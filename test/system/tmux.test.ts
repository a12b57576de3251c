import { removeTemporaryFolders } from '../helpers/temporary-folder.js';
import { openTmux, type TmuxSession } from './tmux-session.js';

let terminal: TmuxSession | undefined;

afterAll(async () => {
  await terminal?.close();
  await removeTemporaryFolders();
});

describe('faultline demo in tmux at 80x24', () => {
  it('is read from the issues to one event and back, and leaves screen and scrollback as they were', async () => {
    terminal = await openTmux();
    const { see, press } = terminal;
    await terminal.run('faultline demo --events 600');
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
    await terminal.seeNo('came back');
    await see('by events');
    await press('q');
    await terminal.expectAsBefore(0);
  });
});
