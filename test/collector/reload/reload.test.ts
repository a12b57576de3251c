import { credentials, Metadata, makeClientConstructor } from '@grpc/grpc-js';
import type { Fault } from '../../../core/event/fault.js';
import type { IssuePage } from '../../../generated/reader-answers.js';
import { kindOfFailure, serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { post } from '../post.js';
import { openRawConnection, rawPost } from '../raw-connection.js';
import { attributesJson, ERROR, logJson, logProtobuf, logsBody } from '../receivers/otlp/bodies.js';
import { STORE_PATH } from '../receivers/sentry/running-sentry.js';
import { originOf, type RunningService, startService, statsOf, stopServices, urlOf } from '../running-service.js';
import { LIMITER, onFixedPorts } from './fixed-ports.js';
import { SteadySender } from './steady-sender.js';
import { storedRequestIds } from './stored-request-ids.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

function portOf({ eventsUrl }: Pick<RunningService, 'eventsUrl'>): number {
  return Number(new URL(eventsUrl).port);
}

describe('a reload under load', () => {
  it('stores every event that arrives meanwhile exactly once, and refuses none', async () => {
    const { directory, settings } = await onFixedPorts();
    const extra = [
      'receivers.events/extra.endpoint=127.0.0.2:0',
      'service.pipelines.events/extra.receivers=[events/extra]',
      'service.pipelines.events/extra.exporters=[store]',
    ];
    const variants = [
      ['receivers.events.max_events_per_request=500'],
      [...LIMITER],
      [...LIMITER, ...extra],
      ['exporters.store.durability=os'],
      ['exporters.store.retention.max_size=1GiB', ...extra, 'receivers.events.idempotency_window=1m'],
      [],
    ];
    const service = await startService(settings());
    const sender = new SteadySender(() => service.eventsUrl, 'steady');
    for (let turn = 0; turn < 2 * variants.length; turn++) {
      const before = sender.sent.length;
      expect(await service.service.reload(settings(...(variants[turn % variants.length] ?? [])))).toBe(true);
      await waitFor('more events', () => sender.sent.length > before || sender.faults.length > 0);
    }
    await sender.stop();
    expect(sender.faults).toEqual([]);
    expect(await storedRequestIds(directory)).toEqual(sender.sent.toSorted());
    const { events, receivers } = await statsOf(service);
    expect(events).toBe(sender.sent.length);
    expect(receivers['events']).toMatchObject({ received: events, stored: events, refused: 0 });
  });

  it('changes the folder of a store: later events are in the new one', async () => {
    const { directory, settings } = await onFixedPorts();
    const other = await temporaryFolder();
    const service = await startService(settings());
    const sender = new SteadySender(() => service.eventsUrl, 'moved');
    await waitFor('some events', () => sender.sent.length > 50);
    await service.service.reload(settings(`exporters.store.directory=${other}`));
    const moved = sender.sent.length;
    await waitFor('more events', () => sender.sent.length > moved + 50);
    await sender.stop();
    expect(sender.faults).toEqual([]);
    expect(await storedRequestIds(directory, other)).toEqual(sender.sent.toSorted());
    expect((await statsOf(service)).events).toBeGreaterThan(0);
    expect(service.service.describe().exporters).toMatchObject([{ directory: other }]);
  });

  it('lets a request that began before it finish in the old pipelines', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const slow = await openRawConnection(portOf(service));
    const text = rawPost(JSON.stringify(serverPayload({ request_id: 'slow' })));
    slow.write(text.slice(0, -20));
    await waitFor('the collector to be up', async () => (await statsOf(service)).events === 0);
    const reload = service.service.reload(settings('receivers.events.max_request_body_size=16B'));
    const next = post(service.eventsUrl, '{"a":"0123456789"}');
    slow.write(text.slice(-20));
    await slow.receive(/HTTP\/1\.1 200/);
    slow.socket.destroy();
    // Requests that arrive meanwhile wait for the new settings.
    expect((await next).status).toBe(413);
    await reload;
    expect((await statsOf(service)).events).toBe(1);
  });
});

