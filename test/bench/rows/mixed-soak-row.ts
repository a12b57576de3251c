import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beginCall, messageFrame } from '../../collector/receivers/otlp/grpc-call.js';
import { freePort } from '../../helpers/free-port.js';
import { startCollectorProcess } from '../collector-process.js';
import { otlpProtobufBody } from '../otlp-bodies.js';
import { type Row, row } from '../row.js';
import { sampleEvent } from '../sample-events.js';
import { sentryEnvelope } from '../sentry-bodies.js';

const MINUTES = 10;
/** Minutes whose memory does not count: the heap grows to its size. */
const SETTLING_MINUTES = 2;
const MOST_MB = 250;
const KINDS = 200;

/** The most resident memory in ten minutes of mixed load on default settings, from an empty store on; beside it what it was after two minutes. */
export async function mixedSoakRow(folder: string, minutes = MINUTES): Promise<Row> {
  const port = await freePort();
  const sets = [`receivers.otlp.protocols.grpc.endpoint=127.0.0.1:${port}`];
  const collector = await startCollectorProcess(join(folder, 'mixed'), undefined, sets);
  const samples: [number, number][] = [];
  const began = performance.now();
  const timer = setInterval(() => samples.push([(performance.now() - began) / 60_000, collector.residentMb()]), 1_000);
  const requests = await mixedLoad(collector.ingestUrl, `http://127.0.0.1:${port}`, minutes * 60_000);
  clearInterval(timer);
  await collector.stop();
  const atMost = (wanted: (minute: number) => boolean): number =>
    Math.max(...samples.filter(([minute]) => wanted(minute)).map(([, megabytes]) => megabytes));
  return row(
    `resident memory at most in ${minutes} minutes of mixed load (${requests} requests: events with Idempotency-Key, OTLP over HTTP and gRPC, Sentry), MB`,
    atMost(() => true),
    `in its first ${SETTLING_MINUTES} minutes, MB`,
    atMost((minute) => minute <= SETTLING_MINUTES),
    'lower',
    { of: 'figure', value: MOST_MB },
  );
}

/** Requests a second of each kind; the body is never the same twice, and neither is what names it. */
async function mixedLoad(url: string, grpcUrl: string, durationMs: number): Promise<number> {
  const grpc = connect(grpcUrl);
  const post = async (path: string, contentType: string, body: Uint8Array | string, key?: string): Promise<void> => {
    const headers = { 'content-type': contentType, ...(key !== undefined && { 'idempotency-key': key }) };
    const response = await fetch(url + path, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  };
  const events = (serial: number): string =>
    JSON.stringify(
      Array.from({ length: 10 }, (_, index) => sampleEvent((serial + index) % KINDS, serial * 10 + index)),
    );
  const envelope = '/api/1/envelope/?sentry_version=7&sentry_key=0123456789abcdef0123456789abcdef';
  const kinds: [number, (serial: number) => Promise<void>][] = [
    [80, (serial) => post('/v1/events', 'application/json', events(serial), `soak-${serial}`)],
    [10, (serial) => post('/v1/logs', 'application/x-protobuf', otlpProtobufBody(serial * 20, 20, KINDS))],
    [10, (serial) => exportLogs(grpc, gzipSync(otlpProtobufBody(serial * 20, 20, KINDS)))],
    [60, (serial) => post(envelope, 'application/x-sentry-envelope', withId(sentryEnvelope(serial, KINDS), serial))],
  ];
  const until = performance.now() + durationMs;
  const counts = await Promise.all(kinds.map(([perSecond, send]) => paced(perSecond, until, send)));
  grpc.close();
  return counts.reduce((sum, count) => sum + count, 0);
}

/** One after the other, at most so many a second; resolves with how many there were. */
async function paced(perSecond: number, until: number, send: (serial: number) => Promise<void>): Promise<number> {
  const began = performance.now();
  let serial = 0;
  for (; performance.now() < until; serial++) {
    await send(serial);
    const waitMs = began + (serial * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await delay(waitMs);
  }
  return serial;
}

/** As SDKs send them: what has an id is remembered for `idempotency_window`. */
function withId(body: Buffer, serial: number): string {
  const id = serial.toString(16).padStart(32, '0');
  return body.toString().replace(/^\{[^\n]*/, JSON.stringify({ event_id: id, sent_at: new Date().toISOString() }));
}

async function exportLogs(grpc: ClientHttp2Session, message: Buffer): Promise<void> {
  const call = beginCall(grpc, { 'grpc-encoding': 'gzip' });
  call.stream.end(messageFrame(message, true));
  const status = await call.status;
  if (status !== '0') throw new Error(`gRPC answered ${status}`);
}
