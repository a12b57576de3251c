import { Fault } from '../../core/event/fault.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import { runBrowse } from '../../tui/commands/browse.js';
import { createTestTerminal } from '../helpers/terminal.js';
import { waitFor } from '../helpers/wait-for.js';
import { createArrayReader, sampleEvent, sampleIssue, sampleRejected, sampleTime } from './array-reader.js';
import { browse, endTerminals } from './running-terminal.js';

const ENTER = '\r';
const ESCAPE = '\u001b';
const DOWN = '\u001b[B';
const PAGE_DOWN = '\u001b[6~';

afterEach(endTerminals);

const issues = (count: number, change: (number: number) => Partial<IssueSummary> = () => ({})): IssueSummary[] =>
  Array.from({ length: count }, (_, number) => sampleIssue(number, change(number)));

/** The row that is marked as selected. */
const selectedRow = (rows: readonly string[]): string => rows.find((row) => row.startsWith('›')) ?? '';

describe('the issues', () => {
  it('show how to send the first event if the store is empty, and the event when it arrives', async () => {
    const reader = createArrayReader();
    const { terminal } = browse(reader);
    expect(await terminal.see('No failures yet.')).toContain('    faultline send');
    reader.issues.push(sampleIssue(1));
    expect(selectedRow(await terminal.see('Failure1'))).toContain('error Failure1: the number 1');
  });

  it('have their columns at 80x24, with the totals above and the keys below', async () => {
    const reader = createArrayReader({
      issues: issues(3, (number) => ({
        count: 10 ** (2 * number + 1),
        level: number === 0 ? 'critical' : 'warning',
        regressed: number === 1,
        environments: ['production', 'staging'].slice(0, number),
        last_seen: new Date(Date.now() - 3_600_000 * (3 - number) - 60_000).toISOString(),
      })),
      events: [sampleEvent(1, 1)],
    });
    reader.rejected = Array.from({ length: 8 }, (_, number) => sampleRejected(number));
    const { terminal } = browse(reader);
    await terminal.see('6 All 3');
    const rows = await terminal.see('1 event ');
    expect(rows[0]).toMatch(/^ Faultline {2}Issues +8 rejected: S · 1 event · live$/);
    expect(rows[1]).toBe(' 1[Open 3] 2 Review 1  3 Mine 0  4 Ignored 0  5 Resolved 0  6 All 3');
    expect(rows[2]).toMatch(/^ \/ filter +by last seen$/);
    expect(rows.slice(3, 8)).toEqual([
      '    LEVEL ISSUE                                            24H      EVENTS SEEN▾',
      '›   warn  Failure2: the number 2 did not answer            ········   100k   1h',
      '  ! warn  Failure1: the number 1 did not answer            ········   1000   2h',
      '    crit  Failure0: the number 0 did not answer            ········     10   3h',
      '',
    ]);
    expect(rows[23]).toMatch(/^ Enter open {2}\/ filter {2}w what is new {2}s sort .* q quit +1\/3$/);
  });

  it('show more of each at 200x60', async () => {
    const reader = createArrayReader({ issues: issues(100) });
    const { terminal } = browse(reader, { columns: 200, rows: 60 });
    const rows = await terminal.see('Failure99');
    expect(rows[3]).toMatch(/LEVEL +ISSUE +24H +EVENTS SEEN▾ +AGE$/);
    expect(rows[34]).toContain('Failure69: the number 69 did not answer');
    expect(rows[35]).toMatch(/^── .* p hides ──$/);
    expect(rows[59]).toMatch(/1\/100$/);
  });

  it('scroll through a thousand by pages and to the end of what is loaded', async () => {
    const { terminal } = browse(createArrayReader({ issues: issues(1_000) }));
    await terminal.see(' 1/1,000');
    for (let page = 1; page <= 8; page += 1) {
      terminal.type(PAGE_DOWN);
      await terminal.see(` ${1 + 18 * page}/1,000`);
    }
    terminal.type('G');
    await terminal.see(/ [2-9]00\/1,000/);
    terminal.type('g');
    await terminal.see(' 1/1,000');
  });

  it('keep their order while new ones arrive, until g', async () => {
    const reader = createArrayReader({ issues: issues(40) });
    const { terminal } = browse(reader);
    await terminal.see('Failure39');
    terminal.type(DOWN + DOWN);
    await terminal.see(' 3/40');
    reader.issues.push(sampleIssue(40), sampleIssue(41));
    const rows = await terminal.see('2 new: g');
    expect(selectedRow(rows)).toContain('Failure37');
    expect(rows.join()).not.toContain('Failure41');
    terminal.type('g');
    // Until the new order is read, the first row of the earlier one is selected.
    await terminal.seeRows('the newest issue, selected', (shown) => selectedRow(shown).includes('Failure41'));
  });

  it('are filtered by a query, with the reason below it if it is invalid', async () => {
    const { terminal } = browse(createArrayReader({ issues: issues(40) }));
    await terminal.see('Failure39');
    terminal.type('/Failure1 nosuch:x');
    await terminal.see('Query, column 10');
    const refused = await terminal.see('0 of 40');
    expect(refused.slice(2, 4)).toEqual([
      expect.stringMatching(/^ \/ Failure1 nosuch:x█ +0 of 40 {4}by last seen$/),
      expect.stringMatching(/^ {12}\^ Query, column 10/),
    ]);
    terminal.type(`${'\u007f'.repeat(9)}1${ENTER}`);
    await terminal.see('1[Open 1]');
    expect(selectedRow(await terminal.see('/ Failure11 '))).toContain('Failure11');
    terminal.type(`/\u0015none${ENTER}`);
    await terminal.see('No issue in Open matches');
    terminal.type(ESCAPE);
    await terminal.see('Failure39');
  });

  it('are sorted by the choice in a menu', async () => {
    const { terminal } = browse(createArrayReader({ issues: issues(9, (number) => ({ count: 9 - number })) }));
    await terminal.see('Failure8');
    terminal.type('s');
    await terminal.see('needs attention');
    terminal.type('c');
    expect((await terminal.see('by events'))[2]).toContain('by events');
    await waitFor('the order', () => terminal.rows()[4]?.includes('Failure0'));
    terminal.type('sl');
    await waitFor('the order', () => terminal.rows()[4]?.includes('Failure8'));
  });
});

