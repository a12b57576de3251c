import { hash } from 'node:crypto';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toEventId, toIssueId } from '../../../core/event/ids.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { closeStores, storeInMemory, storeUnderTest } from './store-under-test.js';
import { TEN_O_CLOCK_MS } from './ten-o-clock.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const NO_ISSUE = toIssueId('00000000-0000-5000-8000-000000000000');
const NO_EVENTS = [
  '00000000-0000-7000-8000-000000000000',
  '01a1fd8c-6900-7fff-bfff-ffffffffffff',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
];

/** Overwrites the first bytes of a raw line. */
async function breakLine({ raw }: { raw: { path: string; line: number } }): Promise<void> {
  const lines = (await readFile(raw.path, 'utf8')).split('\n');
  const offset = Buffer.byteLength(
    lines
      .slice(0, raw.line)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const file = await open(raw.path, 'r+');
  await file.write('garbage', offset);
  await file.close();
}

describe('the results of a reader', () => {
  it('have the documented members', async () => {
    const { reader, directory, clock, append } = await storeInMemory();
    const timestamp = '2026-11-21T09:30:00.123456789+00:00';
    const [stored] = await append({ timestamp, extra: { faultline: { cuts: [] } } });
    clock.nowMs += 1000;
    await append({
      timestamp: 'yesterday',
      env: 'staging',
      level: null,
      release: 'v2',
      stack: null,
      status_code: null,
    });
    const eventId = toEventId(stored?.event_id ?? '');
    const issueId = stored?.issue_id;
    if (eventId === undefined || issueId === undefined) throw new Error('nothing was stored');
    const fingerprint = hash('sha256', 'ValidationError').slice(0, 32);
    const summary = {
      issue_id: issueId,
      fingerprint,
      app: 'shop',
      service: 'api',
      title: 'ValidationError: title',
      culprit: 'run (main.js)',
      error_name: 'ValidationError',
      message: 'quantity 12 of SKU-4711 exceeds the limit',
      level: 'error',
      type: 'log',
      status: 'open',
      regressed: false,
      is_new: false,
      spiking: false,
      assignee: null,
      snooze: null,
      snooze_left: null,
      resolved_in: null,
      state_at: null,
      state_by: null,
      merged: [],
      sampled: 0,
      repeated: 0,
      removed_events: 0,
      users: 1,
      count: 2,
      first_seen: timestamp,
      last_seen: '2026-11-21T10:00:01.000000000+00:00',
      environments: ['production', 'staging'],
      releases: ['v1.4.2', 'v2'],
      first_release: 'v1.4.2',
      last_release: 'v2',
      regressed_in: null,
      trend: [...new Array<number>(22).fill(0), 1, 1],
    };
    expect(await reader.listIssues()).toEqual({ issues: [summary], next_cursor: null, total: 1 });
    expect(await reader.getIssue(issueId)).toEqual({
      ...summary,
      fingerprints: [fingerprint],
      members: [],
      fingerprint_version: 4,
      basis: {
        version: 4,
        rule: 'message',
        parts: [{ part: 'error_name', used: true, value: 'ValidationError', reason: serverPayload().message }],
      },
      history: [],
      automatic_history: [{ at: summary.first_seen, kind: 'first_event', detail: 'v1.4.2, production', cause: null }],
      related: [],
    });
    const event = {
      event_id: eventId,
      issue_id: issueId,
      timestamp,
      level: 'error',
      type: 'exception',
      app: 'shop',
      service: 'api',
      env: 'production',
      error_name: 'ValidationError',
      message: 'quantity 12 of SKU-4711 exceeds the limit',
      route: '/api/v1/cart/lines',
      method: 'PUT',
      status_code: 422,
      release: 'v1.4.2',
      user_id: 'u-7',
      request_id: 'req-1',
      session_id: null,
      trace_id: null,
      tags: { attempt: '2', region: 'eu-west' },
    };
    const page = await reader.listEvents(issueId);
    expect(page?.events[1]).toEqual(event);
    expect(page?.next_cursor).toBeNull();
    const payload = serverPayload({ timestamp, extra: { faultline: { cuts: [] } } });
    expect(await reader.getEvent(eventId)).toEqual({
      event_id: eventId,
      issue_id: issueId,
      raw: { path: join(directory, 'raw/production/api/shop/2026/11/21/10/raw.ndjson'), line: 0, payload },
      normalized: { ...payload, event_id: eventId, fingerprint, type: 'exception' },
      notes: [],
      origin: null,
    });
    expect(await reader.stats()).toEqual({
      events: 2,
      sampled: 0,
      repeated: 0,
      issues: 1,
      partitions: 2,
      raw_bytes: expect.any(Number),
      checkpoint_lag_events: 2,
      removed: { events: 0, partitions: 0, raw_bytes: 0, before: null },
      dead_letters: { records: 0, bytes: 0, lost: 0 },
      directory,
      receivers: {},
      endpoints: {},
      grouping: expect.objectContaining({ is_current: true }),
    });
    const [second] = page?.events ?? [];
    const noted = second && (await reader.getEvent(second.event_id));
    expect(noted?.notes.map((note) => note.code)).toEqual(['TIMESTAMP_UNPARSEABLE']);
  });

  it('are undefined for ids that do not exist', async () => {
    const { reader, append } = await storeInMemory();
    await append({});
    if (NO_ISSUE === undefined) throw new Error('no id');
    expect(await reader.getIssue(NO_ISSUE)).toBeUndefined();
    expect(await reader.listEvents(NO_ISSUE)).toBeUndefined();
    for (const text of NO_EVENTS) {
      const id = toEventId(text);
      expect(id && (await reader.getEvent(id))).toBeUndefined();
    }
  });

  it('have notes on what normalization cut and guessed', async () => {
    const { reader, append } = await storeInMemory();
    const cuts = [{ field: '/message', limit: 'max_string_length', was: 70_000, kept: 65_536 }];
    const [stored] = await append({ timestamp: '1795600000', extra: { faultline: { cuts } } });
    const detail = stored && (await reader.getEvent(stored.event_id));
    expect(detail?.notes.map(({ code, field }) => [code, field])).toEqual([
      ['STRING_CUT', '/message'],
      ['TIMESTAMP_EPOCH_NUMBER', '/timestamp'],
    ]);
  });

  it('end with the close of the reader, which leaves the store open', async () => {
    const { reader, store, append } = await storeInMemory();
    await append({});
    await reader.close();
    await reader.close();
    await expect(reader.listIssues()).rejects.toMatchObject({ code: 'READER_CLOSED' });
    await expect(reader.stats()).rejects.toMatchObject({ code: 'READER_CLOSED' });
    await expect(store.checkpoint()).resolves.toBeUndefined();
  });
});

describe('the list of issues', () => {
  const names = (page: { issues: { error_name: string }[] }) => page.issues.map((issue) => issue.error_name);

  it('is sorted by last seen, first seen or count, descending', async () => {
    const { reader, append } = await storeInMemory();
    const at = (time: string) => `2026-11-21T0${time}:00.000000001Z`;
    await append({ error_name: 'A', timestamp: at('1:00') }, { error_name: 'A', timestamp: at('8:00') });
    await append({ error_name: 'B', timestamp: at('2:00') }, { error_name: 'B', timestamp: at('7:00') });
    await append({ error_name: 'C', timestamp: at('5:00') }, { error_name: 'B', timestamp: at('3:00') });
    expect(names(await reader.listIssues())).toEqual(['A', 'B', 'C']);
    expect(names(await reader.listIssues({ sort: 'last_seen' }))).toEqual(['A', 'B', 'C']);
    expect(names(await reader.listIssues({ sort: 'first_seen' }))).toEqual(['C', 'B', 'A']);
    expect(names(await reader.listIssues({ sort: 'count' }))).toEqual(['B', 'A', 'C']);
  });

  it('breaks ties by events, then by id', async () => {
    const { reader, append } = await storeInMemory();
    const time = '2026-11-21T09:00:00.00000000';
    const same = Array.from({ length: 30 }, (_, index) => ({ error_name: `E${index}`, timestamp: `${time}1Z` }));
    await append(...same, { error_name: 'Most', timestamp: `${time}1Z` });
    await append({ error_name: 'Most', timestamp: `${time}1Z` });
    const { issues } = await reader.listIssues();
    expect(issues[0]?.error_name).toBe('Most');
    const ids = issues.slice(1).map((issue) => issue.issue_id);
    expect(ids).toEqual(ids.toSorted());
  });

  it.each(['last_seen', 'first_seen', 'count'] as const)(
    'shows every issue once over its pages by %s',
    async (sort) => {
      const { reader, append } = await storeInMemory();
      for (let round = 0; round < 5; round += 1) {
        await append(...Array.from({ length: 37 }, (_, index) => ({ error_name: `E${(index * (round + 1)) % 53}` })));
      }
      const all = (await reader.listIssues({ sort, limit: 500 })).issues.map((issue) => issue.issue_id);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await reader.listIssues({ sort, limit: 7, ...(cursor !== null && { cursor }) });
        expect(page.total).toBe(all.length);
        seen.push(...page.issues.map((issue) => issue.issue_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual(all);
    },
  );

  it('has 50 rows by default, and never more than 500', async () => {
    const { reader, append } = await storeInMemory();
    await append(...Array.from({ length: 600 }, (_, index) => ({ error_name: `E${index}` })));
    expect((await reader.listIssues()).issues.length).toBe(50);
    expect((await reader.listIssues({ limit: 10_000 })).issues.length).toBe(500);
    expect((await reader.listIssues({ limit: 0 })).issues.length).toBe(1);
    expect((await reader.listIssues({ limit: Number.NaN })).issues.length).toBe(50);
  });

  it('counts and shows what matches a query', async () => {
    const { reader, store, append } = await storeInMemory();
    await append({ error_name: 'FetchError', message: 'Timeout in cart', env: 'staging' });
    await append({ error_name: 'PanicError', level: 'critical' }, { error_name: 'PanicError', level: 'critical' });
    const [resolved] = await append({ error_name: 'OldError' });
    if (resolved === undefined) throw new Error('nothing was stored');
    await store.act(resolved.issue_id, { action: 'resolve' });
    const find = async (query: string) => names(await reader.listIssues({ query, sort: 'count' })).sort();
    expect(await find('env:staging')).toEqual(['FetchError']);
    expect(await find('TIMEOUT')).toEqual(['FetchError']);
    expect(await find('timeout')).toEqual(['FetchError']);
    expect(await find('level:critical OR cart')).toEqual(['FetchError', 'PanicError']);
    expect(await find('status:resolved')).toEqual(['OldError']);
    expect(await find('-status:resolved -error_name:Panic*')).toEqual(['FetchError']);
    expect(await find(`issue_id:${resolved.issue_id}`)).toEqual(['OldError']);
    expect((await reader.listIssues({ query: 'error_name:*error', limit: 1 })).total).toBe(3);
    await expect(reader.listIssues({ query: 'route:/x' })).rejects.toMatchObject({ code: 'QUERY_INVALID', column: 1 });
  });

  it('rejects cursors of other lists and invalid texts', async () => {
    const { reader, append } = await storeInMemory();
    await append({ error_name: 'A' }, { error_name: 'B' }, { error_name: 'C' });
    const { next_cursor: cursor } = await reader.listIssues({ limit: 1 });
    if (cursor === null) throw new Error('no second page');
    const invalid = { code: 'CURSOR_INVALID' };
    await expect(reader.listIssues({ cursor, sort: 'count' })).rejects.toMatchObject(invalid);
    await expect(reader.listIssues({ cursor, query: 'a' })).rejects.toMatchObject(invalid);
    const forged = Buffer.from(
      Buffer.from(cursor, 'base64url')
        .toString()
        .replace(/"place":.*/, '"place":["x"]}'),
    ).toString('base64url');
    for (const text of ['', 'x', 'e30', '%%%', 'x'.repeat(100_000), forged]) {
      await expect(reader.listIssues({ cursor: text })).rejects.toMatchObject(invalid);
    }
  });
});

describe('an issue', () => {
  it('changes with actions and with new events', async () => {
    const { reader, store, clock, append } = await storeInMemory();
    const [stored] = await append({});
    if (stored === undefined) throw new Error('nothing was stored');
    const issueId = stored.issue_id;
    clock.nowMs += 1;
    const [resolve] = (await store.act(issueId, { action: 'resolve', actor: 'ada' })).history;
    expect(await reader.getIssue(issueId)).toMatchObject({
      status: 'resolved',
      regressed: false,
      history: [{ at: '2026-11-21T10:00:00.001000000+00:00', action: 'resolve', actor: 'ada', detail: null }],
    });
    await append({});
    expect(await reader.getIssue(issueId)).toMatchObject({ status: 'open', regressed: true });
    await store.act(issueId, { action: 'undo', actor: 'ada', undoes: resolve?.id ?? '' });
    expect(await reader.getIssue(issueId)).toMatchObject({ status: 'open', regressed: false });
  });

  it('lists issues with the same fingerprint in other services and apps', async () => {
    const { reader, append } = await storeInMemory();
    const [own, web, other] = await append({}, { service: 'web' }, { app: 'bank' }, { error_name: 'Another' });
    const detail = own && (await reader.getIssue(own.issue_id));
    expect(detail?.related.toSorted()).toEqual([web?.issue_id, other?.issue_id].map(String).toSorted());
  });

  it('has the basis of its first event, of its latest if that is damaged, and an empty one if all were removed', async () => {
    const { reader, faults, append } = await storeUnderTest();
    const [first] = await append({ message: 'first' });
    await append({ message: 'second' });
    await append({ message: 'third' });
    if (first === undefined) throw new Error('nothing was stored');
    const reason = async () => (await reader.getIssue(first.issue_id))?.basis.parts.map((part) => part.reason);
    expect(await reason()).toEqual(['first']);
    await breakLine(first);
    expect(await reason()).toEqual(['third']);
    expect(faults).toMatchObject([{ code: 'RAW_LINE_INVALID' }]);
    await writeFile(first.raw.path, '');
    expect(await reader.getIssue(first.issue_id)).toMatchObject({ basis: { version: 4, rule: 'unknown', parts: [] } });
    expect(await reader.listEvents(first.issue_id)).toMatchObject({ events: [], next_cursor: null });
    expect(await reader.getEvent(first.event_id)).toBeUndefined();
    expect(new Set(faults.map((fault) => 'code' in fault && fault.code))).toEqual(
      new Set(['RAW_LINE_INVALID', 'RAW_LINE_MISSING']),
    );
  });

  it('shows the events of the last 24 hours by hour', async () => {
    const { reader, clock, append } = await storeInMemory();
    await append({ timestamp: new Date(TEN_O_CLOCK_MS - 23 * 3_600_000).toISOString() }, {});
    const trend = async () => (await reader.listIssues()).issues[0]?.trend;
    expect(await trend()).toEqual([1, ...new Array<number>(22).fill(0), 1]);
    clock.nowMs += 2 * 3_600_000;
    expect(await trend()).toEqual([...new Array<number>(21).fill(0), 1, 0, 0]);
    clock.nowMs += 48 * 3_600_000;
    expect(await trend()).toEqual(new Array<number>(24).fill(0));
  });
});

describe('the list of an issue’s events', () => {
  it('is newest first over any number of pages, and new events do not change later pages', async () => {
    const { reader, store, append } = await storeInMemory();
    const ids: string[] = [];
    for (let commit = 0; commit < 12; commit += 1) {
      const stored = await append(
        ...Array.from({ length: 150 }, (_, index) => ({ error_name: index % 2 ? 'A' : 'B' })),
      );
      ids.unshift(
        ...stored
          .filter((_, index) => index % 2 === 1)
          .map((event) => event.event_id)
          .toReversed(),
      );
      if (commit === 8) await store.checkpoint();
    }
    const issueId = (await reader.listIssues({ query: 'error_name:A' })).issues[0]?.issue_id;
    if (issueId === undefined) throw new Error('no issue');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await reader.listEvents(issueId, { limit: 113, ...(cursor !== null && { cursor }) });
      seen.push(...(page?.events.map((event) => event.event_id) ?? []));
      cursor = page?.next_cursor ?? null;
      await append({ error_name: 'A' }, { error_name: 'B' });
      await store.checkpoint();
    } while (cursor !== null);
    expect(seen).toEqual(ids);
  });

  it('ends with a page that ends at the last event', async () => {
    const { reader, append } = await storeInMemory();
    const [stored] = await append({}, {}, {});
    const page = stored && (await reader.listEvents(stored.issue_id, { limit: 3 }));
    expect([page?.events.length, page?.next_cursor]).toEqual([3, null]);
  });

  it('contains the matches of a query, in full pages', async () => {
    const { reader, append } = await storeInMemory();
    const changes = Array.from({ length: 400 }, (_, index) => ({
      request_id: `r-${index}`,
      route: index % 40 === 0 ? '/checkout' : '/cart',
    }));
    const [stored] = await append(...changes);
    if (stored === undefined) throw new Error('nothing was stored');
    const seen: unknown[] = [];
    const sizes: number[] = [];
    let cursor: string | null = null;
    do {
      const options = { query: 'route:/checkout', limit: 4, ...(cursor !== null && { cursor }) };
      const page = await reader.listEvents(stored.issue_id, options);
      seen.push(...(page?.events.map((event) => event.request_id) ?? []));
      sizes.push(page?.events.length ?? 0);
      cursor = page?.next_cursor ?? null;
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => `r-${360 - 40 * index}`));
    expect(sizes.slice(0, 2)).toEqual([4, 4]);
    await expect(reader.listEvents(stored.issue_id, { query: 'rout:/x' })).rejects.toMatchObject({
      code: 'QUERY_INVALID',
    });
  });

  it('ends a page of a query after 20,000 events, with a cursor for the rest', async () => {
    const { reader, append } = await storeInMemory();
    const [needle] = await append({ request_id: 'needle', message: 'm' });
    const small = { stack: null, extra: null, tags: {}, message: 'm' };
    for (let batch = 0; batch < 10; batch += 1) await append(...new Array<typeof small>(2048).fill(small));
    if (needle === undefined) throw new Error('nothing was stored');
    const query = 'request_id:needle';
    const first = await reader.listEvents(needle.issue_id, { query });
    expect(first?.events).toEqual([]);
    if (typeof first?.next_cursor !== 'string') throw new Error('no way to go on');
    const second = await reader.listEvents(needle.issue_id, { query, cursor: first.next_cursor });
    expect(second?.events.map((event) => event.event_id)).toEqual([needle.event_id]);
    expect(second?.next_cursor).toBeNull();
  });

  it('skips a damaged line, and reports it once', async () => {
    const { reader, faults, append } = await storeUnderTest();
    const stored = await append({}, {}, {}, {}, {});
    const broken = stored[2];
    if (broken === undefined) throw new Error('nothing was stored');
    await breakLine(broken);
    for (let times = 0; times < 3; times += 1) {
      const page = await reader.listEvents(broken.issue_id);
      expect(page?.events.length).toBe(4);
    }
    expect(faults).toMatchObject([{ code: 'RAW_LINE_INVALID' }]);
    expect(faults[0]?.message).toContain('raw/production/api/shop/2026/11/21/10/raw.ndjson, line 2');
    await expect(reader.getEvent(broken.event_id)).rejects.toMatchObject({ code: 'RAW_LINE_INVALID' });
  });

  it('rejects cursors of other issues and queries, and invalid texts', async () => {
    const { reader, append } = await storeInMemory();
    const [first, second] = await append({ error_name: 'A' }, { error_name: 'B' });
    await append({ error_name: 'A' }, { error_name: 'B' });
    if (first === undefined || second === undefined) throw new Error('nothing was stored');
    const page = await reader.listEvents(first.issue_id, { limit: 1 });
    const cursor = page?.next_cursor ?? '';
    expect((await reader.listEvents(first.issue_id, { cursor }))?.events.length).toBe(1);
    const invalid = { code: 'CURSOR_INVALID' };
    await expect(reader.listEvents(second.issue_id, { cursor })).rejects.toMatchObject(invalid);
    await expect(reader.listEvents(first.issue_id, { cursor, query: 'x' })).rejects.toMatchObject(invalid);
    const text = Buffer.from(cursor, 'base64url').toString();
    for (const id of [second.event_id, NO_EVENTS[0], 'x']) {
      const forged = Buffer.from(text.replace(/\["[^"]*"\]/, JSON.stringify([id]))).toString('base64url');
      await expect(reader.listEvents(first.issue_id, { cursor: forged })).rejects.toMatchObject(invalid);
    }
  });
});
