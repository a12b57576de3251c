import fc from 'fast-check';
import { ISSUE_SORTS, type IssueListOptions } from '../../../core/contract/reader.js';
import { mergedIssueOrder } from '../../../core/merged/merged-issue-order.js';
import { createMergedReader } from '../../../core/merged/merged-reader.js';
import type { SourcesReader } from '../../../core/merged/source.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId, sampleTime } from '../array-reader.js';

const NOW_MS = Date.parse(sampleTime(5_000));

/** Merges array readers. */
function merge(...readers: ArrayReader[]): SourcesReader {
  return createMergedReader(
    readers.map((reader, index) => ({ name: `s${index}`, address: `/${index}`, open: async () => reader })),
    { nowMs: () => NOW_MS },
  );
}

async function readAll(reader: SourcesReader, options: IssueListOptions): Promise<IssueSummary[]> {
  const issues: IssueSummary[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await reader.listIssues({ ...options, ...(cursor !== undefined && { cursor }) });
    expect(page.issues.length).toBeLessThanOrEqual(options.limit ?? 50);
    issues.push(...page.issues);
    cursor = page.next_cursor;
  }
  return issues;
}

/** The part of an issue that one source has. */
const part = fc.record({
  number: fc.nat(160),
  count: fc.integer({ min: 1, max: 40 }),
  users: fc.nat(9),
  firstSeconds: fc.nat(1_000),
  lastSeconds: fc.integer({ min: 1_000, max: 5_000 }),
  level: fc.constantFrom('fatal', 'error', 'info'),
  status: fc.constantFrom('open', 'resolved', 'ignored'),
  regressed: fc.boolean(),
  environment: fc.constantFrom('production', 'staging', 'Test'),
  release: fc.constantFrom('v1', 'v2', 'v3'),
});

type Part = typeof part extends fc.Arbitrary<infer Value> ? Value : never;

const toIssue = ({ number, firstSeconds, lastSeconds, status, ...given }: Part): IssueSummary =>
  sampleIssue(number, {
    service: `service${number % 4}`,
    count: given.count,
    users: given.users,
    level: given.level,
    status,
    regressed: status === 'open' && given.regressed,
    first_seen: sampleTime(firstSeconds),
    last_seen: sampleTime(lastSeconds),
    environments: [given.environment],
    releases: [given.release],
    trend: Array.from({ length: 24 }, (_, hour) => (hour === 23 ? given.count : 0)),
  });

const source = fc.uniqueArray(part, { maxLength: 130, selector: ({ number }) => number });

