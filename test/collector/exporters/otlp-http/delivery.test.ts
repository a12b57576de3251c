import type { OtlpHttpExporter } from '../../../../collector/exporters/otlp-http/otlp-http-exporter.js';
import type { EventStore } from '../../../../core/storage/event-store.js';
import { type StoreUnderTest, storeUnderTest } from '../../../core/storage/store-under-test.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { type Backend, type Reply, recordsOf, startBackend } from '../backend.js';
import { createExporter, type ExporterUnderTest, startExporter, stopExporters } from './exporter-under-test.js';

afterEach(stopExporters);
afterAll(removeTemporaryFolders);

async function idle({ exporter }: { exporter: OtlpHttpExporter }): Promise<void> {
  await waitFor('nothing to wait', () => exporter.stats().waiting === 0);
}

type Follower = Awaited<ReturnType<EventStore['follow']>>;

/** Follows a store with some calls replaced. */
function followWith(
  { store }: Pick<StoreUnderTest, 'store'>,
  replaced: (follower: Follower) => Partial<Follower>,
): Pick<EventStore, 'follow'> {
  return {
    async follow(options) {
      const follower = await store.follow(options);
      return {
        next: (how) => follower.next(how),
        nextLines: (how) => follower.nextLines(how),
        rewind: (position) => follower.rewind(position),
        commit: (position) => follower.commit(position),
        close: () => follower.close(),
        status: () => follower.status(),
        ...replaced(follower),
      };
    },
  };
}

async function storedAndSent(
  replies: readonly Reply[],
  ...sets: string[]
): Promise<{ backend: Backend; under: ExporterUnderTest; ids: string[] }> {
  const store = await storeUnderTest();
  const stored = await store.append({ message: 'a' }, { message: 'b' }, { message: 'c' }, { message: 'd' });
  const backend = await startBackend();
  backend.respond = (_, nth) => replies[nth] ?? { status: 200 };
  const under = await startExporter(store.store, backend.url, ...sets);
  await idle(under);
  return { backend, under, ids: stored.map(({ event_id }) => event_id) };
}

