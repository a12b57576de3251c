import { Fault } from '../../../core/event/fault.js';
import { createMergedReader } from '../../../core/merged/merged-reader.js';
import type { NamedSource, SourceReader } from '../../../core/merged/source.js';
import type { EventSummary } from '../../../generated/reader-answers.js';
import { createSingleReader } from '../../../tui/readers/open-sources.js';
import { waitFor } from '../../helpers/wait-for.js';
import { allowActions } from '../../tui/allow-actions.js';
import {
  type ArrayReader,
  createArrayReader,
  sampleEvent,
  sampleEventId,
  sampleIssue,
  sampleIssueId,
  sampleSuggestion,
  sampleTime,
} from '../../tui/array-reader.js';

const named = (name: string, reader: SourceReader): NamedSource => ({
  name,
  address: `/data/${name}`,
  open: async () => reader,
});

const unreachable = new Fault('COLLECTOR_UNREACHABLE', 'connection refused', { retryable: true });

/** `a` has issues 1 and 2, `b` has 2 and 3; both have event 12. */
function twoSources() {
  const a = createArrayReader({
    issues: [sampleIssue(1), sampleIssue(2, { last_seen: sampleTime(17) })],
    events: [10, 12, 14, 16].map((number) => sampleEvent(2, number)),
  });
  const b = createArrayReader({
    issues: [sampleIssue(2, { last_seen: sampleTime(17) }), sampleIssue(3)],
    events: [11, 12, 13, 15, 17].map((number) => sampleEvent(2, number)),
  });
  return { a, b };
}

describe('events of several sources', () => {
  it.each([1, 2, 3, 50])('are listed once each, newest first, in pages of %d', async (limit) => {
    const { a, b } = twoSources();
    const reader = createMergedReader([named('a', a), named('b', b)]);
    const events: EventSummary[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await reader.listEvents(sampleIssueId(2), { limit, ...(cursor !== undefined && { cursor }) });
      events.push(...(page?.events ?? []));
      cursor = page?.next_cursor ?? null;
    }
    expect(events.map(({ event_id }) => event_id)).toEqual([17, 16, 15, 14, 13, 12, 11, 10].map(sampleEventId));
  });

  it('do not move to a later page when new events arrive', async () => {
    const { a, b } = twoSources();
    const reader = createMergedReader([named('a', a), named('b', b)]);
    const first = await reader.listEvents(sampleIssueId(2), { limit: 3 });
    a.events.push(sampleEvent(2, 20), sampleEvent(2, 21), sampleEvent(2, 22), sampleEvent(2, 23));
    const second = await reader.listEvents(sampleIssueId(2), { limit: 3, cursor: first?.next_cursor ?? '' });
    expect(second?.events.map(({ event_id }) => event_id)).toEqual([14, 13, 12].map(sampleEventId));
  });

  it('are found by a search over all sources', async () => {
    const { a, b } = twoSources();
    const reader = createMergedReader([named('a', a), named('b', b)]);
    const first = await reader.searchEvents({ limit: 5 });
    expect(first.events).toHaveLength(5);
    expect(first.is_complete).toBe(false);
    const last = await reader.searchEvents({ limit: 5, cursor: first.next_cursor ?? '' });
    expect(last.events).toHaveLength(3);
    expect(last).toMatchObject({ next_cursor: null, is_complete: true, scanned: { events: 9 }, total: { events: 9 } });
  });

  it('are summarized in buckets of one range', async () => {
    const { a, b } = twoSources();
    const reader = createMergedReader([named('a', a), named('b', b)]);
    const summary = await reader.summarizeEvents(sampleIssueId(2), { buckets: 4 });
    expect(summary).toMatchObject({ matched: 9, total: 9 });
    const env = summary?.facets.find(({ field }) => field === 'env');
    expect(env?.values).toEqual([{ value: 'production', count: 9 }]);
  });

  it('are undefined if no source has the issue, and are fetched one by one from the source that has them', async () => {
    const { a, b } = twoSources();
    const reader = createMergedReader([named('a', a), named('b', b)]);
    expect(await reader.listEvents(sampleIssueId(9))).toBeUndefined();
    expect(await reader.summarizeEvents(sampleIssueId(9))).toBeUndefined();
    expect(await reader.getIssue(sampleIssueId(9))).toBeUndefined();
    expect(await reader.getEvent(sampleEventId(99))).toBeUndefined();
    expect((await reader.getEvent(sampleEventId(17)))?.event_id).toBe(sampleEventId(17));
  });
});

