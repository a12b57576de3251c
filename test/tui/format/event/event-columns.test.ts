import type { EventSummary } from '../../../../generated/reader-answers.js';
import { eventColumns, searchColumns } from '../../../../tui/format/event/event-columns.js';
import { PLAIN_THEME } from '../../../../tui/terminal/theme.js';
import { tableLines } from '../../../../tui/text/columns.js';
import { columnTime, spanWords } from '../../../../tui/text/moments.js';
import { createArrayReader, sampleEvent, sampleIssue } from '../../array-reader.js';

const NOW = Date.parse('2026-11-22T20:34:10Z');

const POOL = [
  [
    '2026-11-22T20:34:08.798Z',
    'production',
    'v2.4.1',
    'u-718',
    'no connection to payments-db-3 within 3071 ms (47 waiting)',
  ],
  [
    '2026-11-22T20:34:08.512Z',
    'production',
    'v2.4.1',
    'u-12',
    'no connection to payments-db-1 within 3082 ms (49 waiting)',
  ],
  ['2026-11-21T22:03:07.901Z', 'staging', 'v2.4.0', null, 'no connection to payments-db-1 within 3044 ms (44 waiting)'],
] as const;

async function events(): Promise<EventSummary[]> {
  const all = POOL.map(([timestamp, env, release, user_id, message], number) => ({
    ...sampleEvent(1, 3 - number),
    timestamp,
    env,
    release,
    user_id,
    message,
  }));
  const reader = createArrayReader({ issues: [sampleIssue(1)], events: [sampleEvent(1, 1)] });
  const [sample] = (await reader.searchEvents()).events;
  return all.map(({ timestamp, env, release, user_id, message }) => ({
    ...(sample as EventSummary),
    timestamp,
    env,
    release,
    user_id,
    message,
    error_name: 'PoolTimeoutError',
  }));
}

const drawn = (rows: readonly EventSummary[], width: number, columns = eventColumns): string[] =>
  tableLines(rows, columns({ rows, width, nowMs: NOW, zone: 'utc' }), { cells: width, selected: 0 }).map((line) =>
    PLAIN_THEME.paint(line).trimEnd(),
  );

describe('the columns of events', () => {
  it('are the first two that differ in 80 cells, beside messages without their shared beginning', async () => {
    expect(drawn(await events(), 80)).toEqual([
      '  TIME UTC     ENV        RELEASE MESSAGE',
      '› 20:34:08.798 production v2.4.1  …payments-db-3 within 3071 ms (47 waiting)',
      '  20:34:08.512 production v2.4.1  …payments-db-1 within 3082 ms (49 waiting)',
      '  21 Nov 22:03 staging    v2.4.0  …payments-db-1 within 3044 ms (44 waiting)',
    ]);
  });

  it('are more in wider windows, and none that is the same in all rows', async () => {
    const rows = await events();
    const heading = (width: number, shown: readonly EventSummary[] = rows): string[] =>
      (drawn(shown, width)[0] ?? '').trim().split(/ +/);
    expect(heading(90)).toEqual(['TIME', 'UTC', 'ENV', 'RELEASE', 'USER', 'MESSAGE']);
    // the others have no tag `constructor`.
    const tags: Record<string, string>[] = [
      { region: 'eu', host: 'payments-3' },
      { region: 'eu', host: 'payments-1' },
      { constructor: 'x' },
    ];
    const tagged = rows.map((row, index) => ({ ...row, tags: tags[index] ?? {} }));
    expect(heading(160, tagged)).toEqual(['TIME', 'UTC', 'ENV', 'RELEASE', 'CONSTRUCTOR', 'USER', 'MESSAGE']);
    const hosts = tagged.slice(0, 2);
    expect(heading(160, hosts)).toEqual(['TIME', 'UTC', 'HOST', 'USER', 'MESSAGE']);
    expect(heading(80, hosts)).toEqual(['TIME', 'UTC', 'HOST', 'USER', 'MESSAGE']);
    expect(heading(120, rows.slice(0, 1))).toEqual(['TIME', 'UTC', 'MESSAGE']);
    const mixed = rows.map((row, index) => ({ ...row, level: index === 0 ? 'critical' : 'error', status_code: index }));
    expect(heading(100, mixed)).toEqual(['TIME', 'UTC', 'LEVEL', 'ENV', 'RELEASE', 'CODE', 'MESSAGE']);
  });

  it('name the service and the error in a search over all issues', async () => {
    const rows = (await events()).map((row, index) => ({ ...row, service: index === 0 ? 'ledger' : 'payments' }));
    expect(drawn(rows, 80, searchColumns).slice(0, 2)).toEqual([
      '  TIME UTC     SERVICE  ENV        EVENT',
      '› 20:34:08.798 ledger   production PoolTimeoutError: no connection to payments-…',
    ]);
  });

  it.each([
    ['2026-11-22T20:34:08.798123Z', '20:34:08.798'],
    ['2026-01-02T03:04:05Z', '2 Jan 03:04'],
    ['2025-11-21T22:03:07Z', '21 Nov 2025'],
    ['never', '?'],
  ])('show the time %s as %s', (time, shown) => {
    expect(columnTime(time, { nowMs: NOW, zone: 'utc' })).toBe(shown);
  });
});

it.each([
  [1_000, '1m'],
  [90 * 60_000, '90m'],
  [16 * 3_600_000, '16h'],
  [6.9 * 86_400_000, '7d'],
])('a rest of %s ms is %s', (ms, shown) => {
  expect(spanWords(ms)).toBe(shown);
});
