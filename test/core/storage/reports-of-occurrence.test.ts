import type { StoredEvent } from '../../../core/contract/stages.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { missing } from '../../helpers/missing.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { createMemoryDisk, MEMORY_ROOT } from './record/memory-disk.js';
import { openFolder } from './retention/folder-under-retention.js';
import { closeStores, createTestGrouper, type StoreUnderTest, storeInMemory } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

/** What a log record knows of a failure in a request. */
const LOG: Partial<RawPayload> = {
  error_name: 'A',
  method: null,
  request_id: null,
  route: '',
  session_id: null,
  stack: 'A: no stock\n    at cart (cart.js:1:1)',
  status_code: null,
  tags: { logger: 'cart', host: 'one' },
  user_id: null,
};
/** What the span of the request knows. */
const SPAN: Partial<RawPayload> = {
  error_name: 'A',
  message: 'not in stock',
  method: 'POST',
  request_id: 'req-7',
  route: '/throw/:id',
  session_id: 's-7',
  stack: null,
  status_code: 500,
  tags: { host: 'two', 'span.kind': 'server' },
  user_id: 'u-7',
};

async function send(test: Pick<StoreUnderTest, 'append'>, payload: Partial<RawPayload>): Promise<StoredEvent> {
  const [stored = missing()] = await test.append(payload);
  return stored;
}

/** Sends a report of the occurrence that another event counts. */
async function repeat(
  test: Pick<StoreUnderTest, 'append'>,
  { event_id: repeats }: Pick<StoredEvent, 'event_id'>,
  { extra, ...payload }: Partial<RawPayload>,
): Promise<StoredEvent> {
  return await send(test, { ...payload, extra: { ...extra, faultline: { repeats } } });
}

const listed = async ({ reader }: StoreUnderTest, query = '') =>
  (await reader.searchEvents({ query, limit: 500 })).events.map(({ event_id }) => event_id);