describe('statistics of several sources', () => {
  it('are summed, with receivers keyed by source', async () => {
    const { a, b } = twoSources();
    for (const reader of [a, b]) reader.endpoints = { events: 'http://localhost:4318' };
    const reader = createMergedReader([named('a', a), named('b', b)]);
    const stats = await reader.stats();
    expect(stats).toMatchObject({ events: 9, issues: 4, directory: '/data, /data' });
    expect(Object.keys(stats.endpoints)).toEqual(['a/events', 'b/events']);
    expect(stats.exporters).toEqual({});
    expect(await reader.countIssues()).toMatchObject({ all: 4, open: 4 });
    expect(reader.sources()).toMatchObject([
      { name: 'a', address: '/data/a', kind: 'connected', stats: { events: 4, issues: 2 } },
      { name: 'b', address: '/data/b', kind: 'connected', stats: { events: 5, issues: 2 } },
    ]);
  });
});

describe('a source that does not respond', () => {
  it('is left out with the reason, retried later, and included again', async () => {
    const { a, b } = twoSources();
    let nowMs = 1_000;
    const reader = createMergedReader([named('a', a), named('b', b)], { nowMs: () => nowMs });
    b.fault = unreachable;
    expect((await reader.listIssues()).issues.map(({ issue_id }) => issue_id)).toEqual([1, 2].map(sampleIssueId));
    expect(reader.sources()[1]).toMatchObject({ kind: 'lost', reason: 'connection refused', sinceMs: 1_000 });

    b.fault = undefined;
    const calls = b.calls.length;
    nowMs += 999;
    expect((await reader.listIssues()).issues).toHaveLength(2);
    expect(b.calls).toHaveLength(calls);
    nowMs += 1;
    expect((await reader.listIssues()).issues).toHaveLength(3);
    expect(reader.sources()[1]).toMatchObject({ kind: 'connected', reason: undefined, sinceMs: undefined });
  });

  it('keeps its position in a list that continues meanwhile', async () => {
    const a = createArrayReader({ issues: [1, 2, 5, 6].map((number) => sampleIssue(number, { count: number })) });
    const b = createArrayReader({ issues: [3, 4].map((number) => sampleIssue(number, { count: number })) });
    let nowMs = 1_000;
    const reader = createMergedReader([named('a', a), named('b', b)], { nowMs: () => nowMs });
    const first = await reader.listIssues({ limit: 2 });
    b.fault = unreachable;
    const second = await reader.listIssues({ limit: 1, cursor: first.next_cursor ?? '' });
    b.fault = undefined;
    nowMs += 10_000;
    const third = await reader.listIssues({ limit: 5, cursor: second.next_cursor ?? '' });
    const listed = [first, second, third].flatMap(({ issues }) => issues.map(({ issue_id }) => issue_id));
    expect(listed).toEqual([6, 5, 4, 3, 2, 1].map(sampleIssueId));
  });

  it('is left out after a timeout, and its late response is used by the next call', async () => {
    const { a, b } = twoSources();
    let respond: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const slow: ArrayReader = { ...b, listIssues: async (options) => held.then(() => b.listIssues(options)) };
    const reader = createMergedReader([named('a', a), named('b', slow)], { waitMs: 20 });
    expect((await reader.listIssues()).issues).toHaveLength(2);
    expect(reader.sources()[1]).toMatchObject({ kind: 'lost', reason: 'no response within 20 ms' });
    respond?.();
    await waitFor('the late response', async () => (await reader.listIssues()).issues.length === 3);
    expect(reader.sources()[1]).toMatchObject({ kind: 'connected' });
  });

  it('fails a call if no source responds, or if only the lost source may have the result', async () => {
    const { a, b } = twoSources();
    const reader = createMergedReader([named('a', a), named('b', b)]);
    b.fault = unreachable;
    const lost = { code: 'COLLECTOR_UNREACHABLE', retryable: true };
    expect(await reader.getIssue(sampleIssueId(1))).toBeDefined();
    await expect(reader.getIssue(sampleIssueId(3))).rejects.toMatchObject(lost);
    await expect(reader.listEvents(sampleIssueId(3))).rejects.toMatchObject(lost);
    a.fault = new Fault('STORE_UNAVAILABLE', 'the disk is gone');
    await expect(reader.stats()).rejects.toMatchObject(lost);
    await expect(reader.listIssues()).rejects.toThrow(/the disk is gone.*connection refused/);
  });

  it('is reopened if it is configured so, and if it could not be opened', async () => {
    const { a, b } = twoSources();
    let nowMs = 0;
    let opened = 0;
    let closed = 0;
    const replaced: NamedSource = {
      ...named('b', b),
      isReopened: true,
      open: async () => {
        opened += 1;
        if (opened === 1) throw new Fault('FOLDER_NOT_FOUND', 'no folder yet');
        return {
          ...b,
          close: async () => {
            closed += 1;
          },
        };
      },
    };
    const reader = createMergedReader([named('a', a), replaced], { nowMs: () => nowMs });
    const read = async (): Promise<number> => {
      nowMs += 60_000;
      return (await reader.listIssues()).issues.length;
    };
    expect(await read()).toBe(2);
    expect(reader.sources()[1]).toMatchObject({ kind: 'lost', reason: 'no folder yet' });
    expect(await read()).toBe(3);
    b.fault = new Fault('INDEX_UNUSABLE', 'another folder');
    // What was read before stays.
    expect(await read()).toBe(3);
    b.fault = undefined;
    expect(await read()).toBe(3);
    expect(opened).toBe(3);
    await reader.close();
    await reader.close();
    expect(closed).toBe(2);
    await expect(reader.listIssues()).rejects.toThrow('closed');
  });
});

