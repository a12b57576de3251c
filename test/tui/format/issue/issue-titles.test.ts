import fc from 'fast-check';
import { parameterize } from '../../../../core/fingerprint/message/parameterize.js';
import { fitTitle, textOf } from '../../../../tui/format/issue/fit-title.js';
import { fitTitles, issueTitle } from '../../../../tui/format/issue/issue-titles.js';
import { lineCells } from '../../../../tui/text/line.js';
import { sampleIssue } from '../../array-reader.js';

/** An issue as its first event makes it. */
const issueOf = (name: string, message: string, culprit: string | null = null) =>
  sampleIssue(1, { error_name: name, message, title: `${name}: ${parameterize(message)}`, culprit });
const issueOfTitle = (title: string) => {
  const [, name = '', message = ''] = /^(\S+): (.*)$/.exec(title) ?? [];
  return issueOf(name, message);
};
const fitted = (titles: readonly string[], cells: number): string[] =>
  fitTitles(titles.map(issueOfTitle), cells).map(textOf);

const POOL = 'PoolTimeoutError: no connection to payments-db-2 within 3032 ms (40 waiting)';
const FETCH = 'FetchError: GET https://shop.example/api/v1/products/1592 timed out after 8002 ms';
const CARD = 'CardDeclinedError: issuer declined order 434113: insufficient funds';
const HONOUR = 'CardDeclinedError: issuer declined order 908220: do not honour';
const SECURITY =
  "SecurityError: Failed to read the 'localStorage' property from 'Window': access is denied for this document";
const QUERY = 'QueryFailedError: duplicate key value violates unique constraint "orders_pkey"';
const LEDGER = 'com.shop.ledger.LedgerException: balance of account 88211 is off by 0.01 EUR';

describe('the title of an issue', () => {
  it.each([
    [POOL, 69, 'PoolTimeoutError: no connection to … within 3032 ms (40 waiting)'],
    [POOL, 48, 'PoolTimeoutError: no … 3032 ms (40 waiting)'],
    [FETCH, 69, 'FetchError: GET …/api/v1/products/1592 timed out after 8002 ms'],
    [FETCH, 48, 'FetchError: GET … timed out after 8002 ms'],
    [CARD, 69, CARD],
    [CARD, 48, 'CardDeclinedError: issuer … insufficient funds'],
    [HONOUR, 48, 'CardDeclinedError: issuer … do not honour'],
    ['UpstreamError: 502 from upstream swift after 3 tries', 48, 'UpstreamError: 502 from upstream … after 3 tries'],
    [SECURITY, 69, 'SecurityError: Failed to read … access is denied for this document'],
    [SECURITY, 48, 'SecurityError: Failed … denied for this document'],
    [QUERY, 69, 'QueryFailedError: duplicate key … unique constraint "orders_pkey"'],
    [QUERY, 48, 'QueryFailedError: duplicate key … "orders_pkey"'],
    [LEDGER, 69, 'LedgerException: balance of account 88211 is off by 0.01 EUR'],
    [LEDGER, 48, 'LedgerException: balance of … is off by 0.01 EUR'],
    [
      'MailError: mailbox of anna.berg@example.com is full (552)',
      48,
      'MailError: mailbox of …example.com is full (552)',
    ],
    [
      "ConnectionClosed: CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'",
      48,
      "ConnectionClosed: CONNECTION_… reason 'shutdown'",
    ],
    ['LimitError: too many tags: 5210 tags, limit 5000 tags', 48, 'LimitError: too many tags: … tags, limit … tags'],
    [CARD, 43, 'CardDeclinedError: … insufficient funds'],
    [POOL, 37, 'PoolTimeoutError: no … (40 waiting)'],
  ])('%j in %s cells', (title, cells, shown) => {
    expect(fitted([title], cells)).toEqual([shown]);
    expect(fitted([title], 300)).toEqual([title]);
  });

  it('mutes what differs between the events, and leaves out names that say nothing', () => {
    const muted = (issue: Parameters<typeof issueTitle>[0]): string[] =>
      issueTitle(issue).whole.flatMap(({ text, meaning }) => (meaning === 'muted' ? [text] : []));
    expect(muted(issueOfTitle(CARD))).toEqual(['434113']);
    expect(muted(issueOfTitle('DriverError: no answer of redis://cache:6379/4 after 3 tries'))).toEqual([
      'redis://cache:6379/4',
      '3',
    ]);
    expect(muted(issueOfTitle(LEDGER))).toEqual(['88211', '0.01 EUR']);
    expect(muted(sampleIssue(1, { error_name: 'E', title: 'Other: <n> of <n>', message: 'a 1 of 2' }))).toEqual([]);
    const text = (changes: object): string => textOf(issueTitle(sampleIssue(1, changes)).whole);
    expect(text({ title: 'order <n> is gone', error_name: 'Error', message: 'order 4711  is gone\r\nmore' })).toBe(
      'order 4711 is gone',
    );
    expect(text({ title: 'StockError in take', error_name: 'StockError', message: ' ' })).toBe('StockError in take');
  });

  it('shows where two rows of a window differ, else their culprits', () => {
    const lines = ['Job 7 of nightly import for tenant acme', 'Job 7 of nightly import for tenant zeta'];
    const titles = lines.map((line) => `JobError: ${line} ended with exit code 3 after retries`);
    expect(fitted(titles, 48)).toEqual([
      'JobError: Job 7 … acme ended with exit code 3 …',
      'JobError: Job 7 … zeta ended with exit code 3 …',
    ]);
    const twins = ['formatAddress (checkout/format.js)', 'total (cart/cart.js)', null].map((culprit) =>
      issueOf('TypeError', "Cannot read properties of undefined (reading 'total')", culprit),
    );
    expect(fitTitles(twins, 48).map(textOf)).toEqual([
      "TypeError: Cannot … 'total') · formatAddress",
      "TypeError: Cannot … (reading 'total') · total",
      "TypeError: Cannot read … (reading 'total')",
    ]);
  });

  it('is the same in two rows that differ in nothing', () => {
    const twin = issueOf('TypeError', "Cannot read properties of undefined (reading 'total')", 'total (cart/cart.js)');
    const shown = "TypeError: Cannot read … (reading 'total')";
    expect(fitTitles([twin, twin], 48).map(textOf)).toEqual([shown, shown]);
  });

  it('counts the merged issues behind it', () => {
    const merged = { ...issueOfTitle(CARD), merged: [sampleIssue(2).issue_id, sampleIssue(3).issue_id] };
    expect(fitTitles([merged], 48).map(textOf)).toEqual(['CardDeclinedError: … insufficient funds +2']);
  });

  it('is never wider than its cells, nor empty, and whole where it fits', () => {
    const text = fc
      .oneof(
        fc.string({ unit: 'grapheme', maxLength: 120 }),
        fc.array(fc.constantFrom('a', '漢字', '/x/y', '<n>', '42', '\u001b', '…', '👩‍👩‍👧', 'wordwordword', ' '), {
          maxLength: 60,
        }),
      )
      .map((one) => (typeof one === 'string' ? one : one.join('')));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 120 }),
        (texts, cells) => {
          const issues = texts.map(([name, message]) => issueOf(name, message, message));
          for (const line of fitTitles(issues, cells)) expect(lineCells(line)).toBeLessThanOrEqual(cells);
          for (const issue of issues) {
            const title = issueTitle(issue);
            const line = fitTitle(title, cells);
            expect(textOf(line) === '').toBe(textOf(title.whole) === '');
            if (lineCells(title.whole) <= cells) expect(line).toEqual(title.whole);
          }
        },
      ),
    );
  });
});
