import { connect } from 'node:net';
import { pino } from 'pino';
import { createQueryExtension } from '../../../collector/extensions/query-extension.js';
import { createDrainDeadline } from '../../../collector/http/server/drain-deadline.js';
import { createServerPool } from '../../../collector/http/server/server-pool.js';
import type { StreamBounds } from '../../../collector/query/change-streams.js';
import { RegroupJobs } from '../../../collector/query/regroup-jobs.js';
import { createLedger } from '../../../collector/telemetry/ledger.js';
import { createMeters, type Meters } from '../../../collector/telemetry/meters.js';
import type { FailureChanges, IssueChange } from '../../../core/contract/reader.js';
import type { IssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import type { ActionRequest } from '../../../generated/reader-answers.js';
import { OPEN_QUERY } from '../../helpers/endpoint-settings.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { type EventStream, openStream } from './event-stream.js';

interface Running {
  readonly store: EventStore;
  readonly url: string;
  readonly port: number;
  put(...payloads: readonly RawPayload[]): Promise<IssueId[]>;
  act(issueId: IssueId | undefined, request: ActionRequest): Promise<void>;
  ended(): number;
  readonly meters: Meters;
  stop(): Promise<void>;
}

const opened: { stop(): Promise<void> }[] = [];
const streams: EventStream[] = [];

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
  for (const one of opened.splice(0)) await one.stop();
});
afterAll(removeTemporaryFolders);

/** A real store behind the reading API. */
async function run(
  directory: string,
  streamBounds: StreamBounds = {},
  onChange: (change: IssueChange) => void = () => undefined,
): Promise<Running> {
  const store = await openEventStore({ directory, durability: 'os' });
  const logger = pino({ level: 'silent' });
  const servers = createServerPool({ drain: createDrainDeadline(2_000), logger });
  const regroupings = new RegroupJobs({ store: () => store, logger });
  let ended = 0;
  const changes: FailureChanges = {
    async *changes(options) {
      try {
        for await (const change of store.changes(options)) {
          if ('issue' in change) onChange(change);
          yield change;
        }
      } finally {
        ended += 1;
      }
    },
  };
  const sources = {
    reader: () => store.reader,
    actions: () => store,
    releases: () => store,
    changes: () => changes,
    ledger: createLedger(),
    meters: createMeters(),
  };
  const context = {
    ...sources,
    servers,
    regroupings,
    serviceStats: () => ({ endpoints: {} }),
    authenticatorOf: () => undefined,
  };
  const extension = createQueryExtension('query', OPEN_QUERY, context, streamBounds);
  await extension.start();
  let isStopped = false;
  const running: Running = {
    store,
    url: `${extension.url}/api/v1/stream`,
    port: Number(new URL(extension.url).port),
    async put(...payloads) {
      const { grouper } = store;
      const grouped = payloads.map((payload) => ({ payload, fingerprint: grouper.fingerprint(payload) }));
      return (await store.append(grouped, { groupedBy: grouper.key })).map(({ issue_id: id }) => id);
    },
    async act(issueId, request) {
      if (issueId === undefined) throw new Error('no issue to act on');
      await store.act(issueId, request);
    },
    ended: () => ended,
    meters: sources.meters,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      await extension.shutdown();
      await store.close();
    },
  };
  opened.push(running);
  return running;
}

async function open(url: string, lastEventId?: string): Promise<EventStream> {
  const stream = await openStream(url, lastEventId);
  streams.push(stream);
  return stream;
}

const failure = (name: string, changes: Partial<RawPayload> = {}) =>
  serverPayload({ error_name: name, stack: null, ...changes });

