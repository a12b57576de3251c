import type { AutomaticChange, IssueDetail, IssueHistoryEntry } from '../../../../generated/reader-answers.js';
import { runBrowse } from '../../../../tui/commands/browse.js';
import { createTestTerminal, type TestTerminal } from '../../../helpers/terminal.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue, sampleTime } from '../../array-reader.js';

const ENTER = '\r';
const EVENTS = 60;

const runs: { terminal: TestTerminal; exitCode: Promise<number> }[] = [];

function browse(reader: ArrayReader, size: { columns?: number; rows?: number } = {}): TestTerminal {
  const terminal = createTestTerminal(size.columns, size.rows);
  const { input: stdin, output: stdout, signals } = terminal;
  const options = {
    openReader: async () => reader,
    env: { NO_COLOR: '1', LANG: 'C.UTF-8' },
    stdin,
    stdout,
    stderr: stdout,
    signals,
  };
  runs.push({ terminal, exitCode: runBrowse({ ...options, pollIntervalMs: 20 }) });
  return terminal;
}

afterEach(async () => {
  for (const { terminal, exitCode } of runs.splice(0)) {
    terminal.signals.emit('SIGTERM');
    await exitCode;
  }
});

/** An issue with events over ten hours, and these members of its detail. */
function sampleReader(detail: Partial<IssueDetail> = {}): ArrayReader {
  const events = Array.from({ length: EVENTS }, (_, number) =>
    sampleEvent(1, number, { tags: { region: number % 3 === 0 ? 'eu' : 'us' }, user_id: `u${number % 7}` }),
  );
  for (const [number, { normalized }] of events.entries()) normalized.timestamp = sampleTime(number * number * 10);
  const issue = sampleIssue(1, { count: EVENTS, users: 7, last_seen: sampleTime((EVENTS - 1) ** 2 * 10) });
  const reader = createArrayReader({ issues: [issue], events });
  const { getIssue } = reader;
  reader.getIssue = async (issueId) => {
    const found = await getIssue(issueId);
    return found && { ...found, ...detail };
  };
  return reader;
}

async function opened(reader: ArrayReader, size: { columns?: number; rows?: number } = {}): Promise<TestTerminal> {
  const terminal = browse(reader, size);
  await terminal.see('Failure1');
  terminal.type(ENTER);
  await terminal.see('Issues › ');
  return terminal;
}

