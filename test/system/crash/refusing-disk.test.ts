import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { StoreExporter } from '../../../collector/component/built-in.js';
import { IngestMemory } from '../../../collector/component/ingest-memory.js';
import { EventStoreExporter } from '../../../collector/exporters/store-exporter.js';
import { createQueryExtension } from '../../../collector/extensions/query-extension.js';
import { RegroupJobs } from '../../../collector/query/regroup-jobs.js';
import { EventsReceiver } from '../../../collector/receivers/events/events-receiver.js';
import { Ledger } from '../../../collector/telemetry/ledger.js';
import { hasSettingsType } from '../../../config/component-settings.js';
import { openEventStore } from '../../../core/storage/event-store.js';
import { nodeFiles } from '../../../core/storage/files/node-files.js';
import { post } from '../../collector/post.js';
import { settingsFor, startService, statsOf } from '../../collector/running-service.js';
import { createServers, serveComponents } from '../../collector/serve-components.js';
import { REFUSALS, type RefusingFiles, refusingFiles } from '../../core/storage/safety/refusing-files.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

/** Receiver, store and query API as the service builds them, over a disk that can fail. */
interface TestPipeline {
  readonly disk: RefusingFiles;
  readonly eventsUrl: string;
  readonly apiUrl: string;
  readonly logged: Record<string, unknown>[];
  stop(): Promise<void>;
}

async function startPipeline(directory: string): Promise<TestPipeline> {
  const { receivers, exporters, extensions } = settingsFor(directory);
  const [events, store, query] = [receivers['events'], exporters['store'], extensions['query']];
  if (events === undefined || store === undefined || query === undefined) throw new Error('the defaults changed');
  const areKnown = hasSettingsType('store', 'store', store) && hasSettingsType('query', 'query', query);
  if (!areKnown || !hasSettingsType('events', 'events', events)) throw new Error('the defaults changed');
  const disk = refusingFiles(nodeFiles);
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const servers = createServers({ logger }, 2_000);
  const ledger = new Ledger();
  const exporter: StoreExporter = new EventStoreExporter({
    settings: store,
    logger,
    openStore: (options) => openEventStore({ ...options, files: disk.files }),
  });
  const extension = createQueryExtension('query', query, {
    authenticatorOf: () => undefined,
    servers,
    ledger,
    reader: () => exporter.opened().reader,
    actions: () => exporter.opened(),
    releases: () => exporter.opened(),
    changes: () => exporter.opened(),
    regroupings: new RegroupJobs({ store: () => exporter.opened(), logger }),
    serviceStats: () => ({ endpoints: {} }),
  });
  const receiver = new EventsReceiver({
    id: 'events',
    settings: events,
    authenticatorOf: () => undefined,
    keepAcrossReloads: (_, make) => make(),
    servers,
    consumer: exporter,
    account: ledger.account('events'),
    ingest: new IngestMemory(),
  });
  const served = await serveComponents(servers, { store: exporter, query: extension, events: receiver });
  return {
    disk,
    eventsUrl: receiver.urls[0] ?? '',
    apiUrl: `${extension.url}/api/v1`,
    logged,
    stop: () => served.stop(),
  };
}

const events = (label: string): string =>
  JSON.stringify([0, 1, 2].map((index) => kindOfFailure(index, { request_id: `${label}-${index}` })));

async function get(url: string): Promise<{ status: number; body: Record<string, unknown>; retryAfter: string | null }> {
  const response = await fetch(url);
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new Error('the response is not an object');
  return { status: response.status, body: { ...body }, retryAfter: response.headers.get('retry-after') };
}

