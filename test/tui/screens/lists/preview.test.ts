import { DEFAULT_PREFERENCES } from '../../../helpers/default-preferences.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue, sampleTime } from '../../array-reader.js';
import { browse, endTerminals } from '../../running-terminal.js';

afterEach(endTerminals);

const EVENTS = 60;
const STACK = [
  'PoolTimeoutError: no connection',
  '    at Pool.acquire (/srv/payments/src/db/pool.js:88:17)',
  '    at async authorize (/srv/payments/src/authorize.js:31:9)',
  '    at async PaymentController.create (/srv/payments/src/http/payment-controller.js:57:21)',
  '    at handle (/srv/payments/node_modules/router/index.js:1:1)',
].join('\n');

function sampleReader(issues = 30): ArrayReader {
  const events = Array.from({ length: EVENTS }, (_, number) =>
    sampleEvent(issues, number, {
      ...{ error_name: 'PoolTimeoutError', stack: STACK, message: `no connection within ${number} ms`, method: 'POST' },
      ...{ env: number % 10 === 0 ? 'staging' : 'production', route: '/api/v1/payments', status_code: 503 },
      tags: { host: `payments-${number % 4}`, region: number % 3 === 0 ? 'eu' : 'us' },
      user_id: `u-${number % 7}`,
    }),
  );
  for (const [number, { normalized }] of events.entries()) normalized.timestamp = sampleTime(number * 600);
  const list = Array.from({ length: issues }, (_, number) => sampleIssue(number + 1));
  list[issues - 1] = sampleIssue(issues, {
    ...{ count: EVENTS, users: 7, last_seen: sampleTime((EVENTS - 1) * 600), level: 'critical', service: 'payments' },
    ...{ error_name: 'PoolTimeoutError', message: 'no connection to payments-db-2 within 3032 ms (40 waiting)' },
    ...{
      spiking: true,
      releases: ['v2.3.0', 'v2.4.1'],
      trend: [...Array.from({ length: 23 }, (_, hour) => 2 + (hour % 4)), 401],
    },
  });
  return createArrayReader({ issues: list, events });
}

const PLAIN = { NO_COLOR: '1', LANG: 'C.UTF-8' };

describe('the preview of an issue', () => {
  it('stands below the list from 30 rows on, with facets beside it from 110 columns', async () => {
    const { terminal } = browse(sampleReader(), { columns: 120, rows: 40, env: PLAIN });
    const rows = await terminal.see('24h ·');
    expect(rows[24]).toMatch(/^── 00000000 ─+ p hides ──$/);
    const text = rows.slice(25, 38).map((row) => row.slice(0, 77).trimEnd());
    expect(text).toEqual([
      '  PoolTimeoutError: no connection to payments-db-2 within 3032 ms (40',
      '  waiting)',
      '  critical · payments · POST /api/v1/payments · 503',
      '  Spiking: 401 events in the last hour, 2 to 5 before. Nobody is assigned.',
      '',
      `  24h ${'·'.repeat(28)}${'▆'.repeat(20)} max 3 per 30m`,
      '',
      '  Stack of the latest event, 20 Nov 19:50 UTC',
      '  • Pool.acquire                    db/pool.js:88:17',
      '  • async authorize                 authorize.js:31:9',
      '  • async PaymentController.create  http/payment-controller.js:57:21',
      '    1 frame of libraries',
      '',
    ]);
    expect(rows[25]?.slice(77)).toBe('│ env     production   90%    54 █████████');
    expect(rows[33]?.slice(77)).toBe('│ users   7; u-0 9, u-1 9, u-2 9');
    expect(rows[35]?.slice(77)).toMatch(/^│ first {3}\d+. ago in v2.3.0$/);
    const narrow = browse(sampleReader(), { columns: 100, rows: 30, env: PLAIN }).terminal;
    expect((await narrow.see('24h ·')).join('')).not.toContain('│');
  });

  it('takes the rows that a short list leaves', async () => {
    const { terminal } = browse(sampleReader(6), { columns: 160, rows: 50, env: PLAIN });
    const rows = await terminal.see('24h ·');
    expect(rows[10]).toMatch(/^── 00000000/);
    expect(rows.filter((row) => row.replace('│', '').trim() === '').length).toBeLessThanOrEqual(5);
    expect(rows.join('\n')).toContain('Latest events, UTC');
  });

  it('reads only the issue on which the cursor rests, and says when few events happened', async () => {
    const reader = sampleReader();
    const { terminal } = browse(reader, { columns: 80, rows: 30, env: PLAIN });
    await terminal.see('24h ·');
    const reads = (): number => reader.calls.filter((call) => call === 'getIssue').length;
    reader.events.push(sampleEvent(25, 100));
    const before = reads();
    terminal.type('jjjjj');
    const rows = await terminal.see('1 event: 20 Nov 10:01 UTC');
    expect(rows.join('\n')).toMatch(/── 00000000 .*\n {2}Failure25: the number 25 did not answer/);
    expect(reads()).toBe(before + 1);
  });

  it('is hidden by p, shown in 8 rows of a low window, and covered by menus', async () => {
    const { terminal } = browse(sampleReader(), { env: PLAIN });
    await terminal.see('PoolTimeout');
    terminal.type('p');
    const rows = await terminal.see('24h ·');
    expect(rows[15]).toMatch(/^── 0/);
    terminal.type('s');
    const menu = await terminal.see('── Sort');
    expect(menu.slice(0, 15)).toEqual(rows.slice(0, 15));
    terminal.type('\u001b');
    await terminal.see('── 0');
    terminal.type('p');
    await terminal.seeNo('── 0');
    const lowest = browse(sampleReader(), { columns: 60, rows: 10, env: PLAIN }).terminal;
    await lowest.see('PoolTimeout');
    lowest.type('p');
    await lowest.see('The window is too small for the preview.');
  });

  it('waits for p if a screen reader reads it, and has words for bars', async () => {
    const preferences = { ...DEFAULT_PREFERENCES, isForScreenReader: true };
    const { terminal } = browse(sampleReader(), { columns: 120, rows: 40, env: PLAIN, preferences });
    expect((await terminal.see('PoolTimeout')).join('')).not.toContain('p hides');
    terminal.type('p');
    const rows = await terminal.see('24h 60 events, max 3 per 30m');
    expect(rows.join('')).not.toContain('│');
  });
});
