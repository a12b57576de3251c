import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { checkPprof } from '../../../collector/extensions/check-extensions.js';
import { createPprofExtension, sendStream } from '../../../collector/extensions/pprof-extension.js';
import { createDrainDeadline } from '../../../collector/http/server/drain-deadline.js';
import { createServerPool } from '../../../collector/http/server/server-pool.js';
import { waitFor } from '../../helpers/wait-for.js';

const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function startPprof() {
  const logger = pino({ level: 'silent' });
  const servers = createServerPool({ drain: createDrainDeadline(2_000), logger });
  const pprof = createPprofExtension('pprof', { endpoint: '127.0.0.1:0', max_duration: '1m' }, { servers });
  await pprof.start();
  stops.push(() => pprof.shutdown());
  return { pprof, get: (path: string, init?: RequestInit) => fetch(`${pprof.url}/debug/pprof${path}`, init) };
}

function refusalOf(endpoint: string) {
  return checkPprof({ endpoint, max_duration: '1m' });
}

describe('pprof', () => {
  it('returns a CPU profile that names the running functions, one at a time, and the next one when it is done', async () => {
    const { get } = await startPprof();
    const asked = get('/profile?seconds=0.5');
    await waitFor('the refusal', async () => {
      const response = await get('/profile?seconds=0.001');
      if (response.status !== 409) return false;
      return expect(await response.json()).toMatchObject({ code: 'PROFILE_RUNNING' }) ?? true;
    });
    let isDone = false;
    void asked.finally(() => {
      isDone = true;
    });
    await waitFor('the profile', function burnTime() {
      for (let begin = performance.now(); performance.now() < begin + 20; );
      return isDone;
    });
    const response = await asked;
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="faultline.cpuprofile"');
    const profile = (await response.json()) as { nodes: { callFrame: { functionName: string } }[]; samples: number[] };
    expect(profile.nodes.map(({ callFrame }) => callFrame.functionName)).toContain('burnTime');
    expect(profile.samples.length).toBeGreaterThan(0);
    expect((await get('/profile?seconds=0.001')).status).toBe(200);
  });

  it('ends a profile whose client disconnected', async () => {
    const { get } = await startPprof();
    const leaving = new AbortController();
    const first = get('/profile?seconds=60', { signal: leaving.signal }).catch(() => 'gone');
    await waitFor('the profile to run', async () => (await get('/profile?seconds=0.001')).status === 409);
    leaving.abort();
    expect(await first).toBe('gone');
    await waitFor('the turn to be free', async () => (await get('/profile?seconds=0.001')).status === 200);
  });

  it('returns the samples so far when the collector stops', async () => {
    const { pprof, get } = await startPprof();
    const asked = get('/profile?seconds=60');
    await waitFor('the profile to run', async () => (await get('/profile?seconds=0.001')).status === 409);
    await pprof.shutdown();
    const response = await asked;
    expect(response.status).toBe(200);
    expect(Object.keys((await response.json()) as object)).toContain('samples');
  });

  it('aborts a snapshot that its client does not read', async () => {
    const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536, 'x')) });
    let isOver = false;
    const server = createServer((_request, response) => {
      void sendStream(endless, response, {}, 50).then(() => {
        isOver = true;
      });
    });
    stops.push(() => new Promise((resolve) => server.close(resolve)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    stops.push(async () => socket.destroy());
    socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await waitFor('the reader to be left', () => isOver);
    expect(endless.destroyed).toBe(true);
  });

  it.each(['0', '61', '-1', 'abc', '', '1e9', '99999999999'])('refuses %p seconds', async (seconds) => {
    const { get } = await startPprof();
    const response = await get(`/profile?seconds=${seconds}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'PARAMETER_INVALID', parameter: 'seconds' });
  });

  it('lists its profiles', async () => {
    const { get } = await startPprof();
    expect(await (await get('/')).json()).toEqual({
      profiles: [
        { path: '/debug/pprof/profile?seconds=30', gives: '.cpuprofile' },
        { path: '/debug/pprof/heap', gives: '.heapsnapshot' },
      ],
      max_seconds: 60,
    });
  });

  it.each([
    [{ origin: 'https://evil.example.com' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('refuses pages, which could stop the process: %j', async (headers) => {
    const { pprof } = await startPprof();
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const target = new URL(`${pprof.url}/debug/pprof/heap`);
      request(target, { headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });
});

describe('the endpoint of pprof', () => {
  it.each(['0.0.0.0:1777', ':1777', 'example.com:1777', '10.0.0.1:1777', '[::]:1777', '128.0.0.1:1777'])(
    'must not be %s, which other machines could reach',
    (endpoint) => {
      expect(refusalOf(endpoint)).toEqual([
        expect.objectContaining({ path: ['endpoint'], suggestion: 'localhost:1777' }),
      ]);
    },
  );

  it.each(['localhost:1777', '127.0.0.1:0', '127.3.2.1:1777', '[::1]:1777', 'LOCALHOST:1777'])(
    'may be %s',
    (endpoint) => {
      expect(refusalOf(endpoint)).toEqual([]);
    },
  );
});
