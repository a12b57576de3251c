import { connect } from 'node:http2';
import { createServer } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  type Client,
  compressionAlgorithms,
  credentials,
  Metadata,
  makeClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { Fault } from '../../../../core/event/fault.js';
import { DEFAULT_LIMITS } from '../../../helpers/event-limits.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { snappyBomb, snappyStored, zstdBomb, zstdStored } from '../../http/decompression/compressed-lines.js';
import { logProtobuf } from './bodies.js';
import * as wire from './decode/wire.js';
import { beginCall, LOGS_METHOD, messageFrame } from './grpc-call.js';
import { restart, running, startForEachTest, startOtlp } from './running-otlp.js';

const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const GZIP = { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip };
const UNAVAILABLE = 14;
const RESOURCE_EXHAUSTED = 8;

const clients: Client[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
startForEachTest();

type Reply = { readonly bytes: Buffer } | { readonly code: number; readonly details: string; readonly status: Buffer };

function clientOf(options: object = {}, address = running.grpcAddress): Client {
  const Constructor = makeClientConstructor({}, 'otlp');
  const client = new Constructor(address, credentials.createInsecure(), options);
  clients.push(client);
  return client;
}

function send(
  body: Buffer,
  { path = LOGS_METHOD, client = clientOf(), signal }: { path?: string; client?: Client; signal?: AbortSignal } = {},
): Promise<Reply> {
  const identity = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const call = client.makeUnaryRequest(
      path,
      identity,
      identity,
      body,
      new Metadata(),
      {},
      (error: ServiceError | null, bytes?: Buffer) => {
        if (error === null) resolve({ bytes: bytes ?? Buffer.alloc(0) });
        else {
          const [status] = error.metadata.get('grpc-status-details-bin');
          resolve({ code: error.code, details: error.details, status: Buffer.from(status ?? '') });
        }
      },
    );
    signal?.addEventListener('abort', () => call.cancel());
  });
}

const openConnections = () => running.meters.samples('faultline_http_connections')[0]?.value;

/** The status of a call to the logs service with these headers and bytes; undefined if it has none. */
async function sendRaw(headers: object, bytes: Buffer): Promise<string | undefined> {
  const session = connect(`http://${running.grpcAddress}`);
  const { stream, status } = beginCall(session, headers);
  stream.end(bytes);
  await status;
  session.destroy();
  return status;
}

