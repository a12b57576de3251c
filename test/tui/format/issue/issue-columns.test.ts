import { parameterize } from '../../../../core/fingerprint/message/parameterize.js';
import type { IssueSummary } from '../../../../generated/reader-answers.js';
import { ISSUE_SIGNS, type IssueColumnsOptions, issueColumns } from '../../../../tui/format/issue/issue-columns.js';
import { shapeOfIssues } from '../../../../tui/format/issue/issue-list-shape.js';
import { PLAIN_THEME } from '../../../../tui/terminal/theme.js';
import { tableLines } from '../../../../tui/text/columns.js';
import { cellsOf, neutralise } from '../../../../tui/text/visible.js';
import { sampleIssue } from '../../array-reader.js';

const NOW = Date.parse('2026-11-22T20:34:10Z');

/** Level, title of the first event, events, users, service, assignee and other values. */
type Row = readonly [string, string, number, number, string, string | null, Partial<IssueSummary>?];
const SHOP: readonly Row[] = [
  [
    'critical',
    'PoolTimeoutError: no connection to payments-db-2 within 3032 ms (40 waiting)',
    452,
    290,
    'payments',
    null,
    { spiking: true },
  ],
  [
    'error',
    "TypeError: Cannot read properties of undefined (reading 'postcode')",
    128,
    85,
    'api',
    'anna',
    { regressed: true },
  ],
  ['critical', 'PanicError: stock of SKU-4711 fell to -3', 503, 0, 'stock-worker', null],
  ['error', 'ValidationError: cart line 4: quantity 144 of SKU-6857 exceeds the limit of 10', 1233, 625, 'api', null],
  [
    'error',
    'FetchError: GET https://shop.example/api/v1/products/1592 timed out after 8002 ms',
    689,
    330,
    'frontend',
    null,
  ],
  [
    'error',
    'ChunkLoadError: Loading chunk 17 failed (https://shop.example/assets/17.0c4f9a11.js)',
    478,
    402,
    'frontend',
    null,
  ],
  ['warning', 'CardDeclinedError: issuer declined order 434113: insufficient funds', 114, 98, 'payments', null],
  ['warning', 'CardDeclinedError: issuer declined order 908220: do not honour', 98, 91, 'payments', null],
  ['warning', 'CardDeclinedError: issuer declined order 767031: expired card', 98, 88, 'payments', null],
  ['error', 'UpstreamError: 502 from upstream swift after 3 tries', 20, 18, 'ledger', null, { is_new: true }],
  ['error', 'MailError: mailbox of anna.berg@example.com is full (552)', 26, 26, 'mailer', null],
  ['critical', 'com.shop.ledger.LedgerException: balance of account 88211 is off by 0.01 EUR', 4, 0, 'ledger', 'jonas'],
  ['error', "TypeError: Cannot read properties of undefined (reading 'total')", 12_345, 9, 'frontend', null],
  [
    'error',
    'ExportError: the export was refused: 12400 rows, limit 10000',
    1,
    1,
    'api',
    null,
    { environments: ['staging'] },
  ],
];
const ISSUES = SHOP.map(([level, title, count, users, service, assignee, changes], number) => {
  const [, name = '', message = ''] = /^(\S+): (.*)$/.exec(title) ?? [];
  return sampleIssue(number, {
    level,
    title: `${name}: ${parameterize(message)}`,
    error_name: name,
    message,
    count,
    users,
    service,
    assignee,
    app: 'shop',
    environments: ['production'],
    releases: [`v2.4.${number % 2}`],
    last_seen: new Date(NOW - number * number * 60_000).toISOString(),
    trend: Array.from({ length: 24 }, (_, hour) => (hour === 23 ? count : 0)),
    ...changes,
  });
});

const drawn = (
  issues: readonly IssueSummary[],
  width: number,
  options: Partial<IssueColumnsOptions> = {},
): string[] => {
  const shape = shapeOfIssues(issues);
  const columns = issueColumns({ width, nowMs: NOW, shape, hasStates: false, sort: 'last_seen', ...options });
  return tableLines(issues, columns, { cells: width, selected: 0 }).map((line) => PLAIN_THEME.paint(line).trimEnd());
};
const headings = (...given: Parameters<typeof drawn>): string[] => (drawn(...given)[0] ?? '').trim().split(/ +/);