describe('the navigation to an event', () => {
  const reader = () =>
    createArrayReader({
      issues: [sampleIssue(1, { count: 2, environments: ['production', 'staging'], releases: ['v1.4.1', 'v1.4.2'] })],
      events: [sampleEvent(1, 1), sampleEvent(1, 2, { method: null, status_code: null, message: 'the last one' })],
    });

  it('goes through the events of the issue', async () => {
    const { terminal } = browse(reader());
    await terminal.see('Failure1');
    terminal.type(ENTER);
    const rows = await terminal.see('the last one');
    expect(rows[0]).toMatch(/^ Faultline {2}Issues › Failure1 +1 of 1 · live$/);
    expect(rows[1]).toBe('  Failure1: the number 1 did not answer');
    expect(rows[3]).toMatch(/2 events/);
    expect(rows.join('\n')).toContain('1[Events');
    const headings = rows.findIndex((row) => row.includes('TIME UTC'));
    expect(rows.slice(headings, headings + 3)).toEqual([
      '  TIME UTC     ROUTE                  CODE MESSAGE',
      '› 20 Nov 10:00 /api/v1/cart/lines          the last one',
      '  20 Nov 10:00 PUT /api/v1/cart/lines 422  quantity 12 of SKU-4711 exceeds the …',
    ]);
  });

  it('ends at exactly the fields of an event, and goes back', async () => {
    const { terminal } = browse(reader());
    await terminal.see('Failure1');
    terminal.type(ENTER);
    await terminal.see('PUT /api/v1/cart/lines');
    terminal.type(`j${ENTER}`);
    const top = await terminal.see('Event 019a3c5e');
    expect(top[1]).toContain('1[Detail] 2 Stack');
    expect(top.slice(2, 20)).toEqual([
      '  Event 019a3c5e',
      '',
      '  Event ID     019a3c5e-0000-7000-8000-000000000001',
      '  Issue ID     00000000-0000-5000-8000-000000000001',
      `  Timestamp    ${sampleTime(1)}`,
      '  App          shop',
      '  Service      api',
      '  Environment  production',
      '  Level        error',
      '  Type         exception',
      '  Error Name   ValidationError',
      '  Message      quantity 12 of SKU-4711 exceeds the limit',
      '  Fingerprint  c0ffee00c0ffee00c0ffee00c0ffee00',
      '  Route        PUT /api/v1/cart/lines',
      '  Status Code  422',
      '  Release      v1.4.2',
      '',
      '  Tags',
    ]);
    expect(top[23]).toContain('Esc Back to Issue');
    terminal.type(' ');
    await terminal.see('File: /var/lib/faultline/raw/production/api/shop/2026/11/20/10/raw.ndjson');
    await terminal.see('  "app": "shop",');
    terminal.type('G');
    const bottom = await terminal.see('  "user_id": "u-7"');
    expect(bottom.slice(20, 23)).toEqual(['  }', '', '› Back to Issue']);
    terminal.type(ENTER);
    expect(selectedRow(await terminal.see('TIME UTC'))).toContain('quantity 12');
    terminal.type(ESCAPE);
    await terminal.see('by last seen');
  });

  it('shows the keys of each screen', async () => {
    const { terminal } = browse(reader());
    await terminal.see('Failure1');
    terminal.type('?');
    await terminal.see('Help: issues');
    terminal.type('?\r');
    await terminal.see('TIME UTC');
    terminal.type('?');
    await terminal.see('Help: issue ');
  });
});

