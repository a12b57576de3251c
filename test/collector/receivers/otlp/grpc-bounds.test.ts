import { type ClientHttp2Session, connect } from 'node:http2';
import { DEFAULT_CONNECTIONS } from '../../../../generated/default-connections.js';
import type { ConnectionSettings } from '../../../../generated/settings.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { openRawConnection, type RawConnection } from '../../raw-connection.js';
import { beginCall, type GrpcCall } from './grpc-call.js';
import { type RunningOtlp, startOtlp } from './running-otlp.js';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** An empty SETTINGS frame. */
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
/** A HEADERS frame of 100 bytes without END_HEADERS, of which only the first byte is sent. */
const BEGUN_HEADERS = Buffer.from([0, 0, 100, 1, 0, 0, 0, 0, 1, 0x82]);
const EMPTY_MESSAGE = Buffer.alloc(5);

let running: RunningOtlp;
const sessions: ClientHttp2Session[] = [];
const raws: RawConnection[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const { socket } of raws.splice(0)) socket.destroy();
  await running.close();
});

async function start(bounds: Partial<ConnectionSettings>, maxMessage = '64MiB', maxMemory?: number): Promise<void> {
  const connections = { ...DEFAULT_CONNECTIONS, ...bounds };
  running = await startOtlp({
    grpc: { connections, max_recv_msg_size: maxMessage },
    without: 'http',
    drainMs: 50,
    ...(maxMemory !== undefined && { maxMemory }),
  });
}

async function openRaw(): Promise<RawConnection> {
  const raw = await openRawConnection(Number(running.grpcAddress.split(':').at(-1)));
  raws.push(raw);
  return raw;
}

function openSession(): ClientHttp2Session {
  const session = connect(`http://${running.grpcAddress}`);
  session.on('error', () => undefined);
  sessions.push(session);
  return session;
}

const arrivedStatuses = (calls: readonly GrpcCall[]) => calls.flatMap(({ latest }) => latest.status ?? []);

/** Sends an empty export; returns its status. */
function send(session = openSession()): Promise<string | undefined> {
  const { stream, status } = beginCall(session);
  stream.end(EMPTY_MESSAGE);
  return status;
}

const evicted = (reason: string) =>
  running.meters.samples('faultline_http_evicted_connections').find(({ labels }) => labels['reason'] === reason)?.value;
const openNow = () => running.meters.samples('faultline_http_connections')[0]?.value;

describe('connections of a gRPC endpoint', () => {
  it('above its limit close the one that has been without a call for the longest time', async () => {
    await start({ max_connections: 2 });
    const arrivedStatuses = openSession();
    expect(await send(arrivedStatuses)).toBe('0');
    const silent = await openRaw();
    await waitFor('both', () => openNow() === 2);
    expect(await send(arrivedStatuses)).toBe('0');
    expect(await send()).toBe('0');
    await silent.untilClosed();
    expect([openNow(), evicted('max_connections')]).toEqual([2, 1]);
  });

  it('of one client are limited', async () => {
    await start({ max_connections_per_client: 1 });
    const first = openSession();
    expect(await send(first)).toBe('0');
    expect(await (await openRaw()).untilClosed()).toBe('');
    expect(evicted('max_connections_per_client')).toBe(1);
    expect(await send(first)).toBe('0');
  });

  it('that send nothing, or less than a preface, are closed', async () => {
    await start({ read_header_timeout: '200ms' });
    const begun = [Buffer.alloc(0), PREFACE.subarray(0, 1), PREFACE, Buffer.concat([PREFACE, SETTINGS.subarray(0, 8)])];
    const closed = begun.map(async (bytes) => {
      const raw = await openRaw();
      raw.write(bytes);
      await raw.untilClosed();
    });
    await Promise.all(closed);
    expect(await send()).toBe('0');
  });

  it('whose headers never end are closed after the idle timeout', async () => {
    await start({ idle_timeout: '200ms' });
    const raw = await openRaw();
    raw.write(Buffer.concat([PREFACE, SETTINGS, BEGUN_HEADERS]));
    await raw.untilClosed();
    expect(await send()).toBe('0');
  });

  it('that are idle are closed with GOAWAY, and new ones are accepted', async () => {
    await start({ idle_timeout: '200ms' });
    const session = openSession();
    const goaway = new Promise((resolve) => session.once('goaway', resolve));
    expect(await send(session)).toBe('0');
    expect(await goaway).toBe(0);
    expect(await send()).toBe('0');
  });
});

describe('a gRPC call', () => {
  it('whose message is not complete in time gets DEADLINE_EXCEEDED, and its connection is closed', async () => {
    await start({ read_timeout: '200ms' });
    const session = openSession();
    const { stream, status } = beginCall(session);
    stream.write(Buffer.from([0, 0, 0, 1, 0, 7]));
    const closed = new Promise((resolve) => session.once('close', resolve));
    expect(await status).toBe('4');
    await closed;
    expect(await send()).toBe('0');
  });

  it('above the rate of its client gets RESOURCE_EXHAUSTED, and is counted', async () => {
    await start({ requests_per_second: 0.001, request_burst: 2 });
    const session = openSession();
    expect([await send(session), await send(session), await send(session)]).toEqual(['0', '0', '8']);
    expect(running.meters.samples('faultline_http_rate_limited_requests')[0]?.value).toBe(1);
  });

  it('above the memory limit of all requests is refused as retryable, and the others continue', async () => {
    await start({}, '1MiB', 4_200_000);
    const session = openSession();
    const calls = Array.from({ length: 8 }, () => beginCall(session));
    const half = Buffer.alloc(999_999);
    for (const { stream } of calls) stream.write(Buffer.concat([Buffer.from([0, 0, 0x0f, 0x42, 0x40]), half]));
    const refused = await Promise.all(
      [0, 1, 2, 3].map((count) => waitFor('a refusal', () => arrivedStatuses(calls)[count])),
    );
    expect(new Set(refused)).toEqual(new Set(['8']));
    for (const { stream, latest: said } of calls) if (said.status === undefined) stream.end(Buffer.alloc(1));
    const statuses = await Promise.all(calls.map(({ status }) => status));
    // Calls that are not refused are read to their end; their bytes are not OTLP.
    expect(statuses.toSorted()).toEqual(['3', '3', '3', '3', '8', '8', '8', '8']);
    expect(running.account()).toMatchObject({
      received: 8,
      refused: 4,
      reasons: { RECEIVER_BUSY: 4, OTLP_INVALID: 4 },
    });
    expect(running.meters.samples('faultline_ingest_held_bytes')[0]?.value).toBe(0);
    expect(running.meters.samples('faultline_ingest_refused_requests')[0]?.value).toBe(4);
  });

  it('may follow many others on its connection, whatever their total size', async () => {
    await start({}, '1MiB');
    const session = openSession();
    for (let index = 0; index < 10; index++) {
      const { stream, status } = beginCall(session);
      const body = Buffer.alloc(900_000);
      stream.end(Buffer.concat([Buffer.from([0, 0, 0x0d, 0xbb, 0xa0]), body]));
      expect(await status).toBe('3');
    }
    expect(running.account()?.reasons).toEqual({ OTLP_INVALID: 10 });
  });
});
