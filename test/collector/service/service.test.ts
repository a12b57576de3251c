import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { pino } from 'pino';
import { Service } from '../../../collector/service/service.js';
import type { Fault } from '../../../core/event/fault.js';
import { RAW_PAYLOAD_KEYS } from '../../../core/event/raw-payload.js';
import type { EventDetail, EventPage, IssuePage, Stats } from '../../../generated/reader-answers.js';
import { kindOfFailure, serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { openRawConnection, rawPost } from '../raw-connection.js';
import { originOf, settingsFor, startService, stopServices } from '../running-service.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

async function get<T>(url: string): Promise<T> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

describe('the collector', () => {
  it('responds to an event with the path from which it can be read', async () => {
    const directory = await temporaryFolder();
    const { eventsUrl, apiUrl } = await startService(settingsFor(directory));
    const { body } = await post(eventsUrl, JSON.stringify(serverPayload()));
    const [sent] = body.events ?? [];
    const event = await get<EventDetail>(`${apiUrl}/events/${sent?.event_id}`);
    expect(event).toMatchObject({
      event_id: sent?.event_id,
      issue_id: sent?.issue_id,
      raw: sent?.raw,
      normalized: { event_id: sent?.event_id, fingerprint: sent?.fingerprint },
    });
    expect(event.raw.payload).toEqual(serverPayload());
    const events = await get<EventPage>(`${apiUrl}/issues/${sent?.issue_id}/events`);
    expect(events.events.map(({ event_id }) => event_id)).toEqual([sent?.event_id]);
  });

  it('returns every accepted event as the payload of its raw line', async () => {
    const { eventsUrl, apiUrl } = await startService(settingsFor(await temporaryFolder()));
    const key = fc.oneof(
      fc.constantFrom(...RAW_PAYLOAD_KEYS, '__proto__', 'constructor'),
      fc.string({ unit: 'binary' }),
    );
    const value = fc.oneof(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.constantFrom('\ud800', '\u0000\n', '../..', 1e308, -0),
    );
    const payloads = fc.sample(
      fc.tuple(key, value).map(([name, given]) => ({ ...serverPayload(), [name]: given })),
      { numRuns: 60, seed: 1 },
    );
    const { status, body } = await post(eventsUrl, JSON.stringify(payloads));
    expect(status).toBe(200);
    expect(body.accepted + (body.rejected_count ?? body.rejected.length)).toBe(payloads.length);
    for (const { event_id, raw } of body.events ?? []) {
      const event = await get<EventDetail>(`${apiUrl}/events/${event_id}`);
      const line = (await readFile(raw.path, 'utf8')).split('\n')[raw.line];
      expect(event.raw.payload).toEqual(JSON.parse(line ?? ''));
    }
  });

  it('keeps stored events across a restart, and its counters start at zero', async () => {
    const settings = settingsFor(await temporaryFolder());
    const first = await startService(settings);
    await post(first.eventsUrl, JSON.stringify([serverPayload(), kindOfFailure(1), {}]));
    expect((await get<Stats>(`${first.apiUrl}/stats`)).receivers['events']).toMatchObject({
      received: 3,
      stored: 2,
      rejected: 1,
    });
    await first.service.shutdown();
    const second = await startService(settings);
    expect((await get<IssuePage>(`${second.apiUrl}/issues`)).total).toBe(2);
    const stats = await get<Stats>(`${second.apiUrl}/stats`);
    expect(stats).toMatchObject({ events: 2, receivers: { events: { received: 0 } } });
  });

  it('logs a line for each component that starts and stops, and none for events', async () => {
    const { service, eventsUrl, logged } = await startService(settingsFor(await temporaryFolder()));
    await post(eventsUrl, JSON.stringify([serverPayload(), {}]));
    await service.shutdown();
    expect(logged.map(({ component, msg }) => `${component} ${msg}`)).toEqual([
      'store started',
      'memory_limiter started',
      'query started',
      'events started',
      'events stopped',
      'query stopped',
      'memory_limiter stopped',
      'store stopped',
    ]);
  });

  it('serves receivers and reading from one endpoint if they have the same', async () => {
    const { eventsUrl, apiUrl } = await startService(
      settingsFor(await temporaryFolder(), 'receivers.events.endpoint=localhost:0'),
    );
    expect(new URL(eventsUrl).port).toBe(new URL(apiUrl).port);
    await post(eventsUrl, JSON.stringify(serverPayload()));
    expect((await get<IssuePage>(`${apiUrl}/issues`)).total).toBe(1);
  });
});

describe('pipelines with several components of a kind', () => {
  it('send the events of one receiver to every exporter of every pipeline', async () => {
    const [first, second] = [await temporaryFolder(), await temporaryFolder()];
    const settings = settingsFor(
      first,
      `exporters.store/copy.directory=${second}`,
      'service.pipelines.events/copy.receivers=[events]',
      'service.pipelines.events/copy.exporters=[store/copy, store]',
    );
    const { eventsUrl, service } = await startService(settings);
    const { status, body } = await post(eventsUrl, JSON.stringify(serverPayload()));
    expect(status).toBe(200);
    expect(body.events?.[0]?.raw.path.startsWith(first)).toBe(true);
    await service.shutdown();
    for (const [directory, events] of [
      [first, 2],
      [second, 1],
    ] as const) {
      const { apiUrl } = await startService(settingsFor(directory));
      expect((await get<Stats>(`${apiUrl}/stats`)).events).toBe(events);
    }
  });

  it('have an account for each receiver', async () => {
    const settings = settingsFor(
      await temporaryFolder(),
      'receivers.events/browser.endpoint=127.0.0.2:0',
      'receivers.events/browser.defaults.app=web',
      'service.pipelines.events.receivers=[events, events/browser]',
    );
    const { service, apiUrl } = await startService(settings);
    const [, browser] = service.describe().receivers;
    const { app: _, ...withoutApp } = serverPayload();
    await post(browser?.url ?? '', JSON.stringify(withoutApp));
    const stats = await get<Stats>(`${apiUrl}/stats`);
    expect(stats.receivers).toMatchObject({ events: { received: 0 }, 'events/browser': { received: 1, stored: 1 } });
    const urls = service.describe().receivers.map(({ id, url }) => [id, url]);
    expect(stats.endpoints).toEqual(Object.fromEntries(urls));
    expect(Object.values(stats.endpoints)).toEqual([expect.stringMatching(/^http:.*:[1-9]/), expect.any(String)]);
  });
});

describe('a failed start', () => {
  let holder: Server | undefined;
  afterEach(() => holder?.close());

  it('names the component and the endpoint, and leaves nothing running', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    holder = server;
    await waitFor('the port', () => server.listening);
    const { port } = server.address() as { port: number };
    const directory = await temporaryFolder();
    const fault = await startService(settingsFor(directory, `receivers.events.endpoint=127.0.0.1:${port}`)).then(
      () => undefined,
      (error: Fault) => error,
    );
    expect(fault).toMatchObject({ code: 'LISTEN_FAILED' });
    expect(fault?.message).toContain(`receiver events did not start: cannot listen on 127.0.0.1:${port}`);
    await startService(settingsFor(directory));
  });

  it('names the cause if another collector uses the folder', async () => {
    const settings = settingsFor(await temporaryFolder());
    await startService(settings);
    await expect(startService(settings)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringMatching(/^The data folder is in use by process \d+ on \S+ since \S+\. Stop it first\.$/),
    });
  });
});

