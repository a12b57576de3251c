import { access, cp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { openEventStore } from '../../../core/storage/event-store.js';
import { openRawConnection, type RawConnection } from '../../collector/raw-connection.js';
import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import {
  collectArguments,
  type Finished,
  killLeftoverProcesses,
  runFaultline,
  startCollector,
  startFaultline,
  stop,
} from '../../helpers/faultline-process.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** The longest allowed stop; many supervisors kill after it. */
const STOP_MS = 5_000;
const CONNECTIONS = 64;

const line = (id: string): string => JSON.stringify(kindOfFailure(id.length % 3, { request_id: id }));

async function waitForExit({ finished }: { finished: Promise<Finished> }, withinMs = STOP_MS): Promise<Finished> {
  let result: Finished | undefined;
  void finished.then((value) => {
    result = value;
  });
  return await waitFor('the collector to exit', () => result, withinMs);
}

/** The outcome of one request. */
type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly accepted: number }
  | { readonly kind: 'never accepted' }
  | { readonly kind: 'cut'; readonly how: string };

/** Posts on a keep-alive connection of the agent. */
function post(agent: Agent, url: string, body: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/events`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'content-length': Buffer.byteLength(body) },
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The collector had accepted a reused connection, so the request is lost.
      if (sent.reusedSocket) resolve({ kind: 'cut', how: `kept connection: ${error.message}` });
      else resolve({ kind: 'never accepted' });
    });
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', (error) => resolve({ kind: 'cut', how: `response: ${error.message}` }));
      response.on('end', () => {
        if (!response.complete) return resolve({ kind: 'cut', how: 'incomplete response' });
        const { accepted = 0 } = JSON.parse(text) as { accepted?: number };
        resolve({ kind: 'answered', status: response.statusCode ?? 0, accepted });
      });
    });
    sent.end(body);
  });
}

/** Sends a request whose body never ends. */
async function stall(url: string, type: string, beginning: string): Promise<RawConnection> {
  const connection = await openRawConnection(Number(new URL(url).port));
  const head = ['POST /v1/events HTTP/1.1', 'host: localhost', `content-type: ${type}`, 'content-length: 10000000'];
  connection.write([...head, 'expect: 100-continue', '', beginning].join('\r\n'));
  // Only a request that the collector has received delays its stop.
  await connection.receive(/100 Continue\r\n\r\n/);
  return connection;
}

interface Load {
  readonly outcomes: Outcome[];
  readonly accepted: string[];
  /** Request ids of requests without a 200 response. */
  readonly unacknowledged: string[];
  readonly done: Promise<unknown>;
}

/** Sends single events and batches over many keep-alive connections until each is refused. */
function load(url: string): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const [outcomes, accepted, unacknowledged]: [Outcome[], string[], string[]] = [[], [], []];
  const sender = async (name: number): Promise<void> => {
    for (let round = 0; ; round += 1) {
      const ids = Array.from({ length: name % 2 === 0 ? 1 : 25 }, (_, index) => `${name}-${round}-${index}`);
      const outcome = await post(agent, url, ids.map(line).join('\n'));
      outcomes.push(outcome);
      if (outcome.kind !== 'answered' || outcome.status !== 200) {
        unacknowledged.push(...ids);
        return;
      }
      accepted.push(...ids);
    }
  };
  const done = Promise.all(Array.from({ length: CONNECTIONS }, (_, name) => sender(name))).finally(() =>
    agent.destroy(),
  );
  return { outcomes, accepted, unacknowledged, done };
}

/** Request ids of all stored events, in no order, through the index. */
async function storedIds(directory: string): Promise<string[]> {
  const ids: string[] = [];
  const store = await openEventStore({ directory });
  for (const { issue_id: issueId } of (await store.reader.listIssues()).issues) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const options = cursor === undefined ? { limit: 500 } : { limit: 500, cursor };
      const page = await store.reader.listEvents(issueId, options);
      ids.push(...(page?.events ?? []).map(({ request_id }) => String(request_id)));
      cursor = page?.next_cursor ?? null;
    }
  }
  await store.close();
  return ids;
}

async function eventsInIndex(directory: string): Promise<unknown> {
  const text = await readFile(join(directory, 'index', 'manifest.json'), 'utf8');
  return (JSON.parse(text) as { data: { events: unknown } }).data.events;
}

describe('a collector under load', () => {
  it.each([
    { signal: 'SIGTERM', queryApi: 'on the same endpoint', endpoint: 'localhost:0' },
    { signal: 'SIGINT', queryApi: 'on its own endpoint', endpoint: '127.0.0.1:0' },
  ] as const)(
    'that gets $signal, with the query API $queryApi, completes every response, stores what it acknowledged, and exits with 0',
    async ({ signal, endpoint }) => {
      const directory = await temporaryFolder();
      const collector = await startCollector(directory, [`--set=extensions.query.endpoint=${endpoint}`]);
      const traffic = load(collector.ingestUrl);
      const lines = Array.from({ length: 700 }, (_, index) => line(`stalled-${index}`));
      const [ndjson, json] = await Promise.all([
        stall(collector.ingestUrl, 'application/x-ndjson', `${lines.join('\n')}\n{"app":`),
        stall(collector.ingestUrl, 'application/json', `[${line('never')},`),
      ]);
      await waitFor('a few hundred responses', () => traffic.outcomes.length > 300);

      collector.child.kill(signal);
      const [ndjsonResponse, jsonResponse] = await Promise.all([ndjson.untilClosed(), json.untilClosed()]);
      expect(await waitForExit(collector)).toMatchObject({ code: 0, signal: null });
      await traffic.done;

      expect(traffic.outcomes.filter(({ kind }) => kind === 'cut')).toEqual([]);
      const statuses = traffic.outcomes.map((outcome) => (outcome.kind === 'answered' ? outcome.status : outcome.kind));
      for (const status of statuses) expect([200, 503, 'never accepted']).toContain(status);
      // Complete events of an incomplete body are stored, and the response says where to continue.
      for (const response of [ndjsonResponse, jsonResponse]) {
        expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 503 /);
        expect(response).toContain('"code":"COLLECTOR_STOPPING"');
        expect(response.toLowerCase()).toContain('retry-after: 1');
      }
      expect(ndjsonResponse).toContain('"accepted":700,"rejected":[],"next_index":700');

      const stalled = lines.map((_, index) => `stalled-${index}`);
      expect(await eventsInIndex(directory)).toBe(traffic.accepted.length + stalled.length);
      expect((await storedIds(directory)).toSorted()).toEqual([...traffic.accepted, ...stalled].toSorted());
    },
  );

  it('reloads its configuration at SIGHUP, and stops cleanly during the reload', async () => {
    const directory = await temporaryFolder();
    const collector = await startCollector(directory);
    collector.child.kill('SIGHUP');
    await waitFor('the reload', () => collector.output.stderr.includes('configuration reloaded'));
    collector.child.kill('SIGHUP');
    collector.child.kill('SIGTERM');
    expect(await waitForExit(collector)).toMatchObject({ code: 0, signal: null });
    expect(await eventsInIndex(directory)).toBe(0);
  });

  it('exits at once with 143 at a second SIGTERM', async () => {
    const collector = await startCollector(await temporaryFolder());
    const stalled = await stall(collector.ingestUrl, 'application/json', '{');
    collector.child.kill('SIGTERM');
    // Two signals in quick succession may be delivered as one.
    await waitFor('the collector to exit', () => {
      const { exitCode, signalCode } = collector.child;
      return exitCode !== null || signalCode !== null || !collector.child.kill('SIGTERM');
    });
    expect(await waitForExit(collector)).toMatchObject({ code: 143 });
    stalled.socket.destroy();
  });
});

describe('a collector that is stopped while it rebuilds its index', () => {
  /** Enough that the first progress comes before the last commit. */
  const EVENTS = 30_000;
  const BATCH = 1_000;

  const recordWithoutIndex = async (): Promise<string> => {
    const directory = await temporaryFolder();
    const store = await openEventStore({ directory, durability: 'os' });
    for (let first = 0; first < EVENTS; first += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, index) => {
        const payload = kindOfFailure(index % 50, { request_id: `${first + index}` });
        return { payload, fingerprint: computeFingerprint(payload) };
      });
      await store.append(batch);
    }
    await store.close();
    await rm(join(directory, 'index'), { recursive: true });
    return directory;
  };
  let filled: Promise<string> | undefined;
  const copyWithoutIndex = async (): Promise<string> => {
    filled ??= recordWithoutIndex();
    const directory = await temporaryFolder();
    await cp(await filled, directory, { recursive: true });
    return directory;
  };

  it('exits with 0 in time, and the next start has all events', async () => {
    const directory = await copyWithoutIndex();
    const starting = startFaultline(collectArguments(directory));
    await waitFor('the rebuild to begin', () => access(join(directory, 'index', 'manifest.json')).then(() => true));
    starting.child.kill('SIGTERM');
    expect(await waitForExit(starting)).toMatchObject({ code: 0, signal: null });

    const again = await startCollector(directory);
    const stats: unknown = await (await fetch(`${again.queryUrl}/api/v1/stats`)).json();
    expect(stats).toMatchObject({ events: EVENTS });
    again.child.kill('SIGTERM');
    expect(await waitForExit(again)).toMatchObject({ code: 0 });
    expect(await eventsInIndex(directory)).toBe(EVENTS);
  });

  it('continues the rebuild where it was interrupted', async () => {
    const directory = await copyWithoutIndex();
    const stop = new AbortController();
    const interrupted = openEventStore({
      directory,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(interrupted).rejects.toMatchObject({ code: 'STORE_CLOSING' });
    const covered = Number(await eventsInIndex(directory));
    expect(covered).toBeGreaterThan(0);
    const progress: number[] = [];
    const store = await openEventStore({
      directory,
      onProgress: ({ doneEvents }) => progress.push(doneEvents),
    });
    expect((await store.reader.stats()).events).toBe(EVENTS);
    expect(progress.at(-1) ?? 0).toBe(EVENTS - covered);
    await store.close();
  });
});

describe('two collectors on one folder', () => {
  it('the second exits with 1 and names the writer; it starts after the first was killed', async () => {
    const directory = await temporaryFolder();
    const first = await startCollector(directory);
    for (const isLockRemoved of [false, true]) {
      const lock = JSON.parse(await readFile(join(directory, 'LOCK'), 'utf8')) as Record<string, unknown>;
      if (isLockRemoved) {
        await rm(join(directory, 'LOCK'));
        // Until the first has locked its folder again, another collector may get it.
        await waitFor('the first to lock its folder again', () => readFile(join(directory, 'LOCK'), 'utf8'));
      }
      const second = await runFaultline(collectArguments(directory));
      expect(second.code).toBe(1);
      const started = isLockRemoved ? '' : lock['started_at'];
      expect(second.stderr).toContain(`in use by process ${first.child.pid} on ${lock['host']} since ${started}`);
    }
    await stop(first, 'SIGKILL');
    const third = await startCollector(directory);
    third.child.kill('SIGTERM');
    expect(await waitForExit(third)).toMatchObject({ code: 0 });
  });
});
