import fc from 'fast-check';
import {
  type FailureReader,
  ISSUE_SORTS,
  type IssueListOptions,
  type IssueSort,
} from '../../../../core/contract/reader.js';
import type { ActionRequest, IssueSummary } from '../../../../generated/reader-answers.js';
import { issueOrder } from '../../../helpers/issue-order.js';
import { closeStores, storeInMemory } from '../store-under-test.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

afterEach(closeStores);

const MS_PER_HOUR = 3_600_000;

/** All pages of a list. */
async function everyIssue(reader: FailureReader, options: IssueListOptions): Promise<IssueSummary[]> {
  const issues: IssueSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.listIssues({ ...options, ...(cursor !== undefined && { cursor }) });
    issues.push(...page.issues);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return issues;
}

const ids = (issues: readonly IssueSummary[]): string[] => issues.map(({ issue_id }) => issue_id);

const event = fc.record({
  error_name: fc.integer({ min: 0, max: 30 }).map((number) => `${'abAB'.charAt(number % 4)}${number}`),
  app: fc.constantFrom('shop', 'Shop', 'ops'),
  service: fc.constantFrom('api', 'API', 'web', 'a b', ''),
  env: fc.constantFrom('production', 'Staging', 'test'),
  release: fc.constantFrom('v1', 'V2', 'v10', null),
  level: fc.constantFrom('fatal', 'critical', 'error', 'warning', 'info', 'debug', 'trace', 'odd', null),
  user_id: fc.constantFrom('u-1', 'u-2', 'u-3', null),
  timestamp: fc.constantFrom(0, 1, 5, 30).map((hours) => new Date(TEN_O_CLOCK_MS - hours * MS_PER_HOUR).toISOString()),
});

/** Steps of a run. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.array(event, { minLength: 1, maxLength: 25 }) },
  { weight: 2, arbitrary: fc.constantFrom('resolve', 'ignore', 'merge' as const) },
  { weight: 1, arbitrary: fc.constantFrom(MS_PER_HOUR, 25 * MS_PER_HOUR) },
);

describe('an issue list', () => {
  it('pages in every order through all issues once, as a simple sort of all of them does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 2, maxLength: 8 }), async (happenings) => {
        const { reader, store, clock, append } = await storeInMemory();
        for (const one of happenings) {
          if (Array.isArray(one)) await append(...one);
          else if (typeof one === 'number') clock.nowMs += one;
          else {
            const [first, second] = (await reader.listIssues({ sort: 'count' })).issues;
            if (first === undefined || second === undefined) continue;
            const merge: ActionRequest = { action: 'merge', issues: [second.issue_id] };
            await store.act(first.issue_id, one === 'merge' ? merge : { action: one === 'resolve' ? one : 'ignore' });
          }
          for (const sort of ISSUE_SORTS) {
            const listed = await everyIssue(reader, { sort, limit: 11 });
            expect([sort, ids(listed)]).toEqual([sort, ids(listed.toSorted(issueOrder(sort, clock.nowMs)))]);
            expect(new Set(ids(listed)).size).toBe((await reader.listIssues({ limit: 1 })).total);
          }
        }
        await closeStores();
      }),
      // A run takes 50 ms.
      { numRuns: 8 },
    );
  });

  it.each(ISSUE_SORTS)(
    'keeps its order by %s for very many issues, and while issues arrive',
    async (sort: IssueSort) => {
      const { reader, append, clock } = await storeInMemory();
      const name = (number: number): string => `${String((number * 7919) % 1000).padStart(4, '0')}`;
      const events = Array.from({ length: 1000 }, (_, number) => ({
        error_name: name(number),
        service: `s${number % 9}`,
        release: `r${name(number)}`,
        env: ['a', 'B', 'c'][number % 3] ?? 'a',
        user_id: `u-${number % 5}`,
      }));
      await append(...events.slice(0, 700));
      const first = await reader.listIssues({ sort, limit: 500 });
      expect(ids(first.issues)).toEqual(ids(first.issues.toSorted(issueOrder(sort, clock.nowMs))));
      await append(...events.slice(700));
      const rest = await everyIssue(reader, { sort, limit: 500, cursor: first.next_cursor ?? '' });
      expect(ids(rest)).toEqual(ids(rest.toSorted(issueOrder(sort, clock.nowMs))));
      expect(new Set(ids([...first.issues, ...rest])).size).toBe(500 + rest.length);
      const all = await everyIssue(reader, { sort, limit: 500 });
      expect(all).toHaveLength(1000);
      expect(ids(all)).toEqual(ids(all.toSorted(issueOrder(sort, clock.nowMs))));
    },
  );

  it('rejects a cursor of another sort', async () => {
    const { reader, append } = await storeInMemory();
    await append({ error_name: 'A' }, { error_name: 'B' });
    const { next_cursor: cursor } = await reader.listIssues({ limit: 1, sort: 'count' });
    await expect(reader.listIssues({ cursor: cursor ?? '' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
  });
});

describe('the counts of issues', () => {
  it('count the matches of a query in each state, a merged group as one', async () => {
    const { reader, store, clock, append } = await storeInMemory();
    const stored = await append(...Array.from({ length: 8 }, (_, number) => ({ error_name: `E${number}` })));
    const id = (index: number) => stored[index]?.issue_id ?? stored[0]?.issue_id;
    const act = async (index: number, request: Parameters<typeof store.act>[1]) => {
      const issueId = id(index);
      if (issueId !== undefined) await store.act(issueId, request);
    };
    clock.nowMs += 25 * MS_PER_HOUR;
    await act(0, { action: 'resolve' });
    await act(1, { action: 'resolve' });
    await act(2, { action: 'ignore' });
    await act(3, { action: 'merge', issues: [id(4)].filter((one) => one !== undefined) });
    await append({ error_name: 'E1' }, { error_name: 'New', level: 'fatal' });
    await act(5, { action: 'assign', assignee: 'Ada' });
    const expected = { all: 8, open: 6, review: 2, mine: 0, new: 1, regressed: 1, ignored: 1, resolved: 1, spiking: 0 };
    expect(await reader.countIssues()).toEqual(expected);
    expect(await reader.countIssues({ query: 'is:open' })).toEqual({ ...expected, all: 6, ignored: 0, resolved: 0 });
    expect(await reader.countIssues({ me: 'ada' })).toEqual({ ...expected, mine: 1 });
    const one = { ...expected, all: 1, open: 1, review: 1, regressed: 0, ignored: 0, resolved: 0 };
    expect(await reader.countIssues({ query: 'level:fatal' })).toEqual(one);
    await expect(reader.countIssues({ query: 'nosuch:x' })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    for (const [name, query] of Object.entries({ new: 'is:new', spiking: 'is:spiking', regressed: 'is:regressed' })) {
      const { total } = await reader.listIssues({ query });
      expect(await reader.countIssues()).toMatchObject({ [name]: total });
    }
  });

  it('count spiking issues as the query does', async () => {
    const { reader, clock, append } = await storeInMemory();
    await append({ error_name: 'Old' }, { error_name: 'Quiet' });
    clock.nowMs += 20 * MS_PER_HOUR;
    await append(...Array.from({ length: 40 }, () => ({ error_name: 'Old' })));
    expect((await reader.listIssues({ query: 'is:spiking' })).total).toBe(1);
    expect(await reader.countIssues()).toMatchObject({ all: 2, spiking: 1 });
  });
});
