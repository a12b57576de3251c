import fc from 'fast-check';
import type { EventSummaryOptions, FailureReader } from '../../../../core/contract/reader.js';
import { type IssueId, toIssueId } from '../../../../core/event/ids.js';
import { printValue } from '../../../../core/query/print-query.js';
import { openFolderReader } from '../../../../core/storage/folder-reader.js';
import { summaryOfEvents } from '../../../helpers/summary-of-events.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { closeStores, createTestGrouper, storeInMemory, storeUnderTest } from '../store-under-test.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const FIELDS = ['env', 'release', 'service', 'level', 'status_code', 'route', 'user_id'];

async function onlyIssue(reader: FailureReader): Promise<IssueId> {
  const [issue] = (await reader.listIssues()).issues;
  if (issue === undefined) throw new Error('no issue');
  return issue.issue_id;
}

/** A simple count over all events of an issue. */
async function simpleSummary(reader: FailureReader, issueId: IssueId, options: EventSummaryOptions) {
  const issue = await reader.getIssue(issueId);
  if (issue === undefined) throw new Error('no issue');
  const page = await reader.listEvents(issueId, { limit: 500 });
  const events = await Promise.all((page?.events ?? []).map(({ event_id }) => reader.getEvent(event_id)));
  return summaryOfEvents(
    issue,
    events.filter((event) => event !== undefined),
    options,
  );
}

const payload = fc.record({
  env: fc.constantFrom('production', 'staging'),
  level: fc.constantFrom('error', 'fatal', null),
  release: fc.option(fc.constantFrom('v1', 'v2')),
  route: fc.constantFrom('', '/cart', '/pay'),
  status_code: fc.option(fc.constantFrom(404, 500)),
  user_id: fc.option(fc.integer({ min: 0, max: 25 }).map((number) => `u-${number}`)),
  tags: fc.dictionary(fc.constantFrom('region', '__proto__', 'a key', 'constructor'), fc.constantFrom('eu', 'us', '')),
  timestamp: fc.integer({ min: 0, max: 3_000_000 }).map((ms) => new Date(TEN_O_CLOCK_MS - ms).toISOString()),
  message: fc.constantFrom('alpha', 'beta'),
  extra: fc.constantFrom(null, null, { faultline: { sampled: 40 } }),
});