describe('GET /stream', () => {
  it('sends new, changed and regressed issues', async () => {
    const { url, put, act } = await run(await temporaryFolder());
    const stream = await open(url);
    expect([stream.status, stream.type]).toEqual([200, 'text/event-stream']);
    const [id] = await put(failure('AError'));
    expect((await stream.next('issue.new')).data).toMatchObject({ issue_id: id, count: 1, status: 'open' });
    await put(failure('AError'), failure('AError'));
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: id, count: 3 });
    await act(id, { action: 'resolve' });
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: id, status: 'resolved' });
    await put(failure('AError'));
    expect((await stream.next('issue.regressed')).data).toMatchObject({
      issue_id: id,
      status: 'open',
      regressed: true,
    });
    await put(failure('AError'));
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: id, count: 5, regressed: true });
    expect(stream.events.map(({ name }) => name)).toEqual([
      'issue.new',
      'issue.changed',
      'issue.changed',
      'issue.regressed',
      'issue.changed',
    ]);
  });

  it('continues after the last id, with each changed issue once in its latest state, also across a restart', async () => {
    const directory = await temporaryFolder();
    const first = await run(directory);
    const stream = await open(first.url);
    const [a, b] = await first.put(failure('AError'), failure('BError'));
    await stream.next('issue.new', ({ issue_id }) => issue_id === b);
    await waitFor('both', () => stream.events.length === 2);
    const { lastId } = stream;
    stream.close();
    await first.put(failure('AError'));
    await first.put(failure('AError'), failure('CError'));
    await first.act(b, { action: 'assign', assignee: 'anna' });
    const again = await open(first.url, lastId);
    await waitFor('all', () => again.events.length === 3);
    const names = again.events.map(({ name, data }) => [name, data.error_name, data.count, data.assignee]);
    expect(names).toEqual(
      expect.arrayContaining([
        ['issue.changed', 'AError', 3, null],
        ['issue.new', 'CError', 1, null],
        ['issue.changed', 'BError', 1, 'anna'],
      ]),
    );
    const { lastId: caughtUp } = again;
    await first.stop();
    expect(again.isEnded).toBe(true);

    const second = await run(directory);
    const resumed = await open(second.url, caughtUp);
    await second.put(failure('AError'));
    expect((await resumed.next('issue.changed')).data).toMatchObject({ issue_id: a, count: 4 });
    expect(resumed.events).toHaveLength(1);
    // A client that reconnects gets the remaining changes, each once.
    const middle = again.events[0]?.id ?? '';
    const rest = await open(`${second.url}?last_event_id=${middle}`);
    await rest.next('issue.changed', ({ issue_id }) => issue_id === b);
    expect(rest.events.some(({ data }) => data.error_name === 'BError')).toBe(true);
  });

  it('sends a missed regression once', async () => {
    const directory = await temporaryFolder();
    const { url, put, act } = await run(directory);
    const [id] = await put(failure('AError'));
    await act(id, { action: 'resolve' });
    const stream = await open(url);
    const { lastId } = stream;
    await put(failure('AError'));
    await stream.next('issue.regressed');
    const again = await open(url, lastId);
    await again.next('issue.regressed');
    await put(failure('AError'));
    const later = await open(url, again.lastId);
    expect((await later.next('issue.changed')).data).toMatchObject({ regressed: true, count: 3 });
    expect(later.events).toHaveLength(1);
  });

  it('sends merged issues as their group, and split ones again as separate issues', async () => {
    const { url, put, act } = await run(await temporaryFolder());
    const [a, b] = await put(failure('AError'), failure('BError'));
    if (a === undefined || b === undefined) throw new Error('nothing was stored');
    const stream = await open(url);
    await act(a, { action: 'merge', issues: [b] });
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: a, count: 2, merged: [b] });
    await put(failure('BError'));
    expect((await stream.next('issue.changed')).data).toMatchObject({ issue_id: a, count: 3 });
    await act(a, { action: 'undo' });
    expect((await stream.next('issue.changed', ({ issue_id }) => issue_id === b)).data).toMatchObject({ count: 2 });
    expect(stream.events.filter(({ data }) => data.issue_id === a).at(-1)?.data).toMatchObject({
      count: 1,
      merged: [],
    });
  });

  it('sends only what matches the query, and explains an invalid query', async () => {
    const { url, put } = await run(await temporaryFolder());
    const stream = await open(`${url}?query=${encodeURIComponent('service:worker BError')}`);
    await put(failure('AError'), failure('BError'), failure('BError', { service: 'worker' }));
    expect((await stream.next('issue.new')).data).toMatchObject({ error_name: 'BError', service: 'worker' });
    expect(stream.events).toHaveLength(1);
    const wrong = await fetch(`${url}?query=${encodeURIComponent('a (b')}`);
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ code: 'QUERY_INVALID', parameter: 'query', column: expect.any(Number) });
  });

  it('refuses an invalid id, and starts over if it cannot resume from one', async () => {
    const { url, put } = await run(await temporaryFolder());
    const wrong = await fetch(url, { headers: { 'last-event-id': 'nonsense' } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ code: 'CURSOR_INVALID', parameter: 'last_event_id' });
    const other = await run(await temporaryFolder());
    await other.put(failure('AError'));
    const { lastId } = await open(other.url);
    const stream = await open(url, lastId);
    await stream.next('reset');
    await put(failure('AError'));
    await stream.next('issue.new');
  });

  it('sends comments while nothing changes, and refuses pages of other origins', async () => {
    const { url } = await run(await temporaryFolder(), { heartbeatMs: 5 });
    const stream = await open(url);
    await waitFor('heartbeats', () => stream.comments.length >= 3);
    const foreign = await fetch(url, { headers: { origin: 'http://evil.example' } });
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED' });
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('disconnects a client that does not read, with a comment, and serves the others', async () => {
    const { url, port, put, ended, meters } = await run(await temporaryFolder(), {
      maxWaitingBytes: 16 * 1024,
      patienceMs: 20,
    });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /api/v1/stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const reader = await open(url);
    const wide = Array.from({ length: 240 }, (_, n) => failure(`Wide${n}`, { message: 'm'.repeat(500) }));
    const releases = Array.from({ length: 30 }, (_, n) => `${n}-${'r'.repeat(190)}`);
    await put(...wide.flatMap((payload) => releases.map((release) => ({ ...payload, release }))));
    // Fills the buffers of the system.
    await waitFor('the end of the one that does not read', async () => {
      await put(...wide);
      return ended() === 1;
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.resume();
    await waitFor('the mark and the end', () => text.includes('event: dropped') && text.endsWith('0\r\n\r\n'));
    socket.destroy();
    expect([reader.isEnded, ended()]).toEqual([false, 1]);
    expect(new Set(reader.events.map(({ data }) => data.issue_id)).size).toBe(240);
    expect(meters.samples('faultline_query_dropped_streams')[0]?.value).toBe(1);
    // It connects again and misses nothing.
    const [, lastId = ''] = /.*\nid: (\S+)/s.exec(text) ?? [];
    const again = await open(url, lastId);
    await put(failure('Later'));
    expect((await again.next('issue.new')).data).toMatchObject({ error_name: 'Later' });
    expect(again.events.some(({ name }) => name === 'reset')).toBe(false);
  });

  it('describes and serializes each change once for all streams, and lets the event loop turn in between', async () => {
    let serialized = 0;
    const issues = new Set<object>();
    const turns = new Set<number>();
    let turn = 0;
    const { url, put } = await run(await temporaryFolder(), {}, ({ issue }) => {
      turns.add(turn);
      if (issues.has(issue)) return;
      issues.add(issue);
      const toJSON = () => {
        serialized += 1;
        return { ...issue };
      };
      Object.defineProperty(issue, 'toJSON', { value: toJSON });
    });
    const all = await Promise.all(Array.from({ length: 40 }, () => open(url)));
    const turning = setInterval(() => {
      turn += 1;
    });
    await put(...Array.from({ length: 200 }, (_, n) => failure(`New${n}`)));
    await waitFor('all changes in all streams', () => all.every(({ events }) => events.length === 200));
    clearInterval(turning);
    expect([issues.size, serialized]).toEqual([200, 200]);
    expect(turns.size).toBeGreaterThan(1);
  });

  it('has a limit of a hundred open streams, and counts the refused ones', async () => {
    const { url, meters } = await run(await temporaryFolder());
    for (let n = 0; n < 100; n += 1) await open(url);
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_STREAMS' });
    const labels = { component: 'query' };
    expect(meters.samples('faultline_query_refused_streams')).toEqual([{ labels, value: 1 }]);
    expect(meters.samples('faultline_query_streams')).toEqual([{ labels, value: 100 }]);
    streams.splice(0, 1)[0]?.close();
    await waitFor('room again', async () => (await open(url)).status === 200);
  });
});
