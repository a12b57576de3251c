import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shortEventId } from '../../../core/event/short-event-id.js';
import { findStart } from '../../../tui/commands/browse-command.js';
import { DEFAULT_PREFERENCES } from '../../helpers/default-preferences.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { allowActions } from '../allow-actions.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue, sampleIssueId } from '../array-reader.js';
import { browse, endTerminals } from '../running-terminal.js';

const ENTER = '\r';
const ESCAPE = '\u001b';

afterEach(endTerminals);
afterAll(removeTemporaryFolders);

const reading = (): ArrayReader =>
  createArrayReader({ issues: [sampleIssue(1), sampleIssue(2), sampleIssue(3)], events: [sampleEvent(2, 1)] });

async function temporaryHome(): Promise<NodeJS.ProcessEnv> {
  const folder = await temporaryFolder();
  return {
    TERM: 'xterm-256color',
    HOME: folder,
    XDG_STATE_HOME: folder,
    XDG_RUNTIME_DIR: folder,
    XDG_CACHE_HOME: folder,
    TMPDIR: folder,
  };
}

describe('a session', () => {
  it('resumes its saved list state, and keeps views and earlier queries, per context', async () => {
    const env = await temporaryHome();
    const first = browse(reading(), { env, rememberAs: 'prod' });
    await first.terminal.see('Failure3');
    first.terminal.type(`/Failure${ENTER}`);
    await first.terminal.see('/ Failure ');
    first.terminal.type(`vsmine${ENTER}`);
    await first.terminal.see('Saved as');
    first.terminal.type(`j${ENTER}`);
    await first.terminal.see('TIME UTC');
    first.terminal.type(ENTER);
    await first.terminal.see('Event 019a3c5e');
    first.terminal.type('q');
    expect(await first.exitCode).toBe(0);

    const second = browse(reading(), { env, rememberAs: 'prod' });
    await second.terminal.see('/ Failure ');
    second.terminal.type('v');
    await second.terminal.see('mine');
    second.terminal.type('q/\u0015\u001b[A');
    await second.terminal.see('/ Failure█');

    const other = browse(reading(), { env, rememberAs: 'test' });
    await other.terminal.see('by last seen');
    other.terminal.type('v');
    await other.terminal.see('mine');
  });

  it('opens what the call names above the saved list, and a named filter or tab instead of it', async () => {
    const env = await temporaryHome();
    const first = browse(reading(), { env, rememberAs: 'prod' });
    await first.terminal.see('Failure3');
    first.terminal.type(`/Failure3${ENTER}`);
    await first.terminal.see('1/1');
    first.terminal.type('q');
    await first.exitCode;

    const named = reading();
    const start = await findStart(async () => named, { id: sampleIssueId(2) });
    const second = browse(named, { env, rememberAs: 'prod', start });
    const rows = await second.terminal.see('TIME UTC');
    expect(rows.join('\n')).not.toContain('Restored');
    expect(rows[0]).toContain('Failure2');
    second.terminal.type(ESCAPE);
    await second.terminal.see('/ Failure3');
    second.terminal.type('q');
    await second.exitCode;

    const listed = await findStart(async () => reading(), { query: 'Failure1', tab: 'all' });
    const third = browse(reading(), { env, rememberAs: 'prod', start: listed, isFresh: true });
    expect((await third.terminal.see('/ Failure1')).join('\n')).toMatch(/6\[All 1\]/);
    third.terminal.type('q');
    await third.exitCode;

    const fresh = browse(reading(), { env, rememberAs: 'prod', isFresh: true });
    expect((await fresh.terminal.see('Failure3')).join('\n')).toContain('/ filter');
  });

  it('opens an event by its id or short id; Escape leads to the list', async () => {
    const reader = reading();
    const [event] = reader.events;
    if (event === undefined) throw new Error('no event');
    for (const id of [event.event_id, shortEventId(event.event_id)]) {
      const { terminal } = browse(reader, { start: await findStart(async () => reader, { id }) });
      await terminal.see('Event 019a3c5e');
      terminal.type(ESCAPE);
      await terminal.see('by last seen');
    }
  });

  it('saves nothing without a name', async () => {
    const env = await temporaryHome();
    const run = browse(reading(), { env });
    await run.terminal.see('Failure3');
    run.terminal.type(`/Failure${ENTER}q`);
    await run.exitCode;
    await expect(readFile(join(env['HOME'] ?? '', 'faultline', 'terminal.json'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});

describe('preferences of the terminal', () => {
  it('change the keys, also in hints and help', async () => {
    const keys = new Map([
      ['filter', ['F']],
      ['sort', ['f5']],
    ]);
    const { terminal } = browse(reading(), { preferences: { ...DEFAULT_PREFERENCES, keys } });
    const rows = await terminal.see('Failure3');
    expect(rows.at(-1)).toMatch(/F filter +w what is new +F5 sort/);
    terminal.type('?');
    expect((await terminal.see('filter;')).find((row) => row.includes('filter;'))).toMatch(/^ {2}F +filter;/);
    terminal.type('xF');
    await terminal.see(' / █');
    terminal.type(`${ESCAPE}\u001b[15~`);
    await terminal.see('needs attention');
  });

  it('restrict our own text to ASCII', async () => {
    const reader = allowActions(reading());
    const { terminal } = browse(reader, { preferences: { ...DEFAULT_PREFERENCES, characters: 'ascii' } });
    await terminal.see('Failure3');
    for (const [keys, seen] of [
      ['?', 'unmark'],
      [`${ESCAPE}s`, 'needs attention'],
      [`${ESCAPE}:`, 'Reopen'],
      [`${ESCAPE}/servi\t`, 'service:#'],
      [`${ESCAPE} `, 'marked'],
      ['rr', 'Resolved "Failure'],
      ['S', 'Status'],
      [`${ESCAPE}i`, 'Ignore: Fail'],
      [`${ESCAPE}${ENTER}`, 'TIME UTC'],
    ] as const) {
      terminal.type(keys);
      await terminal.see(seen);
    }
    await terminal.settled();
    expect(terminal.written()).not.toMatch(/[^\u0000-\u007f]/);
  });

  it('replace signs and bars with words for a screen reader', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1, { regressed: true })] });
    const { terminal } = browse(reader, {
      preferences: { ...DEFAULT_PREFERENCES, isForScreenReader: true },
      columns: 120,
    });
    const row = (await terminal.see('Failure1')).find((text) => text.includes('Failure1'));
    expect(row).toMatch(/regressed error/);
    expect(row).toContain('none');
  });
});