describe('suggestions of several sources', () => {
  it('are listed together, and decided about in a writable source that has them', async () => {
    const { a, b } = twoSources();
    for (const source of [a, b]) source.suggested = { suggestions: [sampleSuggestion(1)], decided: [] };
    allowActions(b).suggested.suggestions.push(sampleSuggestion(2));
    const reader = createMergedReader([named('a', a), named('b', b)]);
    expect((await reader.suggestions()).suggestions).toHaveLength(3);
    await reader.access();
    expect(await reader.decide?.(sampleSuggestion(1).id, 'accept')).toMatchObject({ issues_after: 12 });
    expect([a.suggested.decided, b.suggested.decided]).toMatchObject([[], [{ state: 'accepted' }]]);
    const unknown = reader.decide?.(sampleSuggestion(9).id, 'accept');
    await expect(unknown).rejects.toMatchObject({ code: 'SUGGESTION_NOT_FOUND' });
    expect(reader.sources()).toMatchObject([{}, { kind: 'connected' }]);
  });
});

describe('a single source', () => {
  it('is read unchanged, and its state is recorded', async () => {
    const { a } = twoSources();
    const reader = createSingleReader({ name: 'a', address: '/data/a' }, a, () => 5);
    expect(reader.act).toBeUndefined();
    expect(reader.sources()).toMatchObject([{ kind: 'connecting', stats: undefined }]);
    expect(await reader.listIssues()).toEqual(await a.listIssues());
    await reader.stats();
    expect(await reader.access()).toEqual({ actions: false });
    expect(reader.sources()).toMatchObject([{ kind: 'connected', stats: { events: 4, issues: 2 }, canAct: false }]);
    await expect(reader.listIssues({ query: '(' })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    expect(reader.sources()).toMatchObject([{ kind: 'connected' }]);
    a.fault = unreachable;
    await expect(reader.stats()).rejects.toBe(unreachable);
    expect(reader.sources()).toMatchObject([{ kind: 'lost', reason: 'connection refused', sinceMs: 5 }]);
    expect(reader.ownersOf(sampleIssueId(1))).toEqual([]);
  });
});

describe('a cursor of a long page', () => {
  it('fits into a URL also with sixteen sources, and leads through all issues once', async () => {
    const readers = Array.from({ length: 16 }, (_, source) =>
      createArrayReader({ issues: Array.from({ length: 100 }, (__, nth) => sampleIssue(1 + source + 16 * nth)) }),
    );
    const reader = createMergedReader(readers.map((one, source) => named(`source-${source}`, one)));
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await reader.listIssues({ sort: 'first_seen', limit: 500, ...(cursor !== undefined && { cursor }) });
      found.push(...page.issues.map(({ issue_id }) => issue_id));
      cursor = page.next_cursor;
      expect(cursor?.length ?? 0).toBeLessThan(14_000);
    }
    expect(found).toHaveLength(1_600);
    expect(new Set(found).size).toBe(1_600);
  });
});

describe('a source that does not respond and is not remembered', () => {
  it('is left out of lists and counts, which name it, until it is back', async () => {
    const { a, b } = twoSources();
    const clock = { nowMs: 1_000 };
    const options = { nowMs: () => clock.nowMs, remembersLost: false };
    const reader = createMergedReader([named('a', a), named('b', b)], options);
    expect((await reader.listIssues()).issues).toHaveLength(3);
    await reader.stats();
    b.fault = unreachable;
    const missing = reader.watchLost();
    expect(missing()).toEqual([]);
    const page = await reader.listIssues({ limit: 1 });
    expect(missing()).toEqual(['b']);
    const next = await reader.listIssues({ limit: 1, cursor: page.next_cursor ?? '' });
    expect([...page.issues, ...next.issues].map(({ issue_id }) => issue_id)).toEqual([1, 2].map(sampleIssueId));
    expect(next.next_cursor).toBeNull();
    expect(await reader.countIssues()).toMatchObject({ all: 2 });
    expect((await reader.stats()).issues).toBe(2);
    b.fault = undefined;
    clock.nowMs += 20_000;
    const since = reader.watchLost();
    expect((await reader.listIssues()).issues).toHaveLength(3);
    expect(since()).toEqual([]);
  });
});