describe('a collector whose disk fails', () => {
  it.each(REFUSALS)(
    'with %s responds 503, still serves reads, and accepts events later, with correct counts in the ledger',
    async (code) => {
      const directory = await temporaryFolder();
      const pipeline = await startPipeline(directory);
      const { body } = await post(pipeline.eventsUrl, events('before'));
      const ids = (body.events ?? []).map(({ event_id }) => event_id);
      expect(ids).toHaveLength(3);

      pipeline.disk.arm({ code, from: 0, times: Number.POSITIVE_INFINITY, onlyChanges: true });
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const refused = await post(pipeline.eventsUrl, events(`refused-${attempt}`));
        expect(refused).toMatchObject({ status: 503, body: { code: 'STORE_UNAVAILABLE', accepted: 0, next_index: 0 } });
        expect(refused.headers.get('retry-after')).toBe('1');
        expect(refused.body.detail).toContain(code);
      }
      const actionsUrl = `${pipeline.apiUrl}/issues/${body.events?.[0]?.issue_id}/actions`;
      const failedAction = await post(actionsUrl, JSON.stringify({ action: 'resolve' }));
      expect(failedAction).toMatchObject({ status: 503, body: { code: 'STORE_UNAVAILABLE' } });
      expect(failedAction.headers.get('retry-after')).toBe('1');
      expect(await get(`${pipeline.apiUrl}/issues?query=is:resolved`)).toMatchObject({
        status: 200,
        body: { total: 0 },
      });
      expect(await get(`${pipeline.apiUrl}/issues`)).toMatchObject({ status: 200, body: { total: 3 } });
      for (const id of ids) expect(await get(`${pipeline.apiUrl}/events/${id}`)).toMatchObject({ status: 200 });
      const meanwhile = (await statsOf(pipeline)).receivers['events'];
      expect(meanwhile).toMatchObject({ received: 12, stored: 3, refused: 9, reasons: { STORE_UNAVAILABLE: 9 } });

      pipeline.disk.arm();
      expect((await post(actionsUrl, JSON.stringify({ action: 'resolve' }))).status).toBe(200);
      const after = await post(pipeline.eventsUrl, events('after'));
      expect(after).toMatchObject({ status: 200, body: { accepted: 3 } });
      ids.push(...(after.body.events ?? []).map(({ event_id }) => event_id));
      const stats = await statsOf(pipeline);
      expect(stats).toMatchObject({ events: 6, receivers: { events: { received: 15, stored: 6, refused: 9 } } });
      const messages = pipeline.logged.map(({ msg }) => msg);
      expect(messages.filter((msg) => msg === 'the store refuses events')).toHaveLength(1);
      expect(messages.filter((msg) => msg === 'the store accepts events again')).toHaveLength(1);
      await pipeline.stop();
      expect(pipeline.disk).toMatchObject({ openFiles: 0, resyncs: 0, usesAfterClose: 0 });

      const again = await startService(settingsFor(directory));
      expect((await get(`${again.apiUrl}/stats`)).body['events']).toBe(6);
      for (const id of ids) expect(await get(`${again.apiUrl}/events/${id}`)).toMatchObject({ status: 200 });
      await again.service.shutdown();
    },
  );

  it.each(['EIO', 'EMFILE', 'EACCES'])(
    'that cannot read because of %s responds 503 until reads succeed',
    async (code) => {
      const pipeline = await startPipeline(await temporaryFolder());
      const { body } = await post(pipeline.eventsUrl, events('before'));
      const url = `${pipeline.apiUrl}/events/${body.events?.[0]?.event_id}`;
      pipeline.disk.arm({ code, from: 0, times: Number.POSITIVE_INFINITY });
      expect(await get(url)).toMatchObject({ status: 503, body: { code: 'STORE_UNAVAILABLE' }, retryAfter: '1' });
      // Results from memory are still returned.
      expect(await get(`${pipeline.apiUrl}/issues`)).toMatchObject({ status: 200, body: { total: 3 } });
      expect(pipeline.logged).toContainEqual(
        expect.objectContaining({ code: 'STORE_UNAVAILABLE', msg: 'a request failed' }),
      );
      pipeline.disk.arm();
      expect(await get(url)).toMatchObject({ status: 200 });
      await pipeline.stop();
      expect(pipeline.disk.openFiles).toBe(0);
    },
  );
});

describe('a service whose folder cannot be read', () => {
  it('does not start, and names the system error and the folder', async () => {
    const directory = await temporaryFolder();
    await mkdir(join(directory, 'actions.ndjson'));
    const fault: unknown = await startService(settingsFor(directory)).catch((error: unknown) => error);
    expect(fault).toMatchObject({ message: expect.stringMatching(/EISDIR/) });
    expect(fault).toMatchObject({ message: expect.stringContaining(directory) });
  });
});
