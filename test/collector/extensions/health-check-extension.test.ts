import { pino } from 'pino';
import { createHealthCheckExtension } from '../../../collector/extensions/health-check-extension.js';
import { ComponentStates } from '../../../collector/telemetry/component-states.js';
import { createServers, serveComponents } from '../serve-components.js';

const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const SETTINGS = {
  endpoint: '127.0.0.1:0',
  path: '/',
  live_path: '/live',
  status_path: '/status',
  allowed_hosts: [],
};
const PIPELINES = {
  events: { receivers: ['events', 'otlp'], processors: ['redaction'], exporters: ['store', 'otlp_http/backend'] },
  quiet: { receivers: ['file_log'], processors: [], exporters: ['store'] },
};
const COMPONENTS = [
  ['extension', 'health_check'],
  ['exporter', 'store'],
  ['exporter', 'otlp_http/backend'],
  ['processor', 'redaction'],
  ['receiver', 'events'],
  ['receiver', 'otlp'],
  ['receiver', 'file_log'],
] as const;

interface Answer {
  readonly status: number;
  readonly body: {
    readonly status?: string;
    readonly healthy?: boolean;
    readonly code?: string;
    readonly start_time?: string;
    readonly status_time?: string;
    readonly obstacles?: readonly unknown[];
    readonly components?: Readonly<Record<string, Answer['body']>>;
  };
}

/** A health check over states that the test sets; healthy by default. */
async function startCheck(settings: Partial<typeof SETTINGS> = {}) {
  const servers = createServers({ logger: pino({ level: 'silent' }) });
  let nowMs = Date.UTC(2026, 10, 22);
  const states = new ComponentStates(() => {
    nowMs += 1_000;
    return nowMs;
  });
  const check = createHealthCheckExtension(
    'health_check',
    { ...SETTINGS, ...settings },
    {
      servers,
      states,
      parts: () => ({ pipelines: PIPELINES, extensions: ['health_check'] }),
      toleratesTakenPorts: false,
    },
  );
  const served = await serveComponents(servers, { health_check: check });
  stops.push(() => served.stop());
  const setAllHealthy = () => {
    for (const [kind, id] of COMPONENTS) states.report(kind, id, 'StatusOK');
  };
  const get = async (path: string, method = 'GET'): Promise<Answer> => {
    const response = await fetch(`${check.url}${path}`, { method });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  };
  return { states, setAllHealthy, get };
}

describe('readiness', () => {
  it('waits for every component that events pass, and names those that are not ready', async () => {
    const { states, setAllHealthy, get } = await startCheck();
    expect(await get('/')).toMatchObject({ status: 503, body: { status: 'Server not available' } });
    setAllHealthy();
    expect(await get('/')).toMatchObject({ status: 200, body: { status: 'Server available' } });
    states.report('receiver', 'file_log', 'StatusStarting');
    const { status, body } = await get('/');
    expect(status).toBe(503);
    expect(body.obstacles).toEqual([{ component: 'receiver:file_log', status: 'StatusStarting' }]);
  });

  it('fails while the store refuses, and recovers with it', async () => {
    const { states, setAllHealthy, get } = await startCheck();
    setAllHealthy();
    states.report('exporter', 'store', 'StatusRecoverableError', 'no room');
    const { status, body } = await get('/');
    expect(status).toBe(503);
    expect(body.obstacles).toEqual([
      { component: 'exporter:store', status: 'StatusRecoverableError', error: 'no room' },
    ]);
    states.report('exporter', 'store', 'StatusOK');
    expect((await get('/')).status).toBe(200);
  });

  it('ignores exporters that only send stored events', async () => {
    const { states, setAllHealthy, get } = await startCheck();
    setAllHealthy();
    states.report('exporter', 'otlp_http/backend', 'StatusRecoverableError', 'connection refused');
    expect((await get('/')).status).toBe(200);
  });

  it('ends as soon as a receiver stops', async () => {
    const { states, setAllHealthy, get } = await startCheck();
    setAllHealthy();
    states.report('receiver', 'events', 'StatusStopping');
    expect((await get('/')).status).toBe(503);
  });
});