describe('OTLP over gRPC', () => {
  it('accepts logs and traces, plain and compressed, and responds with an empty message', async () => {
    const nothing = { bytes: Buffer.alloc(0) };
    expect(await send(logProtobuf('a'))).toEqual(nothing);
    expect(await send(logProtobuf('b'), { client: clientOf(GZIP) })).toEqual(nothing);
    expect(await send(Buffer.alloc(0), { path: TRACES })).toEqual(nothing);
    expect(running.payloads().map(({ message }) => message)).toEqual(['a', 'b']);
  });

  it.each([
    ['zstd', zstdStored(logProtobuf('a'))],
    ['snappy', snappyStored(logProtobuf('a'))],
    ['deflate', deflateSync(logProtobuf('a'))],
    ['zlib', deflateSync(logProtobuf('a'))],
  ])('accepts a message compressed by %s', async (encoding, message) => {
    expect(await sendRaw({ 'grpc-encoding': encoding }, messageFrame(message, true))).toBe('0');
    expect(running.payloads().map((payload) => payload.message)).toEqual(['a']);
  });

  it.each([
    ['zstd', zstdBomb(2 ** 30)],
    ['snappy', snappyBomb(2 ** 22)],
  ])('stops decompressing a bomb of %s with RESOURCE_EXHAUSTED', async (encoding, bomb) => {
    await restart({ grpc: { max_recv_msg_size: '1MiB' } });
    expect(await sendRaw({ 'grpc-encoding': encoding }, messageFrame(bomb, true))).toBe('8');
    await waitFor('its connection to close', () => openConnections() === 0);
    expect(await send(logProtobuf('a'))).toEqual({ bytes: Buffer.alloc(0) });
  });

  it('counts messages of an unknown encoding, and names the known ones', async () => {
    const session = connect(`http://${running.grpcAddress}`);
    const headers = {
      ':method': 'POST',
      ':path': LOGS_METHOD,
      'content-type': 'application/grpc',
      'grpc-encoding': 'lz4',
    };
    const stream = session.request(headers).end(messageFrame(Buffer.from('x'), true));
    const reply: Record<string, unknown> = await new Promise((resolve) => stream.on('response', resolve));
    expect(reply).toMatchObject({ 'grpc-status': '12', 'grpc-message': expect.stringContaining('lz4') });
    expect(reply['grpc-accept-encoding']).toBe('identity,gzip,deflate,zlib,br,zstd,snappy,x-snappy-framed');
    session.destroy();
    await sendRaw({ 'grpc-encoding': 'lz4' }, messageFrame(Buffer.from('x'), true));
    const [refused] = running.meters.samples('faultline_receiver_unsupported_encodings');
    expect(refused).toMatchObject({ labels: { receiver: 'otlp' }, value: 2 });
  });

  it('responds with RESOURCE_EXHAUSTED without RetryInfo to a message that is too large, even if only after decompression', async () => {
    await restart({ grpc: { max_recv_msg_size: '1KiB' } });
    for (const client of [clientOf(), clientOf(GZIP)]) {
      const reply = await send(logProtobuf('x'.repeat(5_000)), { client });
      expect(reply).toMatchObject({ code: 8, status: Buffer.alloc(0) });
    }
    expect(await send(logProtobuf('a'))).toEqual({ bytes: Buffer.alloc(0) });
  });

  it('reports a record of more than max_members as one rejected record, and stores the others', async () => {
    await restart({ settings: { limits: { ...DEFAULT_LIMITS, max_members: 100 } } });
    const severity = wire.varintField(2, 17);
    const attribute = (index: number) => wire.bytesField(6, wire.bytesField(1, `k${index}`));
    const large = Buffer.concat([severity, ...Array.from({ length: 101 }, (_, index) => attribute(index))]);
    const reply = await send(wire.logsBody(severity, large, severity));
    // ExportLogsServiceResponse: partial_success (1) with rejected_log_records (1) of 1.
    expect('bytes' in reply && reply.bytes.subarray(2, 4)).toEqual(Buffer.from([0x08, 0x01]));
    expect(running.account()).toMatchObject({ stored: 2, rejected: 1, reasons: { EVENT_TOO_MANY_MEMBERS: 1 } });
  });

  it('responds with INVALID_ARGUMENT to a message that is not OTLP', async () => {
    expect(await send(Buffer.from([0x0a, 0xff]))).toMatchObject({ code: 3, details: expect.stringContaining('OTLP') });
    expect(running.account()?.reasons).toEqual({ OTLP_INVALID: 1 });
  });

  it('responds with INVALID_ARGUMENT to log records sent to the service for traces, and names their own', async () => {
    const details = expect.stringContaining('send logs to their own path');
    expect(await send(logProtobuf('a'), { path: TRACES })).toMatchObject({ code: 3, details });
    expect(running.account()?.reasons).toEqual({ OTLP_INVALID: 1 });
  });

  it.each([
    [
      'data that is not compressed as it says',
      { 'grpc-encoding': 'gzip' },
      [1, 0, 0, 0, 3, 1, 2, 3],
      '3',
      'BODY_COMPRESSION_INVALID',
    ],
    [
      'compressed data that is cut',
      { 'grpc-encoding': 'gzip' },
      messageFrame(gzipSync('x').subarray(0, -4), true),
      '3',
      'BODY_COMPRESSION_INVALID',
    ],
    ['a time that is not valid', { 'grpc-timeout': 'soon' }, [0, 0, 0, 0, 0], '3', undefined],
    ['a message shorter than it says', {}, [0, 0, 0, 0, 9, 1], '3', 'GRPC_MESSAGE_INVALID'],
    ['two messages', {}, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], '3', 'GRPC_MESSAGE_INVALID'],
    ['no message', {}, [], '3', 'GRPC_MESSAGE_INVALID'],
    ['an unknown encoding', { 'grpc-encoding': 'lz4' }, [1, 0, 0, 0, 1, 0], '12', 'GRPC_ENCODING_UNSUPPORTED'],
  ])('treats %s as an error of the client, and counts it as one', async (_, headers, bytes, status, reason) => {
    expect(await sendRaw(headers, Buffer.from(bytes))).toBe(status);
    expect(running.account()).toMatchObject({
      received: reason === undefined ? 0 : 1,
      rejected: reason === undefined ? 0 : 1,
      reasons: reason === undefined ? {} : { [reason]: 1 },
    });
    const outcomes = running.meters.samples('faultline_receiver_requests');
    expect(outcomes.find(({ labels }) => labels['outcome'] === 'failure')?.value).toBe(1);
    expect(await send(logProtobuf('a'))).toEqual({ bytes: Buffer.alloc(0) });
  });

  it('stops decompressing at the memory limit of all requests, and says when to retry', async () => {
    await restart({ maxMemory: 1_000_000 });
    const held = running.consumer.holdNext();
    const first = send(logProtobuf('x'.repeat(500_000)));
    await held.arrived;
    const large = logProtobuf('x'.repeat(600_000));
    const refused = await send(large, { client: clientOf(GZIP) });
    expect(refused).toMatchObject({ code: RESOURCE_EXHAUSTED });
    expect('status' in refused && refused.status.includes('google.rpc.RetryInfo')).toBe(true);
    held.release();
    expect(await first).toEqual({ bytes: Buffer.alloc(0) });
    expect(await send(large, { client: clientOf(GZIP) })).toEqual({ bytes: Buffer.alloc(0) });
    expect(running.account()).toMatchObject({ received: 3, stored: 2, refused: 1, reasons: { RECEIVER_BUSY: 1 } });
    const tooLarge = await send(logProtobuf('x'.repeat(2_000_000)), { client: clientOf(GZIP) });
    expect(tooLarge).toMatchObject({ code: RESOURCE_EXHAUSTED });
    expect('status' in tooLarge && tooLarge.status.includes('google.rpc.RetryInfo')).toBe(false);
  });

  it('responds with DEADLINE_EXCEEDED when the deadline passes', async () => {
    running.consumer.before = () => new Promise(() => {});
    expect(await sendRaw({ 'grpc-timeout': '20m' }, messageFrame(logProtobuf('a')))).toBe('4');
  });

  it('responds with UNAVAILABLE and a RetryInfo of one second if the store refuses', async () => {
    running.consumer.before = () => {
      throw new Fault('STORE_FULL', 'the disk is full', { retryable: true });
    };
    const reply = await send(logProtobuf('a'));
    expect(reply).toMatchObject({ code: UNAVAILABLE, details: 'the disk is full' });
    const status = Buffer.concat([
      Buffer.from([0x08, UNAVAILABLE, 0x12, 16]),
      Buffer.from('the disk is full'),
      Buffer.from([0x1a, 48, 0x0a, 40]),
      Buffer.from('type.googleapis.com/google.rpc.RetryInfo'),
      Buffer.from([0x12, 4, 0x0a, 2, 0x08, 1]),
    ]);
    expect(reply).toHaveProperty('status', status);
  });

  it('responds with UNIMPLEMENTED to other methods', async () => {
    expect(await send(Buffer.alloc(0), { path: '/a.Service/Export' })).toMatchObject({ code: 12 });
  });

  it('remembers what it stored for a client that disconnected', async () => {
    const held = running.consumer.holdNext();
    const caller = new AbortController();
    const cut = send(logProtobuf('a'), { signal: caller.signal });
    await held.arrived;
    caller.abort();
    expect(await cut).toHaveProperty('code');
    // Sent after the server noticed that the first client is gone.
    await send(Buffer.alloc(0));
    held.release();
    await waitFor('the record to be stored', () => running.account()?.stored === 1);
    expect(await send(logProtobuf('a'))).toEqual({ bytes: Buffer.alloc(0) });
    expect(running.account()).toMatchObject({ received: 1, stored: 1 });
  });
});

