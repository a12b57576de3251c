import { type ClientHttp2Session, connect } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { beginCall, messageFrame } from './grpc-call.js';
import {
  JSON_TYPE,
  type OtlpVariant,
  PROTOBUF_TYPE,
  restart,
  running,
  send,
  startForEachTest,
  startOtlp,
} from './running-otlp.js';

const SIGNALS = [
  ['metrics', '/v1/metrics', '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export'],
  [
    'profiles',
    '/v1development/profiles',
    '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export',
  ],
] as const;
const REFUSE: OtlpVariant = { settings: { signals: { metrics: 'refuse', profiles: 'refuse' } } };
const METRICS = '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"requests"}]}]}]}';

startForEachTest();
let session: ClientHttp2Session;
afterEach(() => session?.destroy());

const dropped = (signal: string) =>
  running.meters.samples('faultline_receiver_dropped_requests').find(({ labels }) => labels['signal'] === signal)
    ?.value;

function call(path: string, body: Buffer, headers: object = {}) {
  session = connect(`http://${running.grpcAddress}`);
  const { stream, status } = beginCall(session, { ':path': path, ...headers });
  stream.end(messageFrame(body));
  return status;
}

describe.each(SIGNALS)('%s at the common endpoint', (signal, path, method) => {
  it('are accepted and dropped by default, and counted', async () => {
    expect(await send(METRICS, JSON_TYPE, { path })).toMatchObject({
      status: 200,
      type: 'application/json',
      text: '{}',
    });
    const binary = await send(Buffer.from([0x0a, 0]), PROTOBUF_TYPE, { path });
    expect(binary).toMatchObject({ status: 200, type: 'application/x-protobuf', text: '' });
    // Not even decompressed.
    const packed = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    expect((await send(gzipSync(METRICS), packed, { path })).status).toBe(200);
    expect(await call(method, Buffer.alloc(100_000), { 'grpc-encoding': 'lz4' })).toBe('0');
    expect(dropped(signal)).toBe(4);
    expect(running.account()?.received).toBe(0);
  });

  it('are refused with a Status if the settings say so', async () => {
    await restart(REFUSE);
    const json = await send(METRICS, JSON_TYPE, { path });
    expect(json).toMatchObject({ status: 404, type: 'application/json' });
    expect(JSON.parse(json.text)).toEqual({ code: 12, message: expect.stringContaining(`${signal} are not accepted`) });
    const binary = await send(Buffer.from([0x0a, 0]), PROTOBUF_TYPE, { path });
    expect([binary.status, binary.type, ...binary.bytes.subarray(0, 3)]).toEqual([
      404,
      'application/x-protobuf',
      0x08,
      12,
      0x12,
    ]);
    expect(await call(method, Buffer.alloc(10))).toBe('12');
    expect(dropped(signal)).toBe(0);
  });

  it('are bounded as failures are', async () => {
    await restart({ http: { max_request_body_size: '1KiB' }, grpc: { max_recv_msg_size: '1KiB' } });
    expect((await send(Buffer.alloc(2_000), PROTOBUF_TYPE, { path })).status).toBe(413);
    expect(await call(method, Buffer.alloc(2_000))).toBe('8');
    expect((await send(undefined, {}, { path, method: 'GET' })).status).toBe(405);
    expect((await send('x', { 'content-type': 'text/plain' }, { path })).status).toBe(415);
  });
});

it('a path of its own for logs wins over the one of metrics', async () => {
  const own = await startOtlp({ http: { logs_url_path: '/v1/metrics' }, without: 'grpc' });
  const response = await fetch(`${own.httpUrl}/v1/metrics`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"resourceLogs":1}',
  });
  expect(response.status).toBe(400);
  await own.close();
});