describe('a merged list of issues', () => {
  it('shows every issue once, in order, with the sums of all sources, for any distribution', async () => {
    const options = fc.record({
      sort: fc.constantFrom(...ISSUE_SORTS),
      limit: fc.constantFrom(1, 7, 60, 500),
      query: fc.constantFrom('', 'count:>5', 'env:production OR level:fatal'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(source, { minLength: 2, maxLength: 3 }), options, async (sources, order) => {
        const lists = sources.map((parts) => parts.map(toIssue));
        const reader = merge(...lists.map((issues) => createArrayReader({ issues, nowMs: NOW_MS })));
        const listed = await readAll(reader, order);

        const found = new Set<string>();
        for (const issues of lists) {
          const { query } = order;
          const { issues: matching } = await createArrayReader({ issues }).listIssues({ query, limit: 500 });
          for (const { issue_id } of matching) found.add(issue_id);
        }
        expect(listed.map(({ issue_id }) => issue_id).sort()).toEqual([...found].sort());
        for (const issue of listed) {
          const held = lists.flatMap((issues) => issues.filter(({ issue_id }) => issue_id === issue.issue_id));
          expect(issue.count).toBe(held.reduce((sum, { count }) => sum + count, 0));
          expect(issue.users).toBe(held.reduce((sum, { users }) => sum + users, 0));
          expect(issue.last_seen).toBe(
            held
              .map(({ last_seen }) => last_seen)
              .sort()
              .at(-1),
          );
          expect(issue.first_seen).toBe(held.map(({ first_seen }) => first_seen).sort()[0]);
        }
        // A query may match the part of an issue in one source only, and then the issue is listed there.
        if (order.query !== '') return;
        const { compareValue } = mergedIssueOrder(order.sort, NOW_MS);
        for (const [index, issue] of listed.entries()) {
          const before = listed[index - 1];
          if (before === undefined) continue;
          expect(compareValue(before, issue)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });

  it('counts an issue of two sources once as soon as it is listed', async () => {
    const both = [sampleIssue(1), sampleIssue(2)];
    const reader = merge(createArrayReader({ issues: both }), createArrayReader({ issues: [...both, sampleIssue(3)] }));
    const page = await reader.listIssues();
    expect(page.issues.map(({ issue_id }) => issue_id)).toEqual([1, 2, 3].map(sampleIssueId));
    expect(page.total).toBe(3);
    expect(reader.ownersOf(sampleIssueId(1))).toEqual(['s0', 's1']);
    expect(reader.ownersOf(sampleIssueId(3))).toEqual(['s1']);
  });

  it('takes times and level of an issue from the sources where an event counts', async () => {
    const times = { first_seen: sampleTime(3), last_seen: sampleTime(5) };
    const counting = sampleIssue(1, { ...times, count: 4, level: 'error' });
    const repeats = { count: 0, removed_events: 0, repeated: 2, first_seen: sampleTime(1), last_seen: sampleTime(9) };
    const sources = [
      counting,
      sampleIssue(1, { ...repeats, level: 'warning' }),
      sampleIssue(1, { ...times, count: 1 }),
    ];
    const reader = merge(...sources.map((issue) => createArrayReader({ issues: [issue] })));
    const { issues } = await reader.listIssues();
    expect(issues).toMatchObject([{ ...times, count: 5, repeated: 2, level: 'error' }]);
  });

  it('combines an issue from all its sources', async () => {
    const early = sampleIssue(1, {
      title: 'as it was first seen',
      first_seen: sampleTime(1),
      last_seen: sampleTime(5),
      status: 'resolved',
      environments: ['staging'],
      releases: ['v1', 'v2'],
      level: 'error',
      removed_events: 2,
      trend: [0, 1, 2],
    });
    const late = sampleIssue(1, {
      title: 'as it was seen later',
      first_seen: sampleTime(3),
      last_seen: sampleTime(9),
      status: 'open',
      regressed: true,
      assignee: 'anna',
      environments: ['production', 'staging'],
      releases: ['v2', 'v3'],
      level: 'fatal',
      trend: [5, 0, 1],
    });
    const reader = merge(createArrayReader({ issues: [late] }), createArrayReader({ issues: [early] }));
    const [row] = (await reader.listIssues()).issues;
    expect(row).toMatchObject({
      title: 'as it was first seen',
      level: 'fatal',
      status: 'open',
      regressed: true,
      assignee: 'anna',
      count: 2,
      removed_events: 2,
      first_seen: sampleTime(1),
      last_seen: sampleTime(9),
      environments: ['production', 'staging'],
      releases: ['v1', 'v2', 'v3'],
      trend: [5, 1, 3],
    });
    expect(await reader.getIssue(sampleIssueId(1))).toMatchObject({ ...row });
  });

  it('reads the issues of a page from other sources in one batch', async () => {
    const lists = [0, 1].map((offset) => Array.from({ length: 40 }, (_, index) => sampleIssue(2 * index + offset)));
    const readers = lists.map((issues) => createArrayReader({ issues }));
    await merge(...readers).listIssues({ limit: 50 });
    expect(readers.map(({ calls }) => calls.length)).toEqual([2, 2]);
  });

  it('rejects an invalid query, and a cursor of another list', async () => {
    const reader = merge(...[1, 2].map((number) => createArrayReader({ issues: [sampleIssue(number)] })));
    await expect(reader.listIssues({ query: 'a (b' })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    const { next_cursor: cursor } = await reader.listIssues({ limit: 1 });
    expect(cursor).not.toBeNull();
    for (const wrong of [cursor ?? '', 'nonsense', '', Buffer.from('[1]').toString('base64url')]) {
      await expect(reader.listIssues({ sort: 'count', cursor: wrong })).rejects.toMatchObject({
        code: 'CURSOR_INVALID',
      });
    }
    expect(reader.sources().map(({ kind }) => kind)).toEqual(['connected', 'connected']);
  });
});