describe('liveness', () => {
  it('succeeds for any state of the components', async () => {
    const { states, get } = await startCheck();
    expect((await get('/live')).status).toBe(200);
    states.report('exporter', 'store', 'StatusPermanentError', 'broken');
    expect((await get('/live')).status).toBe(200);
  });
});

describe('the status', () => {
  it.each([
    ['StatusStarting', 503],
    ['StatusOK', 200],
    ['StatusRecoverableError', 200],
    ['StatusPermanentError', 200],
    ['StatusFatalError', 500],
    ['StatusStopping', 503],
    ['StatusStopped', 503],
  ] as const)(
    'of a collector with %s has the HTTP status %i, as in the OpenTelemetry Collector',
    async (name, code) => {
      const { states, setAllHealthy, get } = await startCheck();
      setAllHealthy();
      states.report('exporter', 'otlp_http/backend', name);
      const { status, body } = await get('/status');
      expect(status).toBe(code);
      expect(body).toMatchObject({ status: name, healthy: code === 200 });
      expect(body.components).toBeUndefined();
    },
  );

  it('lists extensions and pipelines with their components if verbose', async () => {
    const { states, setAllHealthy, get } = await startCheck();
    setAllHealthy();
    states.report('exporter', 'otlp_http/backend', 'StatusRecoverableError', 'connection refused');
    const { body } = await get('/status?verbose');
    expect(Object.keys(body.components ?? {})).toEqual(['extensions', 'pipeline:events', 'pipeline:quiet']);
    const failing = { healthy: true, status: 'StatusRecoverableError', error: 'connection refused' };
    expect(body).toMatchObject(failing);
    expect(body.components?.['pipeline:events']).toMatchObject(failing);
    expect(body.components?.['pipeline:quiet']).toMatchObject({ healthy: true, status: 'StatusOK' });
    expect(Object.keys(body.components?.['pipeline:events']?.components ?? {})).toEqual([
      'receiver:events',
      'receiver:otlp',
      'processor:redaction',
      'exporter:store',
      'exporter:otlp_http/backend',
    ]);
    expect(body.components?.['extensions']?.components).toMatchObject({
      'extension:health_check': { healthy: true, status: 'StatusOK', status_time: '2026-11-22T00:00:01.000Z' },
    });
    expect(body.start_time).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(body.components?.['extensions']?.start_time).toBeUndefined();
    expect(body.status_time).toBe('2026-11-22T00:00:08.000Z');
  });

  it('can be limited to one pipeline, and fails for an unknown name', async () => {
    const { states, setAllHealthy, get } = await startCheck();
    setAllHealthy();
    states.report('receiver', 'events', 'StatusStopping');
    expect((await get('/status?pipeline=quiet')).status).toBe(200);
    const { status, body } = await get('/status?pipeline=events&verbose=true');
    expect(status).toBe(503);
    expect(body.components?.['receiver:events']).toMatchObject({ healthy: false, status: 'StatusStopping' });
    expect(await get('/status?pipeline=__proto__')).toMatchObject({
      status: 404,
      body: { code: 'PIPELINE_NOT_FOUND' },
    });
  });
});

describe('the paths', () => {
  it('are those of the settings, and also respond to HEAD', async () => {
    const { setAllHealthy, get } = await startCheck({
      path: '/ready',
      live_path: '/alive',
      status_path: '/health/status',
    });
    setAllHealthy();
    expect((await get('/ready', 'HEAD')).status).toBe(200);
    expect((await get('/alive')).status).toBe(200);
    expect((await get('/health/status')).status).toBe(200);
    expect((await get('/')).status).toBe(404);
    expect((await get('/ready', 'POST')).status).toBe(405);
  });

  it('are compared literally', async () => {
    const { get } = await startCheck({ live_path: '/is:alive(1)*' });
    expect((await get('/is:alive(1)*')).status).toBe(200);
    expect((await get('/isXalive1')).status).toBe(404);
  });

  it('must differ', async () => {
    await expect(startCheck({ live_path: '/' })).rejects.toMatchObject({ code: 'ROUTE_TAKEN' });
  });
});