describe('the terminal', () => {
  it('shows that the collector is lost, keeps its rows, and continues when it is back', async () => {
    const reader = createArrayReader({ issues: issues(3) });
    const { terminal } = browse(reader);
    await terminal.see('Failure2');
    reader.fault = new Fault('COLLECTOR_UNREACHABLE', 'No collector answers at http://localhost:4319.', {
      retryable: true,
    });
    const lost = await terminal.see('connection lost');
    expect(lost[23]).toContain('No answer from the collector. Issues can only be read for now.');
    expect(lost.join('\n')).toContain('Failure2');
    reader.fault = undefined;
    reader.issues.push(sampleIssue(3));
    await terminal.see('Failure3');
    expect((await terminal.see(/live$/m))[23]).toContain('q quit');
  });

  it('shows the address that it waits for before a collector responds', async () => {
    const reader = createArrayReader();
    reader.fault = new Fault('COLLECTOR_UNREACHABLE', 'No collector answers at http://localhost:4319. Start one.');
    const { terminal } = browse(reader);
    expect(await terminal.see('not connected, retry')).toContain(
      '  No collector answers at http://localhost:4319. Start one.',
    );
    reader.fault = undefined;
    await terminal.see('No failures yet.');
  });

  it('shows that a token is required, and how to configure it', async () => {
    const reader = createArrayReader();
    reader.fault = new Fault('TOKEN_MISSING', 'The collector wants a token; give it with token_file.');
    const { terminal } = browse(reader);
    const rows = await terminal.see('no access');
    expect(rows[0]).toMatch(/ no access$/);
    expect(rows).toContain('  The collector wants a token.');
    expect(rows.join('\n')).not.toMatch(/Waiting|lost|retry/);
    terminal.resize(60, 12);
    await waitFor('the shorter title', () => terminal.rows()[0]?.endsWith('  no access'));
  });

  it('shows the number of stored events and the number of counted ones, if events were sampled', async () => {
    const issue = { ...sampleIssue(0), count: 557, sampled: 299 };
    const reader = createArrayReader({ issues: [issue], events: [sampleEvent(0, 1), sampleEvent(0, 2)] });
    const { terminal } = browse(reader);
    await terminal.see('Failure0');
    expect((await terminal.see('2 stored'))[0]).not.toContain('events');
    terminal.type(ENTER);
    await terminal.see('557 events · 258 stored · ');
  });

  it('shows how many events of an issue repeat counted ones', async () => {
    const issue = { ...sampleIssue(0), count: 0, repeated: 4 };
    const reader = createArrayReader({ issues: [issue], events: [sampleEvent(0, 1)] });
    const { terminal } = browse(reader);
    await terminal.see('Failure0');
    terminal.type(ENTER);
    await terminal.see('0 events · 4 repeated · ');
  });

  it('fits every window size', async () => {
    const reader = createArrayReader({ issues: issues(100), events: [sampleEvent(99, 1)] });
    const { terminal } = browse(reader);
    await terminal.see('Failure99');
    terminal.resize(200, 60);
    expect((await terminal.see('AGE'))[59]).toMatch(/1\/100$/);
    terminal.type(ENTER);
    await terminal.see('TIME UTC');
    terminal.type(ENTER);
    await terminal.see('Back to Issue');
    terminal.resize(80, 24);
    await waitFor('the title in the first row', () => terminal.rows()[0]?.endsWith('live'));
    expect(terminal.rows()[23]).toContain('Esc Back to Issue');
    terminal.type(ESCAPE + ESCAPE);
    const rows = await terminal.see('by last seen');
    expect(rows[22]).toContain('Failure81');
    expect(terminal.output.screen.buffer.normal.baseY).toBe(0);
  });

  it('shows a message if the window is too small, and continues when it is larger', async () => {
    const { terminal } = browse(createArrayReader({ issues: issues(3) }), { columns: 40, rows: 5 });
    await terminal.see('Faultline needs');
    terminal.resize(60, 10);
    await terminal.see('Failure2');
  });

  it('accepts keys that were typed before the first read', async () => {
    const reader = createArrayReader({ issues: issues(3) });
    const { terminal, exitCode } = browse(reader);
    terminal.typeAhead('?');
    await terminal.see('Filter');
    terminal.type('q');
    expect(await exitCode).toBe(0);
    await terminal.settled();
    expect(terminal.isOnAlternateScreen()).toBe(false);
  });

  it('redraws on Ctrl-L and after it was stopped', async () => {
    const { terminal } = browse(createArrayReader({ issues: issues(3) }));
    await terminal.see('Failure2');
    terminal.output.write('\u001b[2J');
    await terminal.seeNo('Failure2');
    terminal.type('\u000c');
    await terminal.see('Failure2');
    terminal.type('\u001a');
    await terminal.seeNo('Failure2');
    expect(terminal.signals.killed).toEqual(['SIGTSTP 0']);
    terminal.signals.emit('SIGCONT');
    await terminal.see('Failure2');
  });

  it('restores the screen and prints the reason if the reader cannot be opened', async () => {
    const terminal = createTestTerminal();
    const { input: stdin, output: stdout, signals } = terminal;
    const openReader = async () => {
      throw new Fault('FOLDER_NOT_FOUND', 'Folder \u001b[2Jx does not exist.');
    };
    expect(await runBrowse({ openReader, env: {}, stdin, stdout, stderr: stdout, signals })).toBe(1);
    const rows = await terminal.settled();
    expect(terminal.isOnAlternateScreen()).toBe(false);
    expect(rows[0]).toBe('Folder ␛[2Jx does not exist.');
    expect(stdin.isRaw).toBe(false);
  });

  it('restores the screen if drawing fails', async () => {
    const reader = createArrayReader();
    reader.issues.push(JSON.parse(JSON.stringify({ ...sampleIssue(1), trend: null })));
    const { terminal, exitCode } = browse(reader);
    expect(await exitCode).toBe(1);
    await terminal.settled();
    expect(terminal.isOnAlternateScreen()).toBe(false);
    const [drawn = '', message = ''] = terminal.written().split('\u001b[?1049l');
    expect([drawn, message]).toEqual([expect.not.stringContaining('TypeError'), expect.stringContaining('TypeError')]);
  });

  it('opens and scrolls an event with a megabyte of message and ten thousand tags', async () => {
    const tags = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, 'v']));
    const event = sampleEvent(1, 1, { message: '漢x'.repeat(500_000), tags });
    const { terminal } = browse(createArrayReader({ issues: [sampleIssue(1)], events: [event] }));
    await terminal.see('Failure1');
    terminal.type(ENTER);
    await terminal.see('TIME UTC');
    terminal.type(ENTER);
    const rows = await terminal.see('Message      漢x漢x');
    expect(rows[14]).toMatch(/^ {15}x?漢x/);
    terminal.type('G');
    await terminal.see('› Back to Issue');
    terminal.type(PAGE_DOWN.repeat(3) + '\u001b[5~'.repeat(3));
    await terminal.seeNo('"user_id"');
    terminal.type('g');
    await terminal.see('Event 019a3c5e');
  });

  it('aligns its columns beside wide characters', async () => {
    const { terminal } = browse(
      createArrayReader({
        issues: issues(2, (number) => ({
          error_name: 'Error',
          message: '漢字🇩🇪👍🏽e\u0301'.repeat(20),
          service: `api${number}`,
        })),
      }),
    );
    await terminal.see('漢字');
    const headings = terminal.rows()[3] ?? '';
    const line = terminal.output.screen.buffer.active.getLine(4);
    const cells = Array.from({ length: 80 }, (_, column) => line?.getCell(column)?.getChars() ?? '');
    const service = headings.indexOf('SERVICE');
    expect(cells.slice(service - 1, service + 5).join('')).toBe(' api1 ');
  });
});