describe('a stop', () => {
  it('under load loses no acknowledged event', async () => {
    const settings = settingsFor(await temporaryFolder());
    const first = await startService(settings);
    const acknowledged: string[] = [];
    let isStopped = false;
    const sender = async (name: number): Promise<void> => {
      for (let sent = 0; !isStopped; sent++) {
        const events = Array.from({ length: 20 }, (_, index) =>
          serverPayload({ request_id: `${name}-${sent}-${index}` }),
        );
        const response = await post(first.eventsUrl, JSON.stringify(events)).catch(() => undefined);
        if (response?.status === 200)
          acknowledged.push(...(response.body.events ?? []).map(({ event_id }) => event_id));
        else expect([503, undefined]).toContain(response?.status);
      }
    };
    const senders = Array.from({ length: 4 }, (_, name) => sender(name));
    await waitFor('some hundred events', () => acknowledged.length > 300);
    await first.service.shutdown();
    isStopped = true;
    await Promise.all(senders);
    const second = await startService(settings);
    const { events } = await get<Stats>(`${second.apiUrl}/stats`);
    expect(events).toBeGreaterThanOrEqual(acknowledged.length);
    for (const id of [acknowledged[0], acknowledged.at(-1)]) await get(`${second.apiUrl}/events/${id}`);
  });

  it('does not wait for a client that never ends its request', async () => {
    const { service, eventsUrl, apiUrl } = await startService(settingsFor(await temporaryFolder()), 1_000);
    const connection = await openRawConnection(Number(new URL(eventsUrl).port));
    connection.write(rawPost(JSON.stringify(serverPayload())).slice(0, -10));
    await waitFor('the collector to be up', async () => (await fetch(`${apiUrl}/stats`)).ok);
    await service.shutdown();
    await connection.untilClosed();
  });

  it('may be called twice, before the start, and during it', async () => {
    const settings = settingsFor(await temporaryFolder());
    const build = () => new Service(settings, { logger: pino({ level: 'silent' }) });
    await build().shutdown();
    const starting = build();
    const started = starting.start();
    started.catch(() => undefined);
    await starting.shutdown();
    await expect(started).rejects.toMatchObject({ code: 'COLLECTOR_STOPPING' });
    const { service } = await startService(settings);
    await Promise.all([service.shutdown(), service.shutdown()]);
  });

  it('that takes too long is logged', async () => {
    const logged: Record<string, unknown>[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
    const service = new Service(settingsFor(await temporaryFolder()), { logger, shutdownTimeoutMs: 0 });
    await service.start();
    await post(`${originOf({ service }, 'events')}/v1/events`, JSON.stringify(serverPayload()));
    await expect(service.shutdown()).rejects.toMatchObject({ code: 'SHUTDOWN_INCOMPLETE' });
    await waitFor('the store to close behind it', () =>
      logged.some(({ component, msg }) => component === 'store' && msg === 'stopped'),
    );
  });
});