describe('output of the terminal', () => {
  it('is copied by OSC 52, in visible form', async () => {
    const reader = createArrayReader({
      issues: [sampleIssue(1, { title: 'a \u001b[31mred 漢字 title' })],
      events: [sampleEvent(1, 1)],
    });
    const { terminal } = browse(reader, { env: await temporaryHome() });
    await terminal.see('red');
    terminal.type('yt');
    await terminal.see('copied');
    terminal.type('yi');
    await terminal.see('36 characters');
    const copied = [...terminal.written().matchAll(/\u001b\]52;c;([A-Za-z0-9+/=]*)(?:\u0007|\u001b\\)/g)].map(
      ([, base64 = '']) => Buffer.from(base64, 'base64').toString(),
    );
    expect(copied).toEqual(['a ␛[31mred 漢字 title', sampleIssueId(1)]);
  });

  it('is written to a new file only', async () => {
    const env = await temporaryHome();
    const path = join(env['HOME'] ?? '', 'out.ndjson');
    const { terminal } = browse(reading(), { env, columns: 200 });
    await terminal.see('Failure3');
    terminal.type(`x\u0015${path}${ENTER}`);
    await terminal.see('3 issues written to');
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).error_name)).toEqual(['Failure3', 'Failure2', 'Failure1']);
    terminal.type(`x\u0015${path}${ENTER}`);
    await terminal.see('exists; name another one');
    terminal.type(`x\u0015${path}.CSV${ENTER}`);
    await terminal.see('3 issues written to');
    expect(await readFile(`${path}.CSV`, 'utf8')).toMatch(/^issue_id,/);
    terminal.type(`x\u0015${ENTER}`);
    await terminal.see('Enter a file name.');
  });
});