describe('the gRPC server', () => {
  it('listens on both loopback addresses for localhost', async () => {
    await restart({ grpc: { endpoint: 'localhost:0' } });
    expect(running.receiver.urls).toEqual([running.httpUrl, `grpc://${running.grpcAddress}`]);
    const port = running.grpcAddress.slice('localhost:'.length);
    for (const address of [`127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect(await send(Buffer.alloc(0), { client: clientOf({}, address) })).toEqual({ bytes: Buffer.alloc(0) });
    }
  });

  it('names the address on which it cannot listen, and listens on no other', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await expect(startOtlp({ grpc: { endpoint: `127.0.0.1:${port}` } })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringContaining(`127.0.0.1:${port}: another process`),
    });
    await new Promise((resolve) => taken.close(resolve));
  });

  it('completes running calls when it stops, and accepts no new ones', async () => {
    await restart({ drainMs: 5_000 });
    const held = running.consumer.holdNext();
    const call = send(logProtobuf('a'));
    await held.arrived;
    const closed = running.close();
    await waitFor('new calls to be refused', async () => 'code' in (await send(Buffer.alloc(0))));
    held.release();
    expect(await call).toEqual({ bytes: Buffer.alloc(0) });
    await closed;
  });

  it('stops even if a call does not end', async () => {
    await restart({ drainMs: 50 });
    const held = running.consumer.holdNext();
    const call = send(logProtobuf('a'));
    await held.arrived;
    await running.close();
    expect(await call).toHaveProperty('code');
  });
});

it('serves each protocol alone if the other one is not configured', async () => {
  await restart({ without: 'grpc' });
  expect(running.receiver.urls).toEqual([running.httpUrl]);
  await restart({ without: 'http' });
  expect(running.receiver.urls).toEqual([`grpc://${running.grpcAddress}`]);
});