describe('the columns of issues', () => {
  it('are drawn as designed in 80 cells', () => {
    expect(drawn(ISSUES, 80)).toEqual([
      '    LEVEL ISSUE                                            EVENTS SEEN▾ SERVICE',
      '› ^ crit  PoolTimeoutError: no … 3032 ms (40 waiting)         452  now  payments',
      "  ! error TypeError: Cannot read … (reading 'postcode')       128   1m  api",
      '    crit  PanicError: stock of SKU-4711 fell to -3            503   4m  stock-w…',
      '    error ValidationError: cart … exceeds the limit of 10    1233   9m  api',
      '    error FetchError: GET … timed out after 8002 ms           689  16m  frontend',
      '    error ChunkLoadError: Loading … (…/17.0c4f9a11.js)        478  25m  frontend',
      '    warn  CardDeclinedError: issuer … insufficient funds      114  36m  payments',
      '    warn  CardDeclinedError: issuer … do not honour            98  49m  payments',
      '    warn  CardDeclinedError: issuer … 767031: expired card     98   1h  payments',
      '  + error UpstreamError: 502 from upstream … after 3 tries     20   1h  ledger',
      '    error MailError: mailbox of …example.com is full (552)     26   1h  mailer',
      '    crit  LedgerException: balance of … is off by 0.01 EUR      4   2h  ledger',
      "    error TypeError: Cannot read … (reading 'total')        12.3k   2h  frontend",
      '    error ExportError: the export was … rows, limit 10000       1   2h  api',
    ]);
  });

  it.each([
    [60, 37, ['EVENTS', 'SEEN▾']],
    [80, 48, ['EVENTS', 'SEEN▾', 'SERVICE']],
    [120, 66, ['24H', 'EVENTS', 'SEEN▾', 'SERVICE', 'OWNER']],
    [160, 88, ['24H', 'EVENTS', 'USERS', 'SEEN▾', 'SERVICE', 'OWNER', 'ENV']],
    [200, 116, ['24H', 'EVENTS', 'USERS', 'SEEN▾', 'SERVICE', 'OWNER', 'ENV']],
  ])('in %s cells leave the title %s, and no two rows read alike', (width, least, names) => {
    expect(headings(ISSUES, width)).toEqual(['LEVEL', 'ISSUE', ...names]);
    const [heading = '', ...rows] = drawn(ISSUES, width);
    const title = heading.indexOf(names[0] === '24H' ? '24H' : 'EVENTS') - heading.indexOf('ISSUE') - 1;
    expect(title).toBeGreaterThanOrEqual(least);
    const titles = rows.map((row) => row.slice(10, 10 + title));
    expect(new Set(titles).size).toBe(ISSUES.length);
  });

  it('of states take the place of bars, and say who and until when', () => {
    const decided = (hoursAgo: number, state_by: string | null) => ({
      state_at: new Date(NOW - hoursAgo * 3_600_000).toISOString(),
      state_by,
    });
    const ignored = { status: 'ignored' } as const;
    const resolved = { status: 'resolved' } as const;
    const states: Partial<IssueSummary>[] = [
      { ...ignored, snooze: '100x', snooze_left: 37, ...decided(1, 'jonas') },
      { ...ignored },
      { ...ignored, snooze: 'until:2026-11-28T22:00:00Z', ...decided(20, 'anna') },
      { ...ignored, snooze: '20x/10m', ...decided(1, 'anna') },
      { ...resolved, ...decided(2, 'anna') },
      { ...resolved, resolved_in: 'next', ...decided(2, 'anna') },
      { ...resolved, resolved_in: 'v2.5.0' },
      { regressed: true, ...decided(2, 'anna') },
    ];
    const issues = states.map((state, index) => ({ ...sampleIssue(index), ...ISSUES[index + 5], ...state }));
    const seen = new Date(NOW).toISOString();
    const rows = issues.map((issue) => ({ ...issue, last_seen: seen, count: 1, assignee: null }));
    expect(drawn(rows, 80, { hasStates: true })).toEqual([
      '    LEVEL ISSUE                                      EVENTS SEEN▾ STATE',
      '› - error ChunkLoadError: Loading chunk …c4f9a11.js)      1  now  63 of 100x',
      '  - warn  CardDeclinedError: … insufficient funds         1  now  until reopened',
      '  - warn  CardDeclinedError: issuer … do not honour       1  now  6d left, anna',
      '  - warn  CardDeclinedError: issuer … expired card        1  now  20x/10m, anna',
      '  ✓ error UpstreamError: 502 … swift after 3 tries        1  now  2h ago, anna',
      '  ✓ error MailError: mailbox of … is full (552)           1  now  next release',
      '  ✓ crit  LedgerException: balance … off by 0.01 EUR      1  now  in v2.5.0',
      "  ! error TypeError: Cannot read … (reading 'total')      1  now  regressed",
    ]);
    expect(drawn(rows, 120, { hasStates: true }).map((row) => row.slice(70))).toEqual([
      'EVENTS SEEN▾ SERVICE  STATE',
      '     1  now  frontend ignored by jonas, 63 of 100',
      '     1  now  payments ignored until reopened',
      '     1  now  payments ignored 6d more by anna',
      '     1  now  payments ignored by anna, 20x/10m',
      '     1  now  ledger   resolved 2h ago by anna',
      '     1  now  mailer   resolved in next release',
      '     1  now  ledger   resolved in v2.5.0',
      '     1  now  frontend regressed',
    ]);
  });

  it('leave the title 30 cells in a narrow window; a screen reader keeps the states', () => {
    const options = { hasStates: true };
    expect(headings(ISSUES, 60, options)).toEqual(['LEVEL', 'ISSUE', 'EVENTS', 'SEEN▾']);
    expect(headings(ISSUES, 60, { ...options, isForScreenReader: true })).toContain('STATE');
  });

  it('that say the same in every row are left out, and one assigned issue draws OWNER', () => {
    const same = ISSUES.slice(0, 5).map((issue) => ({ ...issue, service: 'api', assignee: null, users: 0 }));
    expect(headings(same, 120)).toEqual(['LEVEL', 'ISSUE', '24H', 'EVENTS', 'SEEN▾', 'AGE', 'RELEASE']);
    const assigned = same.map((issue, index) => (index === 2 ? { ...issue, assignee: 'anna' } : issue));
    expect(headings(assigned, 120)).toContain('OWNER');
  });

  it('are never wider than the window, with text of any width', () => {
    const wide = { error_name: 'Error', message: '漢'.repeat(300), service: '漢'.repeat(30), level: '漢字漢字' };
    const issues = [sampleIssue(1, wide), sampleIssue(2, { assignee: '漢'.repeat(30), app: '\u001b[2J' })];
    for (let width = 60; width < 260; width += 7) {
      for (const row of drawn(issues, width)) expect(cellsOf(neutralise(row))).toBeLessThanOrEqual(width);
    }
  });

  it.each([
    ['critical', 'crit '],
    ['CRITICAL', 'crit '],
    ['fatal', 'fatal'],
    ['warning', 'warn '],
    ['information', 'info '],
    ['verbose', 'trace'],
    ['important', 'impor'],
  ])('show the level %s as %j', (level, shown) => {
    expect(drawn([sampleIssue(1, { level })], 80)[1]?.slice(4, 10)).toBe(`${shown} `);
  });

  it.each<[keyof typeof ISSUE_SIGNS, Partial<IssueSummary>]>([
    ['regressed', { regressed: true, is_new: true, spiking: true }],
    ['spiking', { spiking: true, is_new: true }],
    ['new', { is_new: true }],
    ['resolved', { status: 'resolved', spiking: true }],
    ['ignored', { status: 'ignored' }],
    ['open', {}],
  ])('show a sign, or a word, for %s', (name, changes) => {
    const issues = [sampleIssue(1, changes)];
    expect(drawn(issues, 80)[1]?.startsWith(`› ${ISSUE_SIGNS[name]} error`)).toBe(true);
    expect(drawn(issues, 80, { isForScreenReader: true })[1]?.startsWith(`› ${name}`)).toBe(true);
  });
});