describe('a reload', () => {
  it('of equal settings changes nothing, and reports that', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'again' };
    const first = await post(service.eventsUrl, JSON.stringify(serverPayload()), headers);
    expect(await service.service.reload(settings())).toBe(false);
    const second = await post(service.eventsUrl, JSON.stringify(serverPayload()), headers);
    expect(second.body.events?.[0]?.event_id).toBe(first.body.events?.[0]?.event_id);
    expect(service.logged.filter(({ msg }) => msg === 'stopped')).toEqual([]);
  });

  it.each([
    ['its settings change', 'exporters.store.durability=os', 3],
    [
      'its windows change',
      'receivers.events.idempotency_window=1m receivers.sentry.idempotency_window=1m receivers.otlp.join_window=1m',
      6,
    ],
  ])('stores a repeated request again only if its window changes: %s', async (_, sets, stored) => {
    const { settings } = await onFixedPorts();
    const all = [
      'service.pipelines.events.receivers=[events, otlp, sentry]',
      'receivers.otlp.protocols.grpc=null',
      'receivers.otlp.protocols.http.endpoint=127.0.0.2:0',
      'receivers.sentry.endpoint=127.0.0.3:0',
    ];
    const service = await startService(settings(...all));
    const log = logJson(undefined, { attributes: attributesJson({ ...ERROR, 'log.record.uid': 'again' }) });
    const json = { 'content-type': 'application/json' };
    const sendAll = async () => {
      const responses = [
        await post(service.eventsUrl, JSON.stringify(serverPayload()), { ...json, 'idempotency-key': 'again' }),
        await post(`${originOf(service, 'otlp')}/v1/logs`, logsBody(log), json),
        await post(
          originOf(service, 'sentry') + STORE_PATH,
          JSON.stringify({ event_id: '0123456789abcdef0123456789abcdef', message: 'again' }),
          json,
        ),
      ];
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    };
    await sendAll();
    expect(await service.service.reload(settings(...all, ...sets.split(' ')))).toBe(true);
    await sendAll();
    expect((await statsOf(service)).events).toBe(stored);
  });

  it('keeps the open store if its settings are the same, and opens it again otherwise', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const openings = () => service.logged.filter(({ component, msg }) => component === 'store' && msg === 'started');
    await service.service.reload(settings(...LIMITER));
    await service.service.reload(settings('receivers.events.max_events_per_request=5'));
    expect(openings()).toHaveLength(1);
    await service.service.reload(settings('exporters.store.durability=os'));
    expect(openings()).toHaveLength(2);
  });

  it('lets a request on a kept connection wait, and responds there', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const kept = await openRawConnection(portOf(service));
    kept.write(rawPost(JSON.stringify(serverPayload())));
    await kept.receive(/HTTP\/1\.1 200.*\}$/s);
    const reload = service.service.reload(settings('exporters.store.durability=os'));
    kept.write(rawPost(JSON.stringify(serverPayload())));
    await kept.receive(/HTTP\/1\.1 200.*HTTP\/1\.1 200/s);
    kept.socket.destroy();
    await reload;
    expect((await statsOf(service)).events).toBe(2);
  });

  it('adds a processor to a pipeline, and removes it', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const filter = ['processors.filter.drop=["message:*secret*"]', 'service.pipelines.events.processors=[filter]'];
    const send = () => post(service.eventsUrl, JSON.stringify(kindOfFailure(1, { message: 'a secret word' })));
    await send();
    await service.service.reload(settings(...filter));
    await send();
    expect(await statsOf(service)).toMatchObject({ events: 1, receivers: { events: { stored: 1, filtered: 1 } } });
    await service.service.reload(settings());
    await send();
    expect(await statsOf(service)).toMatchObject({ events: 2, receivers: { events: { stored: 2, filtered: 1 } } });
  });

  it('replaces a store by one with another name and other settings, and reading continues', async () => {
    const { directory, settings } = await onFixedPorts();
    const service = await startService(settings());
    await post(service.eventsUrl, JSON.stringify(serverPayload()));
    const renamed = settings(
      `exporters.store/main.directory=${directory}/.`,
      'exporters.store/main.retention.max_age=24h',
      'service.pipelines.events.exporters=[store/main]',
    );
    await service.service.reload(renamed);
    expect(service.service.describe().exporters).toMatchObject([
      { id: 'store/main', keeps: expect.stringContaining('1 day') },
    ]);
    await post(service.eventsUrl, JSON.stringify(serverPayload()));
    expect((await statsOf(service)).events).toBe(2);
  });

  it('restarts the followers of a store whose settings change', async () => {
    const { settings } = await onFixedPorts();
    const follow = ['exporters.debug={}', 'service.pipelines.events.exporters=[store, debug]'];
    const service = await startService(settings(...follow));
    await post(service.eventsUrl, JSON.stringify(serverPayload()));
    await service.service.reload(settings(...follow, 'exporters.store.durability=os'));
    await post(service.eventsUrl, JSON.stringify(serverPayload()));
    expect((await statsOf(service)).events).toBe(2);
    await service.service.reload(settings());
    const levels = service.logged.map(({ level }) => Number(level));
    expect(Math.max(...levels)).toBeLessThan(50);
  });

  it('moves a receiver to every address of its port, to another port, and back', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const { eventsUrl } = service;
    await service.service.reload(settings(`receivers.events.endpoint=localhost:${portOf(service)}`));
    expect((await post(eventsUrl, JSON.stringify(serverPayload()))).status).toBe(200);
    await service.service.reload(settings('receivers.events.endpoint=127.0.0.2:0'));
    await expect(post(eventsUrl, '{}')).rejects.toThrow();
    expect((await post(urlOf(service, 'events'), JSON.stringify(serverPayload()))).status).toBe(200);
    await service.service.reload(settings());
    expect((await post(urlOf(service, 'events'), JSON.stringify(serverPayload()))).status).toBe(200);
    expect((await statsOf(service)).events).toBe(3);
  });

  it('lets HTTP and gRPC swap their ports', async () => {
    const { settings } = await onFixedPorts();
    const otlp = (http: number, grpc: number) =>
      settings(
        'service.pipelines.events.receivers=[events, otlp]',
        `receivers.otlp.protocols.http.endpoint=127.0.0.2:${http}`,
        `receivers.otlp.protocols.grpc.endpoint=localhost:${grpc}`,
      );
    const service = await startService(otlp(0, 0));
    const one = Number(new URL(urlOf(service, 'otlp', 'http')).port);
    const other = Number(new URL(urlOf(service, 'otlp', 'grpc')).port);
    await service.service.reload(otlp(other, one));
    const response = await fetch(`http://127.0.0.2:${other}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: logsBody(logJson(undefined, { traceId: '', spanId: '' })),
    });
    expect(response.status).toBe(200);
    const Client = makeClientConstructor({}, 'otlp');
    const client = new Client(`127.0.0.1:${one}`, credentials.createInsecure());
    const identity = (bytes: Buffer): Buffer => bytes;
    const path = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
    const error = await new Promise((resolve) => {
      client.makeUnaryRequest(path, identity, identity, logProtobuf('swapped'), new Metadata(), {}, resolve);
    });
    client.close();
    expect(error).toBeNull();
    expect((await statsOf(service)).events).toBe(2);
  });

  it('ends streams of a store that is opened again, and new streams use the new one', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const stream = await fetch(`${service.apiUrl}/stream`);
    expect(stream.status).toBe(200);
    const ended = stream.text();
    await service.service.reload(settings('exporters.store.checkpoint_interval=1s'));
    await ended;
    const again = await fetch(`${service.apiUrl}/stream`);
    expect(again.status).toBe(200);
    await again.body?.cancel();
    expect((await fetch(`${service.apiUrl}/issues`)).status).toBe(200);
  });

  it('waits for the previous one', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const reloads = [settings(...LIMITER), settings(), settings()].map((one) => service.service.reload(one));
    expect(await Promise.all(reloads)).toEqual([true, true, false]);
  });
});

describe('a stop', () => {
  it('during a reload is clean, and the reload fails because the collector stops', async () => {
    const { settings } = await onFixedPorts();
    const service = await startService(settings());
    const reload = service.service.reload(settings('exporters.store.durability=os', ...LIMITER)).catch(() => undefined);
    await Promise.all([service.service.shutdown(), reload]);
    const again = await startService(settings());
    expect((await fetch(`${again.apiUrl}/issues`)).ok).toBe(true);
    expect(((await (await fetch(`${again.apiUrl}/issues`)).json()) as IssuePage).total).toBe(0);
    await service.service.reload(settings()).then(
      () => Promise.reject(new Error('a stopped collector reloaded')),
      (fault: Fault) => expect(fault.code).toBe('COLLECTOR_STOPPING'),
    );
  });
});
