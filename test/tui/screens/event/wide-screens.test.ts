import { DEFAULT_PREFERENCES } from '../../../helpers/default-preferences.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue } from '../../array-reader.js';
import { browse, endTerminals } from '../../running-terminal.js';

afterEach(endTerminals);

const PLAIN = { NO_COLOR: '1', LANG: 'C.UTF-8' };
const STACK = [
  'PoolTimeoutError: no connection',
  '    at Pool.acquire (/srv/payments/src/db/pool.js:88:17)',
  '    at async authorize (/srv/payments/src/authorize.js:31:9)',
].join('\n');
const EVIL = '\u001b]0;pwned\u0007\u001b[2J\u009b31m\u202e\n\t\u0000';

/** An issue with 40 events; of the two newest, one request met another issue too. */
function shopReader(): ArrayReader {
  const events = Array.from({ length: 40 }, (_, number) =>
    sampleEvent(1, number, {
      ...{ error_name: 'PoolTimeoutError', message: `no connection within ${number} ms`, stack: STACK },
      ...{ user_id: 'u-718', request_id: `req-${number}`, tags: { host: `payments-${number % 4}` } },
      extra: { pool: { idle: 0, size: 20 } },
    }),
  );
  const other = sampleEvent(2, 41, { error_name: 'UpstreamError', message: '502 from swift', request_id: 'req-39' });
  return createArrayReader({ issues: [sampleIssue(2), sampleIssue(1, { count: 40 })], events: [...events, other] });
}

async function openIssue(size: { columns: number; rows: number }, reader = shopReader()) {
  const { terminal } = browse(reader, { ...size, env: PLAIN });
  await terminal.see('Failure1');
  terminal.type('j\r');
  await terminal.see('MESSAGE');
  return { terminal, reader };
}

describe('the selected event below the events of an issue', () => {
  it('stands there from 110x40 on, follows the cursor once it rests, and is hidden by p', async () => {
    const { terminal, reader } = await openIssue({ columns: 120, rows: 40 });
    const rows = await terminal.see('extra.pool: idle 0, size 20');
    const at = rows.findIndex((row) => row.startsWith('── event '));
    expect(rows.length - at).toBe(9);
    expect(rows.slice(at + 1, at + 6)).toEqual([
      '  no connection within 39 ms',
      '  • Pool.acquire     db/pool.js:88:17',
      '  • async authorize  authorize.js:31:9',
      '  request req-39   user u-718   host payments-3',
      '  extra.pool: idle 0, size 20',
    ]);
    const reads = (): number => reader.calls.filter((call) => call === 'getEvent').length;
    const before = reads();
    terminal.type('jjjj');
    await terminal.see('request req-35');
    expect(reads()).toBe(before + 1);
    terminal.type('p');
    expect((await terminal.seeNo('── event')).join('')).not.toContain('extra.pool');
    terminal.type('p');
    await terminal.see('request req-35');
  });

  it('is left out of smaller windows, of other tabs and for screen readers, and says when the event is gone', async () => {
    const small = await openIssue({ columns: 100, rows: 40 });
    expect((await small.terminal.see('…39 ms')).join('')).not.toContain('── event');
    const { terminal, reader } = await openIssue({ columns: 120, rows: 40 });
    await terminal.see('── event');
    reader.getEvent = async () => undefined;
    terminal.type('j');
    await terminal.see('This event is gone.');
    terminal.type('4');
    await terminal.seeNo('── event');
    const preferences = { ...DEFAULT_PREFERENCES, isForScreenReader: true };
    const reading = browse(shopReader(), { columns: 160, rows: 50, env: PLAIN, preferences }).terminal;
    await reading.see('Failure1');
    reading.type('j\r');
    expect((await reading.see('MESSAGE')).join('')).not.toContain('── event');
    reading.type('\r');
    expect((await reading.see('Event ID')).join('')).not.toContain('│');
  });

  it('neutralises the event', async () => {
    const reader = shopReader();
    for (const { normalized } of reader.events) {
      Object.assign(normalized, { message: EVIL, request_id: EVIL, user_id: EVIL, extra: { [EVIL]: EVIL } });
      normalized.tags = { [EVIL]: EVIL };
    }
    const { terminal } = await openIssue({ columns: 120, rows: 40 }, reader);
    const rows = await terminal.see('extra.␛');
    expect(rows.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('an event in a window of 140 columns or more', () => {
  it('has its stack, request, user and notes beside it', async () => {
    const { terminal } = await openIssue({ columns: 160, rows: 50 });
    terminal.type('\r');
    const rows = await terminal.see('Same user, u-718');
    const right = rows.slice(2).map((row) => row.slice(100).trimEnd());
    expect(right.slice(0, 5)).toEqual([
      '│ Stack',
      '│ • Pool.acquire',
      '│     db/pool.js:88:17',
      '│ • async authorize',
      '│     authorize.js:31:9',
    ]);
    expect(right.join('\n')).toMatch(/│ Same request, req-39\n│ {3}\S.* error UpstreamError: 502 from swift\n/);
    expect(right.join('\n')).toMatch(/│ Same user, u-718, within 10 minutes\n│ {3}\d+ events in 1 issue\n/);
    expect(right.join('\n')).toContain('│ Notes\n│   none: nothing was cut or guessed');
  });

  it('wraps the detail view in the cells that are left, also while it is searched', async () => {
    const reader = shopReader();
    for (const { normalized } of reader.events) normalized.message = `${'word '.repeat(60)}needle`;
    const { terminal } = await openIssue({ columns: 140, rows: 40 }, reader);
    terminal.type('\r');
    await terminal.see('Event ID');
    terminal.type('/needle\r');
    const rows = await terminal.see('needle 1/');
    for (const row of rows.slice(2, -1)) expect(row[100]).toBe('│');
  });
});
