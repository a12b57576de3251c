import type { FailureReader } from '../../core/contract/reader.js';
import { toEventId, toIssueId } from '../../core/event/ids.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { kindOfFailure, serverPayload } from '../helpers/payloads.js';

/** A reader over payloads that were stored in this order, and a way to store more. */
export interface ReaderUnderTest {
  readonly reader: FailureReader;
  store(payloads: readonly RawPayload[]): Promise<void>;
  close(): Promise<void>;
}

const ABSENT = '019a0000-0000-7000-8000-000000000000';

/** What every implementation of `FailureReader` promises (core/contract/reader.ts). */
export function describeFailureReader(
  name: string,
  open: (payloads: readonly RawPayload[]) => Promise<ReaderUnderTest>,
): void {
  describe(`FailureReader ${name}`, () => {
    const startMs = Date.now() - 7_200_000;
    const at = (minute: number): string => new Date(startMs + minute * 60_000).toISOString();

    it('answers empty lists and zeroes over an empty store, and undefined for what is not there', async () => {
      const { reader, close } = await open([]);
      expect(await reader.listIssues()).toEqual({ issues: [], next_cursor: null, total: 0 });
      expect(await reader.getIssue(toIssueId(ABSENT) ?? never())).toBeUndefined();
      expect(await reader.listEvents(toIssueId(ABSENT) ?? never())).toBeUndefined();
      expect(await reader.getEvent(toEventId(ABSENT) ?? never())).toBeUndefined();
      expect(await reader.stats()).toMatchObject({ events: 0, issues: 0 });
      await close();
    });

    it('gives an event in both forms, with its address and notes', async () => {
      const payload = serverPayload({ timestamp: 'yesterday', level: null, extra: null });
      const { reader, close } = await open([payload]);
      const [issue] = (await reader.listIssues()).issues;
      const page = await reader.listEvents(issue?.issue_id ?? never());
      const event = await reader.getEvent(page?.events[0]?.event_id ?? never());
      expect(event?.raw.payload).toEqual(payload);
      expect(event?.raw.path).toMatch(/\/raw\/production\/api\/shop\/\d{4}\/\d\d\/\d\d\/\d\d\/raw\.ndjson$/);
      expect(event?.raw.line).toBe(0);
      expect(event?.normalized).toMatchObject({
        level: 'error',
        extra: {},
        type: 'exception',
        fingerprint: issue?.fingerprint,
      });
      expect(Object.keys(event?.normalized ?? {})).toHaveLength(20);
      expect(event?.notes).toEqual([expect.objectContaining({ code: 'TIMESTAMP_UNPARSEABLE', field: '/timestamp' })]);
      await close();
    });

    it('lists issues in each order, with counts, times and where they were seen', async () => {
      const { reader, close } = await open([
        kindOfFailure(1, { timestamp: at(5), env: 'b' }),
        kindOfFailure(2, { timestamp: at(9), release: null }),
        kindOfFailure(1, { timestamp: at(1), env: 'a', release: 'v2', level: 'critical' }),
      ]);
      const order = async (sort: 'last_seen' | 'first_seen' | 'count'): Promise<string[]> =>
        (await reader.listIssues({ sort })).issues.map((issue) => issue.error_name);
      // Both were seen days ago, which is one step: the more severe one comes first.
      expect(await order('last_seen')).toEqual(['FailureBError', 'FailureCError']);
      expect(await order('first_seen')).toEqual(['FailureCError', 'FailureBError']);
      expect(await order('count')).toEqual(['FailureBError', 'FailureCError']);
      const [first] = (await reader.listIssues({ sort: 'count' })).issues;
      expect(first).toMatchObject({
        count: 2,
        environments: ['a', 'b'],
        releases: ['v1.4.2', 'v2'],
        level: 'critical',
        status: 'open',
        regressed: false,
      });
      expect(first?.first_seen.slice(0, 23)).toBe(at(1).slice(0, 23));
      expect(first?.last_seen.slice(0, 23)).toBe(at(5).slice(0, 23));
      expect(first?.trend).toHaveLength(24);
      expect(first?.trend.reduce((sum, hour) => sum + hour, 0)).toBe(2);
      expect(await reader.getIssue(first?.issue_id ?? never())).toMatchObject({
        ...first,
        basis: { version: 4 },
        history: [],
        related: [],
      });
      await close();
    });

    it('pages through issues and events by cursor: nothing twice, nothing left out, also while more arrive', async () => {
      const kinds = Array.from({ length: 7 }, (_, kind) => kindOfFailure(kind, { timestamp: at(kind) }));
      const { reader, store, close } = await open([
        ...kinds,
        ...Array.from({ length: 6 }, (_, place) => kindOfFailure(3, { request_id: `r-${place}`, timestamp: at(3) })),
      ]);
      const issues: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await reader.listIssues({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
        issues.push(...page.issues.map((issue) => issue.issue_id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(new Set(issues).size).toBe(7);
      expect(issues).toHaveLength(7);

      const frequent = (await reader.listIssues({ sort: 'count', limit: 1 })).issues[0]?.issue_id ?? never();
      const first = await reader.listEvents(frequent, { limit: 4 });
      await store([kindOfFailure(3, { request_id: 'late' })]);
      const second = await reader.listEvents(frequent, { limit: 4, cursor: first?.next_cursor ?? never() });
      const requests = [...(first?.events ?? []), ...(second?.events ?? [])].map((event) => event.request_id);
      expect(requests).toEqual(['r-5', 'r-4', 'r-3', 'r-2', 'r-1', 'r-0', 'req-1']);
      expect(second?.next_cursor).toBeNull();
      await close();
    });

    it('filters issues and events by the query language, and names the column of a mistake', async () => {
      const { reader, close } = await open([
        kindOfFailure(1, { env: 'staging', user_id: 'u-1' }),
        kindOfFailure(1, { user_id: 'u-2' }),
        kindOfFailure(2),
      ]);
      const found = await reader.listIssues({ query: 'env:staging' });
      expect(found).toMatchObject({ total: 1, issues: [{ error_name: 'FailureBError', count: 2 }] });
      expect(await reader.listEvents(found.issues[0]?.issue_id ?? never(), { query: 'user_id:u-2' })).toMatchObject({
        events: [{ user_id: 'u-2', tags: { region: 'eu-west' } }],
      });
      expect(await reader.listIssues({ query: '-env:staging' })).toMatchObject({ total: 1 });
      expect(await reader.listIssues({ query: 'level:>=err level:[err, warn]' })).toMatchObject({ total: 2 });
      expect(await reader.listIssues({ query: 'level:"err"' })).toMatchObject({ total: 0 });
      await expect(reader.listIssues({ query: 'nosuch:thing' })).rejects.toMatchObject({
        code: 'QUERY_INVALID',
        message: expect.stringMatching(/column 1\b/),
      });
      await expect(reader.listIssues({ cursor: 'nonsense' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
      await close();
    });

    it('lists the first 16 tags of events by key, and cuts long values', async () => {
      const keys = Array.from({ length: 20 }, (_, index) => `k${String(index).padStart(2, '0')}`);
      const tags = Object.fromEntries([...keys.toReversed(), '__proto__'].map((key) => [key, 'x'.repeat(200)]));
      Object.defineProperty(tags, 'a'.repeat(65), { value: 'long key', enumerable: true });
      const { reader, close } = await open([kindOfFailure(1, { tags })]);
      const [event] = (await reader.searchEvents()).events;
      expect(Object.keys(event?.tags ?? {}).sort()).toEqual(['__proto__', ...keys.slice(0, 15)]);
      expect(event?.tags['k00']).toBe('x'.repeat(128));
      await close();
    });

    it('counts issues by state, and tells what the events of one have in common', async () => {
      const { reader, close } = await open([
        kindOfFailure(1, { env: 'staging', user_id: 'u-1', timestamp: at(1) }),
        kindOfFailure(1, { user_id: 'u-2', tags: { region: 'eu' }, timestamp: at(2) }),
        kindOfFailure(2, { timestamp: at(3) }),
      ]);
      expect(await reader.countIssues()).toMatchObject({ all: 2, open: 2, new: 0, resolved: 0, ignored: 0 });
      expect(await reader.countIssues({ query: 'env:staging' })).toMatchObject({ all: 1, open: 1 });
      const values = await reader.listValues({ field: 'env', prefix: 'STA', query: 'env:staging' });
      expect(values).toEqual({ values: [{ value: 'staging', count: 1 }], total: 1 });
      expect((await reader.listValues({ field: 'level', query: 'count:<0' })).values[0]?.count).toBe(0);
      await expect(reader.listValues({ field: 'count' })).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
      await expect(reader.countIssues({ query: 'nosuch:x' })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
      const [issue] = (await reader.listIssues({ sort: 'count', limit: 1 })).issues;
      const issueId = issue?.issue_id ?? never();
      const summary = await reader.summarizeEvents(issueId, { buckets: 2 });
      expect(summary).toMatchObject({ looked_at: 2, matched: 2, total: 2, histogram: { is_complete: true } });
      expect(summary?.histogram.counts).toEqual([1, 1]);
      expect(summary?.facets.find(({ field }) => field === 'tags.region')).toMatchObject({
        values: [
          { value: 'eu', count: 1 },
          { value: 'eu-west', count: 1 },
        ],
      });
      expect(await reader.summarizeEvents(issueId, { query: 'user_id:u-2' })).toMatchObject({ matched: 1, total: 2 });
      await expect(reader.summarizeEvents(issueId, { from: 'soon' })).rejects.toMatchObject({
        code: 'PARAMETER_INVALID',
      });
      expect(await reader.summarizeEvents(toIssueId(ABSENT) ?? never())).toBeUndefined();
      expect(await reader.access()).toEqual({ actions: expect.any(Boolean) });
      await close();
    });

    it('lists releases, and what changed since an instant', async () => {
      // Rates are exact at whole hours only.
      const hourMs = Math.floor(startMs / 3_600_000) * 3_600_000;
      const at = (minute: number): string => new Date(hourMs + minute * 60_000).toISOString();
      const { reader, close } = await open([
        ...Array.from({ length: 6 }, (_, minute) => kindOfFailure(1, { timestamp: at(minute), release: 'v1' })),
        ...Array.from({ length: 6 }, (_, minute) => kindOfFailure(2, { timestamp: at(minute), release: 'v1' })),
        kindOfFailure(3, { timestamp: at(70), release: 'v2' }),
        kindOfFailure(3, { timestamp: at(75), release: null }),
        ...Array.from({ length: 30 }, (_, minute) => kindOfFailure(2, { timestamp: at(61 + minute), release: 'v2' })),
      ]);
      expect(await reader.listReleases()).toEqual({
        releases: [
          expect.objectContaining({ name: 'v2', first_seen: expect.stringContaining(at(61).slice(0, 19)), events: 31 }),
          expect.objectContaining({ name: 'v1', first_seen: expect.stringContaining(at(0).slice(0, 19)), events: 12 }),
        ],
        total: 2,
      });
      expect((await reader.listReleases({ limit: 1 })).releases.map(({ name }) => name)).toEqual(['v2']);
      const since = { from: at(60), before: at(0) };
      const { issues, counts } = await reader.listIssuesSince(since);
      expect(counts).toEqual({ new: 1, came_back: 0, more: 1, quiet: 1 });
      expect(issues.map(({ issue }) => issue.error_name)).toEqual(['FailureDError']);
      const [more] = (await reader.listIssuesSince({ ...since, kind: 'more' })).issues;
      expect(more).toMatchObject({ issue: { error_name: 'FailureCError' } });
      expect(more?.rate).toBeGreaterThan(2 * (more?.rate_before ?? 0));
      const [quiet] = (await reader.listIssuesSince({ ...since, kind: 'quiet', limit: 1 })).issues;
      expect(quiet?.issue.error_name).toBe('FailureBError');
      await close();
    });

    it('refuses to answer once it is closed, and may be closed twice', async () => {
      const { reader, close } = await open([serverPayload()]);
      await reader.close();
      await reader.close();
      await expect(reader.listIssues()).rejects.toMatchObject({ code: 'READER_CLOSED' });
      await close();
    });
  });
}

function never(): never {
  throw new Error('it is not there');
}
