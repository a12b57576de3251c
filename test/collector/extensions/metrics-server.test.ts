import { createServer, type Server } from 'node:net';
import { pino } from 'pino';
import { createMetricsServer } from '../../../collector/extensions/metrics-server.js';
import { Service } from '../../../collector/service/service.js';
import { ComponentStates } from '../../../collector/telemetry/component-states.js';
import { Ledger } from '../../../collector/telemetry/ledger.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import { kindOfFailure, serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { post } from '../post.js';
import { type RunningService, settingsFor, startService, statsOf } from '../running-service.js';
import { createServers, serveComponents } from '../serve-components.js';
import { parseScrape, type Scrape, sampleValue } from '../telemetry/scrape.js';

const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
afterAll(removeTemporaryFolders);

const METRICS_ON = ['service.telemetry.metrics.level=normal', 'service.telemetry.metrics.address=127.0.0.1:0'];

async function start(...sets: string[]): Promise<RunningService & { readonly metricsUrl: string }> {
  const started = await startService(settingsFor(await temporaryFolder(), ...METRICS_ON, ...sets));
  stops.push(() => started.service.shutdown());
  return { ...started, metricsUrl: started.service.describe().metrics ?? '' };
}

async function scrape(url: string, headers: Record<string, string> = {}): Promise<Scrape & { type: string | null }> {
  const response = await fetch(url, { headers });
  expect(response.status).toBe(200);
  return { ...parseScrape(await response.text()), type: response.headers.get('content-type') };
}

/** A metrics server alone. */
async function startAlone() {
  const servers = createServers({ logger: pino({ level: 'silent' }) });
  const parts = { ledger: new Ledger(), meters: new Meters(), states: new ComponentStates() };
  const server = createMetricsServer(
    { level: 'normal', address: '127.0.0.1:0', allowed_hosts: [] },
    { ...parts, servers, toleratesTakenPorts: false },
  );
  const served = await serveComponents(servers, { metrics: server ?? {} });
  stops.push(() => served.stop());
  return { ...parts, url: server?.url ?? '' };
}

async function takenPort(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, server };
}