describe('the summary of an issue', () => {
  it('equals a count over all its events, for every query and range', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(payload, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 4 }),
        async (commits) => {
          const { reader, append } = await storeInMemory();
          for (const commit of commits) await append(...commit);
          const issueId = await onlyIssue(reader);
          const from = new Date(TEN_O_CLOCK_MS - 2_000_000).toISOString();
          const to = new Date(TEN_O_CLOCK_MS - 700_000).toISOString();
          for (const options of [
            {},
            { query: 'alpha' },
            { from, to },
            { query: 'beta', from, buckets: 7 },
            { to, buckets: 1 },
          ]) {
            expect(await reader.summarizeEvents(issueId, options)).toEqual(
              await simpleSummary(reader, issueId, options),
            );
          }
          await closeStores();
        },
      ),
      // A run takes 60 ms.
      { numRuns: 8 },
    );
  });

  it('counts a merged group as one issue, by any of its members', async () => {
    const { reader, store, append } = await storeInMemory();
    const stored = await append({ error_name: 'A' }, { error_name: 'A' }, { error_name: 'B', env: 'staging' });
    const [a, , b] = stored.map(({ issue_id }) => issue_id);
    if (a === undefined || b === undefined) throw new Error('nothing was stored');
    await store.act(a, { action: 'merge', issues: [b] });
    const summary = await reader.summarizeEvents(a, { buckets: 1 });
    expect(summary).toMatchObject({ histogram: { counts: [3] }, looked_at: 3, matched: 3, total: 3 });
    expect(summary?.facets[0]?.values).toEqual([
      { value: 'production', count: 2 },
      { value: 'staging', count: 1 },
    ]);
    expect(await reader.summarizeEvents(b, { buckets: 1 })).toEqual(summary);
  });

  it('scans the newest 5,000 events and has the times of all', async () => {
    const { reader, append } = await storeInMemory();
    for (let commit = 0; commit < 6; commit += 1) {
      await append(...Array.from({ length: 1000 }, () => ({ env: commit === 0 ? 'old' : 'new' })));
    }
    const summary = await reader.summarizeEvents(await onlyIssue(reader));
    expect(summary?.total).toBe(6000);
    // A slow machine scans fewer.
    expect(summary?.looked_at).toBeLessThanOrEqual(5000);
    expect(summary?.matched).toBe(summary?.looked_at);
    expect(summary?.facets[0]?.values).toEqual([{ value: 'new', count: summary?.looked_at }]);
    if (summary?.histogram.is_complete === true) {
      expect(summary.histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(6000);
    }
  });

  it('shows ten values of a field and sixteen tags, and each value as a filter finds as many events', async () => {
    const { reader, append } = await storeInMemory();
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, number) => [`t${number}`, 'x']));
    const odd = JSON.parse('{"__proto__":"a \\"quoted\\" *","a key":"x:y","":"empty","toString":"1..2","x*":"\\\\"}');
    await append({ tags: { ...many } });
    await append(
      ...Array.from({ length: 30 }, (_, number) => ({
        tags: odd,
        user_id: `user ${number % 15}`,
        route: 'y'.repeat(2000),
      })),
    );
    const issueId = await onlyIssue(reader);
    const facets = (await reader.summarizeEvents(issueId))?.facets ?? [];
    expect(facets.slice(0, 7).map(({ field }) => field)).toEqual(FIELDS);
    expect(facets).toHaveLength(7 + 16);
    expect(facets.slice(7, 12).map(({ field }) => field)).toEqual([
      'tags.""',
      'tags.__proto__',
      'tags."a key"',
      'tags.toString',
      'tags.x*',
    ]);
    const users = facets.find(({ field }) => field === 'user_id');
    expect(users).toMatchObject({ others: 11, without: 0 });
    expect(users?.values).toHaveLength(10);
    // Too long for a query.
    expect(facets.find(({ field }) => field === 'route')).toMatchObject({ others: 30 });
    for (const { field, values } of facets.slice(0, 13)) {
      if (field === 'tags.""') continue;
      for (const { value, count } of values) {
        const query = `${field}:${printValue(value, 'text')}`;
        expect([query, (await reader.summarizeEvents(issueId, { query }))?.matched]).toEqual([query, count]);
      }
    }
  });

  it('covers a single event, and a range without events', async () => {
    const { reader, append } = await storeInMemory();
    await append({ timestamp: '2026-11-21T09:00:00.123456789Z' });
    const issueId = await onlyIssue(reader);
    const { histogram } = (await reader.summarizeEvents(issueId, { buckets: 10 })) ?? {};
    expect(histogram).toEqual({
      from: '2026-11-21T09:00:00.000000000+00:00',
      to: '2026-11-21T09:00:01.000000000+00:00',
      counts: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
      is_complete: true,
    });
    const later = await reader.summarizeEvents(issueId, { from: '2026-11-22T00:00:00Z', buckets: 2 });
    expect(later).toMatchObject({ histogram: { counts: [0, 0] }, matched: 0, total: 1 });
    const earlier = await reader.summarizeEvents(issueId, { to: '2026-11-20T00:00:00Z', buckets: 2 });
    expect(earlier).toMatchObject({ histogram: { counts: [0, 0] }, matched: 0, total: 1 });
    expect((await reader.summarizeEvents(issueId, { buckets: 0 }))?.histogram.counts).toHaveLength(1);
    expect((await reader.summarizeEvents(issueId, { buckets: 1e9 }))?.histogram.counts).toHaveLength(240);
  });

  it('rejects an invalid time, a range that ends before it begins, and an invalid query', async () => {
    const { reader, append } = await storeInMemory();
    await append({});
    const issueId = await onlyIssue(reader);
    const invalid = { code: 'PARAMETER_INVALID' };
    await expect(reader.summarizeEvents(issueId, { from: 'soon' })).rejects.toMatchObject(invalid);
    const reversed = { from: '2026-11-22T00:00:00Z', to: '2026-11-21T00:00:00Z' };
    await expect(reader.summarizeEvents(issueId, reversed)).rejects.toMatchObject(invalid);
    await expect(reader.summarizeEvents(issueId, { query: '(' })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    const absent = toIssueId('00000000-0000-5000-8000-000000000000');
    expect(absent && (await reader.summarizeEvents(absent))).toBeUndefined();
  });
});

describe('the capabilities of a reader', () => {
  it('allow actions in the writing process only', async () => {
    const { reader, directory } = await storeUnderTest();
    expect(await reader.access()).toEqual({ actions: true });
    const beside = await openFolderReader({ directory, createGrouper: createTestGrouper });
    expect(await beside.access()).toEqual({ actions: false });
    await beside.close();
    await expect(beside.access()).rejects.toMatchObject({ code: 'READER_CLOSED' });
  });
});