describe('exporter otlp_http', () => {
  it.each(['proto', 'json'])('delivers stored and new events as %s, once and in order', async (encoding) => {
    const store = await storeUnderTest();
    const before = await store.append({ message: '1' }, { message: '2' });
    const backend = await startBackend();
    const under = await startExporter(
      store.store,
      `${backend.url}/base/`,
      `encoding=${encoding}`,
      'headers.X-Team=shop',
    );
    const after = await store.append({ message: '3' });
    await idle(under);
    expect(backend.ids()).toEqual([...before, ...after].map(({ event_id }) => event_id));
    expect(backend.received[0]).toMatchObject({
      path: '/base/v1/logs',
      headers: {
        'x-team': 'shop',
        'content-encoding': 'gzip',
        'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      },
    });
    expect(under.metric('faultline_exporter_sent_log_records')).toBe(3);
    expect(under.exporter.stats()).toMatchObject({ waiting: 0, oldest_age_ms: 0, sent: 3, lost: 0, last_error: null });
    expect(under.states.snapshot()).toEqual([expect.objectContaining({ id: 'otlp_http', status: 'StatusOK' })]);
  });

  it('sends to logs_endpoint unchanged, and without compression when configured', async () => {
    const store = await storeUnderTest();
    await store.append({});
    const backend = await startBackend();
    const logs = `logs_endpoint=${backend.url}/ingest/otlp?key=1`;
    await idle(await startExporter(store.store, 'http://127.0.0.1:1', logs, 'compression=none'));
    expect(backend.received[0]?.path).toBe('/ingest/otlp?key=1');
    expect(backend.received[0]?.headers['content-encoding']).toBeUndefined();
  });

  it.each<[string, Reply]>([
    ['429', { status: 429 }],
    ['502', { status: 502, body: '<html>\u001b[31m' }],
    ['503', { status: 503, headers: { 'retry-after': '0' } }],
    ['504', { status: 504 }],
    ['500', { status: 500 }],
    ['a wrong token', { status: 401 }],
    ['a wrong path', { status: 404 }],
    ['a redirect', { status: 301, headers: { location: '/' } }],
    ['a connection that is closed', 'close'],
    ['an answer that is not HTTP', 'garbage'],
  ])('retries after %s', async (_, reply) => {
    const { backend, under, ids } = await storedAndSent([reply, reply]);
    expect(backend.ids()).toEqual(ids);
    expect(under.metric('faultline_exporter_send_attempts', { outcome: 'retry' })).toBe(2);
    expect(under.metric('faultline_exporter_send_attempts', { outcome: 'success' })).toBe(1);
    expect(under.exporter.stats()).toMatchObject({ sent: 4, lost: 0, last_error: { message: expect.any(String) } });
    expect(under.exporter.stats().last_error?.message).not.toMatch(/\p{Cc}/u);
  });

  it('retries if no response arrives in time', async () => {
    const { backend, ids } = await storedAndSent(['hang'], 'timeout=50ms');
    expect(backend.ids()).toEqual(ids);
  });

  it.each([
    ['seconds', () => '3600'],
    ['a date', () => new Date(Date.now() + 3_600_000).toUTCString()],
  ])('waits as long as the server asks for in %s, and stops soon during that wait', async (_, asked) => {
    const backend = await startBackend();
    backend.respond = () => ({ status: 429, headers: { 'retry-after': asked() } });
    const impatient = await startBackend();
    impatient.respond = () => ({ status: 429 });
    const often = 'retry_on_failure.max_interval=1ms';
    for (const { url } of [backend, impatient]) {
      const store = await storeUnderTest();
      await store.append({});
      await startExporter(store.store, url, often);
    }
    await waitFor('many tries of the one that is not asked to wait', () => impatient.received.length >= 20);
    await waitFor('the first try', () => backend.received.length > 0);
    await stopExporters();
    expect(backend.received).toHaveLength(1);
  });

  it('counts a failure if a response is cut off on a connection that was used before', async () => {
    const store = await storeUnderTest();
    const backend = await startBackend();
    const under = await startExporter(store.store, backend.url);
    const ids: string[] = [];
    for (const broken of [false, true]) {
      backend.respond = (_, nth) => (broken && nth === 1 ? 'break' : { status: 200 });
      ids.push(...(await store.append({ message: String(broken) })).map(({ event_id }) => event_id));
      await idle(under);
    }
    expect(backend.ids()).toEqual(ids);
    expect(backend.received).toHaveLength(3);
    expect(under.metric('faultline_exporter_send_attempts', { outcome: 'retry' })).toBe(1);
  });

  it('continues in the middle of a divided batch after a restart', async () => {
    const store = await storeUnderTest();
    const stored = await store.append(...['1', '2', '3', '4', '5'].map((message) => ({ message })));
    const backend = await startBackend();
    backend.respond = (request) => {
      if (recordsOf(request).length > 2) return { status: 413 };
      return backend.accepted.length === 1 ? 'hang' : { status: 200 };
    };
    const under = createExporter(store.store, backend.url);
    await under.exporter.start();
    // Requests of five, three, two events (accepted) and one event (hangs).
    await waitFor('the request that hangs', () => backend.received.length === 4);
    await under.exporter.shutdown();
    expect(backend.ids()).toHaveLength(2);
    backend.respond = () => ({ status: 200 });
    await idle(await startExporter(store.store, backend.url));
    expect(backend.ids()).toEqual(stored.map(({ event_id }) => event_id));
  });

  it('logs once that its cursor cannot be written, keeps sending, and writes it when it stops', async () => {
    const store = await storeUnderTest();
    const stored = await store.append(...Array.from({ length: 9 }, (_, nth) => ({ message: String(nth) })));
    const backend = await startBackend();
    let isFull = true;
    const following = followWith(store, (follower) => ({
      commit: (position) => (isFull ? Promise.reject(new Error('ENOSPC')) : follower.commit(position)),
    }));
    const under = createExporter(following, backend.url, 'sending_queue.max_batch_events=1');
    await under.exporter.start();
    await waitFor('everything', () => under.exporter.stats().sent === 9);
    expect(under.exporter.stats()).toMatchObject({ failing: true, waiting: 9, lost: 0 });
    isFull = false;
    await under.exporter.shutdown();
    const again = await startExporter(store.store, backend.url);
    expect(again.exporter.stats()).toMatchObject({ waiting: 0 });
    expect(backend.ids()).toEqual(stored.map(({ event_id }) => event_id));
    expect(under.logged.map(({ msg }) => msg)).toEqual(['sending fails', 'sending resumed']);
  });

  it('is unhealthy while it fails, with the reason', async () => {
    const store = await storeUnderTest();
    const backend = await startBackend();
    backend.respond = () => ({ status: 503, body: 'the disk is full', headers: { 'content-type': 'text/plain' } });
    const under = await startExporter(store.store, backend.url);
    await store.append({});
    const failing = await waitFor('an error', () => under.states.snapshot().find(({ error }) => error !== undefined));
    expect(failing).toMatchObject({
      status: 'StatusRecoverableError',
      error: 'the server answered 503: the disk is full',
    });
    expect(under.metric('faultline_exporter_queue_size')).toBe(1);
    backend.respond = () => ({ status: 200 });
    await waitFor('it to be well', () => under.states.snapshot()[0]?.status === 'StatusOK');
    expect(under.logged.map(({ msg }) => msg)).toEqual(['sending fails', 'sending resumed']);
  });

  it.each([400, 415, 422])('skips events after a response of %i, and reports it', async (status) => {
    const { backend, under } = await storedAndSent([{ status }], 'sending_queue.max_batch_events=3');
    expect(backend.ids()).toHaveLength(1);
    expect(under.metric('faultline_exporter_send_failed_log_records')).toBe(3);
    expect(under.exporter.stats()).toMatchObject({
      sent: 1,
      lost: 3,
      last_error: { message: `the server answered ${status}` },
    });
    expect(under.logged).toContainEqual(
      expect.objectContaining({ events: 3, reason: `the server answered ${status}` }),
    );
  });

  it('halves a batch that is too large, and skips a record that is too large alone', async () => {
    const store = await storeUnderTest();
    const messages = ['1', '2', '3', 'x'.repeat(2000), '5'];
    const stored = await store.append(...messages.map((message) => ({ message })));
    const backend = await startBackend();
    backend.respond = (request) => {
      const records = recordsOf(request);
      const isLarge = records.length > 2 || records.some(({ body }) => (body.stringValue ?? '').length > 1000);
      return { status: isLarge ? 413 : 200 };
    };
    const under = await startExporter(store.store, backend.url);
    await idle(under);
    expect(backend.ids()).toEqual(stored.map(({ event_id }) => event_id).filter((_, index) => index !== 3));
    expect(under.exporter.stats()).toMatchObject({ sent: 4, lost: 1 });
  });

  it.each<[string, Reply]>([
    [
      'json',
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ partialSuccess: { rejectedLogRecords: '3', errorMessage: 'no\u202e \u001b[1mroom' } }),
      },
    ],
    [
      'proto',
      {
        status: 200,
        headers: { 'content-type': 'application/x-protobuf' },
        body: Buffer.concat([Buffer.from('0a0e0803120a', 'hex'), Buffer.from('no\u202e room', 'utf8')]),
      },
    ],
  ])('counts the rejections that a server reports in %s', async (_, reply) => {
    const { under } = await storedAndSent([reply]);
    expect(under.exporter.stats()).toMatchObject({ sent: 1, lost: 3 });
    expect(under.exporter.stats().last_error?.message).toMatch(/rejected some records of the request: no\\u\{202e\} /);
    expect(under.metric('faultline_exporter_send_failed_log_records')).toBe(3);
  });

  it.each<[string, Reply]>([
    ['a body that is not JSON', { status: 200, headers: { 'content-type': 'application/json' }, body: '{"partial' }],
    ['a broken message', { status: 200, headers: { 'content-type': 'application/x-protobuf' }, body: '\u000a\u00ff' }],
    [
      'a negative number',
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"partialSuccess":{"rejectedLogRecords":"-5"}}',
      },
    ],
    [
      'more than a request can hold',
      { status: 200, headers: { 'content-type': 'text/html' }, body: 'x'.repeat(1_000_000) },
    ],
  ])('treats a success with %s as a success', async (_, reply) => {
    const { under } = await storedAndSent([reply]);
    expect(under.exporter.stats()).toMatchObject({ sent: 4, lost: 0 });
  });

  it('gives up after max_elapsed_time, and without retries at once', async () => {
    const down: Reply[] = Array.from({ length: 1000 }, (_, nth) => ({ status: nth < 1 ? 503 : 200 }));
    const { under } = await storedAndSent(down, 'retry_on_failure.enabled=false', 'sending_queue.max_batch_events=3');
    expect(under.exporter.stats()).toMatchObject({ sent: 1, lost: 3 });
    const other = await storedAndSent(
      [{ status: 503, headers: { 'retry-after': '9' } }],
      'retry_on_failure.max_elapsed_time=5s',
    );
    expect(other.under.exporter.stats()).toMatchObject({ sent: 0, lost: 4 });
  });

  it('stops soon while a server hangs, and sends the same events after a restart', async () => {
    const store = await storeUnderTest();
    const stored = await store.append({ message: '1' }, { message: '2' });
    const backend = await startBackend();
    backend.respond = (_, nth) => (nth === 0 ? 'hang' : { status: 200 });
    const under = createExporter(store.store, backend.url);
    await under.exporter.start();
    await waitFor('a request', () => backend.received.length === 1);
    expect(under.metric('faultline_exporter_in_flight_requests')).toBe(1);
    await under.exporter.shutdown();
    expect(under.metric('faultline_exporter_queue_size')).toBeUndefined();
    expect(under.exporter.stats()).toMatchObject({ sent: 0, lost: 0 });
    await idle(await startExporter(store.store, backend.url));
    expect(backend.ids()).toEqual(stored.map(({ event_id }) => event_id));
  });

  it('sends events again, with the same ids, if it ended before it wrote its cursor', async () => {
    const store = await storeUnderTest();
    const stored = await store.append({ message: '1' }, { message: '2' });
    const backend = await startBackend();
    const under = createExporter(
      followWith(store, () => ({ commit: () => Promise.reject(new Error('killed')) })),
      backend.url,
    );
    await under.exporter.start();
    await waitFor('everything', () => under.exporter.stats().sent === 2);
    await under.exporter.shutdown();
    await idle(await startExporter(store.store, backend.url));
    const ids = stored.map(({ event_id }) => event_id);
    expect(backend.ids()).toEqual([...ids, ...ids]);
  });

  it('counts events that retention removed before they were sent', async () => {
    const store = await storeUnderTest();
    const committed = { receivedAtMicros: 0, taken: 0, passed: 0 };
    const status = { committed, waiting: 2, oldestMicros: undefined, removed: 7, unreadable: 0, isHeldFor: true };
    const backend = await startBackend();
    const under = await startExporter(
      followWith(store, () => ({ status: () => status })),
      backend.url,
    );
    expect(under.exporter.stats()).toMatchObject({ waiting: 2, lost: 7, retention_held: true });
    expect(under.metric('faultline_exporter_enqueue_failed_log_records')).toBe(7);
    expect(under.metric('faultline_exporter_retention_held')).toBe(1);
    expect(under.logged).toContainEqual(expect.objectContaining({ events: 7 }));
  });

  it.each(['ca_file', 'cert_file', 'key_file'])('names tls.%s if its file cannot be read', async (setting) => {
    const other = setting === 'cert_file' ? 'key_file' : 'cert_file';
    const pair = setting === 'ca_file' ? [] : [`tls.${other}=/dev/null`];
    const store = await storeUnderTest();
    const path = `${await temporaryFolder()}/none.pem`;
    const { exporter } = createExporter(store.store, 'https://127.0.0.1:1', `tls.${setting}=${path}`, ...pair);
    await expect(exporter.start()).rejects.toMatchObject({
      code: 'TLS_UNREADABLE',
      message: expect.stringContaining(`exporters.otlp_http.tls.${setting}`),
    });
    await exporter.shutdown();
  });
});