describe('the metrics', () => {
  it('equal the ledger that the reading API returns', async () => {
    const { eventsUrl, apiUrl, metricsUrl } = await start();
    await post(eventsUrl, JSON.stringify([serverPayload(), kindOfFailure(1), kindOfFailure(2), {}, { message: 3 }]));
    const { receivers } = await statsOf({ apiUrl });
    const found = await scrape(metricsUrl);
    const { reasons, cuts: _cuts, lost_by_clients: _lost, ...account } = receivers['events'] ?? {};
    expect(account).toEqual({ received: 5, stored: 3, rejected: 2, filtered: 0, sampled: 0, refused: 0 });
    for (const [outcome, count] of Object.entries(account)) {
      expect(sampleValue(found, 'faultline_receiver_events_total', { receiver: 'events', outcome })).toBe(count);
    }
    for (const [reason, count] of Object.entries(reasons ?? {})) {
      expect(sampleValue(found, 'faultline_receiver_reasons_total', { receiver: 'events', reason })).toBe(count);
    }
    expect(sampleValue(found, 'faultline_receiver_accepted_log_records_total', { receiver: 'events' })).toBe(3);
    expect(sampleValue(found, 'faultline_receiver_failed_log_records_total', { receiver: 'events' })).toBe(2);
    expect(sampleValue(found, 'faultline_receiver_refused_log_records_total', { receiver: 'events' })).toBe(0);
  });

  it('of the store equal its statistics', async () => {
    const { eventsUrl, apiUrl, metricsUrl } = await start();
    await post(eventsUrl, JSON.stringify([serverPayload(), kindOfFailure(1), {}]));
    const found = await scrape(metricsUrl);
    const stats = await statsOf({ apiUrl });
    const of = (name: string) => sampleValue(found, name, { exporter: 'store' });
    expect(of('faultline_store_events')).toBe(2);
    expect(of('faultline_store_issues')).toBe(stats.issues);
    expect(of('faultline_store_raw_bytes')).toBe(stats.raw_bytes);
    expect(of('faultline_store_dead_letter_bytes')).toBe(stats.dead_letters.bytes);
    expect(of('faultline_store_removed_events')).toBe(0);
    expect(of('faultline_store_checkpoint_lag_events')).toBeGreaterThanOrEqual(0);
    expect(of('faultline_store_queue_size')).toBe(0);
    expect(of('faultline_exporter_sent_log_records_total')).toBe(2);
    expect(of('faultline_store_commit_duration_seconds_count')).toBe(1);
    expect(of('faultline_store_commit_duration_seconds_sum')).toBeGreaterThan(0);
    expect(
      sampleValue(found, 'faultline_store_commit_duration_seconds_bucket', { exporter: 'store', le: '+Inf' }),
    ).toBe(1);
  });

  it('have the counts of a receiver from the start, as zeros', async () => {
    const { metricsUrl } = await start();
    const found = await scrape(metricsUrl);
    for (const outcome of ['received', 'stored', 'rejected', 'filtered', 'sampled', 'refused']) {
      expect(sampleValue(found, 'faultline_receiver_events_total', { receiver: 'events', outcome })).toBe(0);
    }
    expect(sampleValue(found, 'faultline_exporter_sent_log_records_total', { exporter: 'store' })).toBe(0);
  });

  it('include those of the process', async () => {
    const { metricsUrl } = await start();
    await scrape(metricsUrl);
    const found = await scrape(metricsUrl);
    for (const name of ['memory_rss_bytes', 'memory_limit_bytes', 'runtime_heap_alloc_bytes', 'uptime_seconds']) {
      expect(sampleValue(found, `faultline_process_${name}`)).toBeGreaterThan(0);
    }
    expect(sampleValue(found, 'faultline_process_cpu_seconds_total')).toBeGreaterThan(0);
    const heap = sampleValue(found, 'faultline_process_runtime_heap_alloc_bytes') ?? 0;
    expect(sampleValue(found, 'faultline_process_runtime_heap_limit_bytes')).toBeGreaterThan(heap);
  });

  it('include the health of every component', async () => {
    const { metricsUrl } = await start();
    const found = await scrape(metricsUrl);
    const healthy = found.samples.filter(({ name }) => name === 'faultline_component_healthy');
    expect(healthy.map(({ labels, value }) => [`${labels['kind']}:${labels['component']}`, value])).toEqual([
      ['telemetry:metrics', 1],
      ['exporter:store', 1],
      ['processor:memory_limiter', 1],
      ['extension:query', 1],
      ['receiver:events', 1],
    ]);
  });

  it('respond to HEAD', async () => {
    const { metricsUrl } = await start();
    const response = await fetch(metricsUrl, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  it('have bounds in OpenMetrics as floats, which strict clients require', async () => {
    const { metricsUrl } = await start();
    const accept = { accept: 'application/openmetrics-text' };
    const bounds = ({ samples }: Scrape) =>
      samples
        .filter(({ name }) => name === 'faultline_store_commit_duration_seconds_bucket')
        .map(({ labels }) => labels['le']);
    const open = bounds(await scrape(metricsUrl, accept));
    expect(open.slice(-4)).toEqual(['0.5', '1.0', '5.0', '+Inf']);
    expect(bounds(await scrape(metricsUrl)).slice(-4)).toEqual(['0.5', '1', '5', '+Inf']);
  });

  it('are written as OpenMetrics for clients that prefer or equally accept it, and as plain text for others', async () => {
    const { metricsUrl } = await start();
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';
    const open = await fetch(metricsUrl, { headers: { accept } });
    const text = await open.text();
    expect(open.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    const found = parseScrape(text);
    expect(found.types.get('faultline_receiver_events')).toBe('counter');
    expect(sampleValue(found, 'faultline_receiver_events_total', { outcome: 'stored' })).toBe(0);
    for (const other of [{}, { accept: 'text/plain, application/openmetrics-text;q=0.2' }, { accept: '*/*' }]) {
      const plain = await scrape(metricsUrl, other);
      expect(plain.type).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(plain.types.get('faultline_receiver_events_total')).toBe('counter');
    }
  });

  it('escape labels that try to write lines of their own', async () => {
    const { ledger, meters, url } = await startAlone();
    const hostile = 'events/"} 1\nfaultline_forged{a="\\';
    ledger.account(hostile).count('rejected', 'A"\\\nB', 2);
    meters.counter('faultline_processor_incoming_items', { processor: '\\n"' }).add(7);
    const found = await scrape(url);
    expect(sampleValue(found, 'faultline_receiver_failed_log_records_total', { receiver: hostile })).toBe(2);
    expect(sampleValue(found, 'faultline_receiver_reasons_total', { reason: 'A"\\\nB' })).toBe(2);
    expect(sampleValue(found, 'faultline_processor_incoming_items_total', { processor: '\\n"' })).toBe(7);
    expect(found.samples.some(({ name }) => name === 'faultline_forged')).toBe(false);
  });

  it('omit the values of a store that does not respond', async () => {
    const { meters, url } = await startAlone();
    meters.beforeScrape(() => new Promise(() => undefined));
    meters.beforeScrape(() => Promise.reject(new Error('closed')));
    meters.gauge('faultline_store_events', { exporter: 'store' }, () => Number.NaN);
    meters.gauge('faultline_store_issues', { exporter: 'store' }, () => 4);
    meters.gauge('faultline_store_raw_bytes', { exporter: 'store' }, () => Number.POSITIVE_INFINITY);
    const found = await scrape(url);
    expect(sampleValue(found, 'faultline_store_raw_bytes')).toBe(Number.POSITIVE_INFINITY);
    expect(sampleValue(found, 'faultline_store_events')).toBeUndefined();
    expect(sampleValue(found, 'faultline_store_issues')).toBe(4);
  });

  it('cumulate the buckets of a histogram', async () => {
    const { meters, url } = await startAlone();
    const histogram = meters.histogram('faultline_store_commit_duration_seconds', { exporter: 'store' });
    for (const value of [0.0004, 0.002, 0.0021, 90]) histogram.observe(value);
    const found = await scrape(url);
    const at = (le: string) => sampleValue(found, 'faultline_store_commit_duration_seconds_bucket', { le });
    expect([at('0.0005'), at('0.002'), at('0.005'), at('5'), at('+Inf')]).toEqual([1, 2, 3, 3, 4]);
    expect(sampleValue(found, 'faultline_store_commit_duration_seconds_count')).toBe(4);
  });

  it('are refused to a page that points its own name at this address', async () => {
    const { url } = await startAlone();
    const { port } = new URL(url);
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const headers = { host: 'evil.example.com' };
      request({ port, path: '/metrics', headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });
});

describe('a metrics port that is in use', () => {
  it('fails the start with a fault that names the setting', async () => {
    const { port } = await takenPort();
    const set = `service.telemetry.metrics.address=127.0.0.1:${port}`;
    await expect(start(set)).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringContaining('service.telemetry.metrics.address'),
    });
  });

  it('is a warning if the setting allows that', async () => {
    const { port } = await takenPort();
    const logged: { level: number; reason?: string }[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
    const set = `service.telemetry.metrics.address=127.0.0.1:${port}`;
    const settings = settingsFor(await temporaryFolder(), ...METRICS_ON, set);
    const service = new Service(settings, { logger, toleratesTakenPorts: true });
    await service.start();
    stops.push(() => service.shutdown());
    expect(service.describe().metrics).toBeUndefined();
    expect(logged).toEqual([expect.objectContaining({ level: 40, code: 'LISTEN_FAILED' })]);
    expect(logged[0]?.reason).toContain(`service.telemetry.metrics.address: cannot listen on 127.0.0.1:${port}`);
  });
});

describe('the level none', () => {
  it('serves no metrics', async () => {
    const { service } = await start('service.telemetry.metrics.level=none');
    expect(service.describe().metrics).toBeUndefined();
  });
});