describe('the issue screen', () => {
  it('names the suspect commit with author and date', async () => {
    const commit = { id: 'c3728e0aece3661b0299', author_name: 'Ann', author_email: null, message: 'Count lines' };
    const place = { repository: null, path: 'src/cart.ts', line: 12, source: 'blame' as const };
    const suspect = { ...commit, ...place, timestamp: '2026-10-20T12:00:00.000000000+00:00' };
    const terminal = await opened(sampleReader({ suspect_commit: suspect }));
    const rows = await terminal.see('suspect commit ');
    expect(rows).toContain('  suspect commit c3728e0aece3 Count lines, Ann, 2026-10-20 12:00:00 UTC');
  });

  it('has the issue, its state, the bars of a day, the tabs and the events at 80x24', async () => {
    const terminal = await opened(sampleReader({ regressed: true, assignee: 'anna' }));
    await terminal.see('4 History 0');
    const rows = await terminal.see('24h ');
    expect(rows[0]).toMatch(/^ Faultline {2}Issues › Failure1 .* 1 of 1 · /);
    expect(rows[1]).toBe('  Failure1: the number 1 did not answer');
    expect(rows[2]).toBe('  error · api · PUT /api/v1/cart/lines · 422 · CartService.setLine in cart-serv…');
    expect(rows[3]).toMatch(/^ {2}60 events · 7 users · first \d+\w ago in v1.4.2 · last \d+\w ago in v1.4.2$/);
    expect(rows[4]).toBe('  Open, came back · assigned to anna');
    expect(rows[5]).toMatch(/^ {2}24h ·{28}█.{19} max 14 per 30m$/);
    expect(rows[6]).toMatch(/^ 1\[Events 60\] 2 Facets {2}3 Why {2}4 History 0 {2}5 Related 0$/);
    expect(rows[7]).toBe('  TIME UTC     REGION USER MESSAGE');
    expect(rows[8]).toMatch(/^› 20 Nov 19:40 \S+ +u3 {3}quantity 12 of SKU-4711 exceeds/);
    expect(rows[23]).toMatch(/1\/60$/);
    terminal.resize(80, 19);
    await terminal.seeNo('24h ');
    terminal.resize(80, 15);
    await terminal.seeNo('assigned');
  });

  it.each([1, 3, 9])('shows the times of %i events instead of bars', async (count) => {
    const reader = sampleReader();
    reader.events = reader.events.slice(-count);
    reader.issues = [sampleIssue(1, { ...reader.issues[0], count })];
    const text = (await (await opened(reader)).see(count === 1 ? '1 event: ' : `${count} events: `)).join('\n');
    expect(text).toMatch(/^ {2}\d events?: .*20 Nov 1\d:\d\d/m);
    expect(text).toContain('20 Nov 19:40 UTC');
    expect(text).not.toContain('24h ');
  });

  it('names an empty time window, and says how to leave it', async () => {
    const terminal = await opened(sampleReader());
    await terminal.see('24h ');
    terminal.type('++');
    await terminal.see('Only 20 Nov 19:00 to 20 Nov 20:00 UTC, 1h');
    terminal.type(']');
    await terminal.see('No events from 20 Nov 20:00 to 20 Nov 21:00. The latest was at 20 Nov 19:40.');
    terminal.type('0');
    await terminal.see('1/60');
  });

  it('shows shares of values, and the events that they count', async () => {
    const reader = sampleReader();
    const { summarizeEvents } = reader;
    reader.summarizeEvents = async (issueId, options) => {
      const summary = await summarizeEvents(issueId, options);
      return summary && { ...summary, total: 1_000_000 };
    };
    const terminal = await opened(reader);
    terminal.type('2');
    const rows = await terminal.see('newest 60 of 1,000,000 events');
    expect(rows.find((row) => row.startsWith('›'))).toMatch(/u0 +15% +9 ███$/);
    terminal.type('G');
    const last = await terminal.see(/^› {3}eu/);
    expect(last.find((row) => row.startsWith('›'))).toMatch(/^› {3}eu +33% +20 █{7}$/);
    terminal.type(ENTER);
    await terminal.see('Filter: tags.region:eu');
  });

  it('shows in words why its events are one issue', async () => {
    const parts = [
      { part: 'client_fingerprint', used: false, value: null, reason: 'None was sent.' },
      { part: 'error_name', used: true, value: 'TimeoutError', reason: 'It names the kind of failure.' },
      { part: 'frames', used: true, value: ['Pool.acquire (db/pool.js)'], reason: 'The innermost frame.' },
      { part: 'message', used: false, value: 'took 5 s', reason: 'The stack is enough.' },
    ];
    const terminal = await opened(
      sampleReader({ basis: { version: 2, rule: 'stack', parts }, fingerprint_version: 2 }),
    );
    terminal.type('3');
    const text = (await terminal.see('TimeoutError')).join('\n');
    expect(text.slice(text.indexOf('  These'), text.indexOf(' paste.'))).toBe(
      [
        '  These 60 events are one issue because they have the same error type and the',
        '  same innermost application frame.',
        '',
        '  COUNTS  PART         VALUE',
        '  yes     error type   TimeoutError',
        '  yes     frame        Pool.acquire (db/pool.js)',
        '  no      message      took 5 s',
        '                       The stack is enough.',
        '  no      client       none sent',
        '',
        '  Fingerprint  c0ffee00c0ffee00c0ffee00c0ffee00, rules version 2',
        '',
        '  To change it: faultline explain 00000000 OTHER suggests a rule to',
      ].join('\n'),
    );
  });

  it('lists what people did and what happened by itself, newest first, and undoes the selected entry', async () => {
    const { issue_id } = sampleIssue(1);
    const today = new Date().toISOString().slice(0, 10);
    const action = (
      id: string,
      at: string,
      action: string,
      more: Partial<IssueHistoryEntry> = {},
    ): IssueHistoryEntry => ({
      ...{ id, issue_id, at, action, actor: 'anna', detail: null, reason: null, undone: false },
      ...more,
    });
    const history = [
      action('a1', '2026-11-20T10:40:17Z', 'resolve', { actor: 'jonas', undone: true }),
      action('a2', '2026-11-20T10:41:00Z', 'undo', { actor: 'jonas', detail: 'a1' }),
      action('a3', '2026-11-20T11:01:30Z', 'assign', { actor: 'jonas', detail: 'anna' }),
      action('a4', '2026-11-20T11:02:55Z', 'comment', { detail: 'no postcode for Ireland' }),
      action('a5', '2026-11-20T11:58:12Z', 'ignore', { detail: 'until:2026-11-20T17:58:12Z' }),
      action('a6', `${today}T00:00:01Z`, 'resolve', { reason: 'fixed by #812' }),
      action('a7', `${today}T00:00:02Z`, 'resolve', { actor: null, detail: 'next' }),
    ];
    const change = (at: string, kind: AutomaticChange['kind'], detail: string | null, cause: string | null = null) => ({
      ...{ at, kind, detail, cause },
    });
    const automatic_history = [
      change('2026-11-20T10:28:50Z', 'first_event', 'v2.3.0, production'),
      change('2026-11-20T17:58:12Z', 'snooze_over', 'until:2026-11-20T17:58:12Z', 'a5'),
      change(`${today}T00:00:03Z`, 'regressed', 'v2.4.1', 'a7'),
    ];
    const reader = sampleReader({ history, automatic_history, regressed: true });
    reader.canAct = true;
    const terminal = await opened(reader);
    terminal.type('4');
    const rows = await terminal.see('4[History 9]');
    expect(rows.slice(8, 20)).toEqual([
      '  today',
      '› 00:00:03  came back: an event of v2.4.1 arrived after it was resolved',
      '  00:00:02  resolved in the next release (no name given)',
      '  00:00:01  anna resolved it: "fixed by #812"',
      '  20 Nov',
      '  17:58:12  the 6 hours were over: open again',
      '  11:58:12  anna ignored it for 6 hours',
      '  11:02:55  anna: no postcode for Ireland',
      '  11:01:30  jonas assigned it to anna',
      '  10:40:17  jonas resolved it                              undone 10:41 by jonas',
      '  10:28:50  first event: v2.3.0, production',
      '',
    ]);
    expect(rows[4]).toMatch(/^ {2}Open, came back \w+ ago in v2.4.1 · nobody assigned$/);
    terminal.type('u');
    await terminal.see('This happened by itself and cannot be undone.');
    terminal.type('jjj');
    await terminal.seeNo('by itself');
    terminal.type('u');
    await terminal.see('by itself');
    terminal.type('ju');
    await terminal.see('Undo: anna ignored it for 6 hours?');
    terminal.type('nGku');
    await terminal.see('Bring back: jonas resolved it?');
  });

  it('has fewer rows in small windows and facets beside the events in wide ones', async () => {
    const small = await opened(sampleReader(), { columns: 60, rows: 10 });
    const rows = await small.see('1/60');
    expect(rows[4]).toMatch(/^› 20 Nov 19:40/);
    small.type('*');
    expect(await small.see('Show only')).toHaveLength(10);
    const wide = await opened(sampleReader(), { columns: 200, rows: 60 });
    const found = await wide.see(/│ +same in all \d+: app shop, env production,/);
    expect(found[5]).toMatch(/^ {2}24h .* max \d+$/);
    expect(found[6]).toMatch(/ per 10m$/);
    expect(found.join('\n')).toMatch(/│ {3}us +67% +40 █+$/m);
  });

  it('shows a message if the issue is gone, has no events, or nothing matches', async () => {
    const reader = sampleReader();
    const terminal = await opened(reader);
    await terminal.see('1/60');
    terminal.type(`/message:nothing${ENTER}`);
    await terminal.see('No event matches. Esc clears the filter.');
    reader.issues = [];
    await terminal.see('This issue is gone');
    const none = createArrayReader({ issues: [sampleIssue(1, { count: 0, removed_events: 7 })] });
    await (await opened(none)).see('All 7 events were removed by retention.');
  });
});