describe('two reports of one occurrence', () => {
  it.each([
    ['the log record', LOG, SPAN],
    ['the span', SPAN, LOG],
  ])('show together what any of them knows if %s came first, and each its own raw payload', async (_, one, other) => {
    const test = await storeInMemory();
    const first = await send(test, one);
    const second = await repeat(test, first, other);
    for (const [{ event_id: id }, own] of [
      [first, one],
      [second, other],
    ] as const) {
      const detail = await test.reader.getEvent(id);
      const { method, request_id, route, session_id, status_code, user_id } = SPAN;
      const known = { method, request_id, route, session_id, status_code, user_id, stack: LOG.stack };
      const tags = { logger: 'cart', 'span.kind': 'server', host: own.tags?.['host'] };
      expect(detail?.normalized).toMatchObject({ ...known, type: 'exception', tags, event_id: id });
      const { extra: _extra, ...sent } = own;
      expect(detail?.raw.payload).toMatchObject(sent);
      expect(detail?.reports?.map(({ event, raw }) => [event.event_id, raw])).toEqual([
        [first.event_id, first.raw],
        [second.event_id, second.raw],
      ]);
      expect(detail?.reports?.map(({ event }) => event.route)).toEqual([one.route, other.route]);
    }
  });

  it('take the request from the one that knows most of it', async () => {
    const test = await storeInMemory();
    const first = await send(test, LOG);
    await repeat(test, first, { ...LOG, route: '/items/:id', tags: { host: 'inner', pool: 'p' } });
    await repeat(test, first, SPAN);
    const detail = await test.reader.getEvent(first.event_id);
    expect(detail?.normalized).toMatchObject({ method: 'POST', route: '/throw/:id', status_code: 500 });
    expect(detail?.normalized.tags).toMatchObject({ host: 'one', pool: 'p', 'span.kind': 'server' });
    expect(await listed(test, 'route:/items/*')).toEqual([first.event_id]);
  });

  it('are one event of the list of their issue, as it counts', async () => {
    const test = await storeInMemory();
    const first = await send(test, LOG);
    await repeat(test, first, SPAN);
    const events = await test.reader.listEvents(first.issue_id);
    expect(events?.events).toMatchObject([{ event_id: first.event_id, route: '/throw/:id', status_code: 500 }]);
    expect(await test.reader.getIssue(first.issue_id)).toMatchObject({ count: 1, repeated: 1, users: 1 });
    const { facets = [], ...summary } = (await test.reader.summarizeEvents(first.issue_id)) ?? {};
    expect(summary).toMatchObject({ matched: 1, looked_at: 1, total: 1 });
    expect(facets.find(({ field }) => field === 'route')?.values).toEqual([{ value: '/throw/:id', count: 1 }]);
    expect(await listed(test)).toEqual([first.event_id]);
  });

  it.each<[string, boolean]>([
    ['route:/throw/*', true],
    ['-route:/throw/*', false],
    ['status_code:500', true],
    ['status_code:>=500 method:POST', true],
    ['user_id:u-7', true],
    ['tags.logger:cart', true],
    ['tags.span.kind:server', true],
    // A tag and a message that both have.
    ['tags.host:one', true],
    ['tags.host:two', true],
    ['-tags.host:two', false],
    ['message:"not in stock"', true],
    ['"NOT IN STOCK"', true],
    ['"no stock at all"', false],
    ['extra.cart.size:3', true],
    ['extra.cart.sku:x', true],
    ['type:log', false],
    // A number that each has.
    ['status_code:502', true],
    ['status_code:>501', true],
    ['-status_code:502', false],
    ['status_code:501', false],
  ])('are found together by %s: %s', async (query, isFound) => {
    const test = await storeInMemory();
    const first = await send(test, { ...LOG, extra: { cart: { sku: 'x' } } });
    await repeat(test, first, { ...SPAN, extra: { cart: { size: 3 } } });
    await repeat(test, first, { ...SPAN, status_code: 502 });
    const expected = isFound ? [first.event_id] : [];
    expect(await listed(test, query)).toEqual(expected);
    expect((await test.reader.listEvents(first.issue_id, { query }))?.events.map((one) => one.event_id)).toEqual(
      expected,
    );
  });

  it('are named by what they were received as', async () => {
    const test = await storeInMemory();
    const first = await send(test, { ...LOG, tags: { 'otlp.signal': 'log' } });
    await repeat(test, first, { ...SPAN, tags: { 'otlp.signal': 'span_event' } });
    await repeat(test, first, { ...SPAN, extra: { sentry: { event_id: 'x', mapping: {} } } });
    await repeat(test, first, { ...SPAN, extra: { sentry: { mapping: {} } } });
    await repeat(test, first, { ...SPAN, tags: { 'otlp.signal': 'constructor' } });
    const detail = await test.reader.getEvent(first.event_id);
    const kinds = ['log record', 'span event', 'Sentry event', 'Sentry log', 'event'];
    expect(detail?.reports?.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('are listed one by one for a query that names ids of events', async () => {
    const test = await storeInMemory();
    const first = await send(test, LOG);
    const second = await repeat(test, first, SPAN);
    expect(await listed(test, `event_id:${second.event_id}`)).toEqual([second.event_id]);
    expect(await listed(test, 'event_id:*')).toEqual([second.event_id, first.event_id]);
  });

  it('are both listed if they are in two issues, and show the same', async () => {
    const test = await storeInMemory();
    const first = await send(test, LOG);
    const second = await repeat(test, first, { ...SPAN, error_name: 'B' });
    for (const { issue_id: id } of [first, second]) {
      expect((await test.reader.listEvents(id))?.events).toMatchObject([{ route: '/throw/:id', type: 'exception' }]);
    }
    expect((await test.reader.getEvent(second.event_id))?.normalized.stack).toBe(LOG.stack);
    await test.store.act(first.issue_id, { action: 'merge', issues: [second.issue_id] });
    expect((await test.reader.listEvents(first.issue_id))?.events).toHaveLength(1);
    await test.store.act(first.issue_id, { action: 'split' });
    expect((await test.reader.listEvents(second.issue_id))?.events).toHaveLength(1);
  });

  it('stay together across pages, segments, a restart and a rebuilt index', async () => {
    const disk = createMemoryDisk();
    const test = await storeInMemory(disk);
    const counted: StoredEvent[] = [];
    for (let index = 0; index < 4; index += 1) {
      counted.push(await send(test, LOG));
      await test.append(...new Array<object>(600).fill({ error_name: 'other' }));
      test.clock.nowMs += 60_000;
    }
    for (const first of counted) await repeat(test, first, SPAN);
    await test.store.checkpoint();
    const { issue_id: id } = counted[0] ?? missing();
    const pages = async ({ reader }: Pick<StoreUnderTest, 'reader'>) => {
      const rows: [string, string][] = [];
      let cursor: string | null | undefined;
      do {
        const page = await reader.listEvents(id, { limit: 1, ...(cursor && { cursor }) });
        rows.push(...(page?.events ?? []).map(({ event_id, route }): [string, string] => [event_id, route]));
        cursor = page?.next_cursor;
      } while (cursor);
      return rows;
    };
    const expected = counted.toReversed().map(({ event_id }) => [event_id, '/throw/:id']);
    expect(await pages(test)).toEqual(expected);
    await test.store.close();
    const again = await storeInMemory(disk);
    expect(await pages(again)).toEqual(expected);
    await again.store.close();
    disk.pull(`${MEMORY_ROOT}/index`);
    const rebuilt = await storeInMemory(disk);
    expect(await pages(rebuilt)).toEqual(expected);
    await rebuilt.store.close();
    const found: string[] = [];
    const { files } = disk;
    await verifyFolder({
      directory: MEMORY_ROOT,
      files,
      createGrouper: createTestGrouper,
      onFinding: ({ code }) => found.push(code),
    });
    expect(found).toEqual([]);
  });

  it('lose what retention removes: the later one is listed then', async () => {
    const { files } = createMemoryDisk();
    const { store, at } = await openFolder(files, { retention: { maxAgeMs: 2 * 3_600_000, maxBytes: 0 } });
    const [first = missing()] = await at(0.9, [1], { route: '' });
    const [second = missing()] = await at(1.1, [1], {
      method: 'POST',
      extra: { faultline: { repeats: first.event_id } },
    });
    const ids = async () => (await store.reader.listEvents(first.issue_id))?.events.map((event) => event.event_id);
    expect(await ids()).toEqual([first.event_id]);
    await at(3.1, [2]);
    await store.retain();
    expect(await ids()).toEqual([second.event_id]);
    const detail = await store.reader.getEvent(second.event_id);
    expect([detail?.reports, detail?.normalized.method]).toEqual([undefined, 'POST']);
    await store.close();
  });
});

describe('reports that a sender makes up', () => {
  it.each([
    ['itself or nothing', '01890000-0000-7000-8000-000000000000'],
    ['no event of this layout', '00000000-0000-4000-8000-000000000000'],
    ['the future', '0fffffff-ffff-7fff-bfff-ffffffffffff'],
  ])('stand alone if they repeat %s', async (_, repeats) => {
    const test = await storeInMemory();
    const report = await repeat(test, { event_id: repeats as StoredEvent['event_id'] }, SPAN);
    expect(await listed(test)).toEqual([report.event_id]);
    expect((await test.reader.getEvent(report.event_id))?.reports).toBeUndefined();
  });

  it('stand alone if they repeat a report', async () => {
    const test = await storeInMemory();
    const first = await send(test, LOG);
    const second = await repeat(test, first, SPAN);
    const third = await repeat(test, second, { ...SPAN, user_id: 'u-8' });
    expect(await listed(test)).toEqual([third.event_id, first.event_id]);
    expect((await test.reader.getEvent(third.event_id))?.reports).toBeUndefined();
  });

  it('stand alone beyond eight of one event, and an hour after it', async () => {
    const test = await storeInMemory();
    const first = await send(test, LOG);
    const reports: StoredEvent[] = [];
    for (let index = 0; index < 10; index += 1) reports.push(await repeat(test, first, SPAN));
    test.clock.nowMs += 3_600_001;
    const late = await repeat(test, first, SPAN);
    const alone = [late, reports[9], reports[8], first].map((event) => event?.event_id);
    expect(await listed(test)).toEqual(alone);
    expect((await test.reader.getEvent(first.event_id))?.reports).toHaveLength(9);
    expect((await test.reader.getEvent(late.event_id))?.reports).toBeUndefined();
  });

  it('never lose the keys of senders, nor take marks of one event for those of another', async () => {
    const test = await storeInMemory();
    const tags = JSON.parse('{"__proto__":"a","constructor":"b"}');
    const first = await send(test, { ...LOG, tags: {}, extra: null });
    await repeat(test, first, { ...SPAN, tags, extra: JSON.parse('{"__proto__":{"x":1},"faultline":{"sampled":4}}') });
    const detail = await test.reader.getEvent(first.event_id);
    expect(Object.entries(detail?.normalized.tags ?? {})).toEqual(Object.entries(tags));
    expect(JSON.stringify(detail?.normalized.extra)).toBe('{"__proto__":{"x":1}}');
    expect(detail?.notes).toEqual([]);
  });
});
