import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beginCall, messageFrame } from '../../collector/receivers/otlp/grpc-call.js';
import { reservePort } from '../../helpers/reserved-port.js';
import { startCollectorProcess } from '../collector-process.js';
import { otlpProtobufBody } from '../otlp-bodies.js';
import { type Row, row } from '../row.js';
import { sampleEvent } from '../sample-events.js';
import { sentryEnvelope } from '../sentry-bodies.js';

const MINUTES = 10;
/** Minutes that do not count, in which the heap grows to its size. */
const SETTLING_MINUTES = 2;
const MAX_MB = 250;
const KINDS = 200;

/** The highest resident memory in ten minutes of mixed load on a new store with defaults; peer: its first two minutes. */
export async function mixedSoakRow(folder: string, minutes = MINUTES): Promise<Row> {
  const port = await reservePort();
  const sets = [`receivers.otlp.protocols.grpc.endpoint=127.0.0.1:${port}`];
  const collector = await startCollectorProcess(join(folder, 'mixed'), undefined, sets);
  const samples: [number, number][] = [];
  const began = performance.now();
  const timer = setInterval(() => samples.push([(performance.now() - began) / 60_000, collector.residentMb()]), 1_000);
  const requests = await mixedLoad(collector.ingestUrl, `http://127.0.0.1:${port}`, minutes * 60_000);
  clearInterval(timer);
  await collector.stop();
  const maxMb = (isIncluded: (minute: number) => boolean): number =>
    Math.max(...samples.filter(([minute]) => isIncluded(minute)).map(([, megabytes]) => megabytes));
  return row(
    `resident memory at most in ${minutes} minutes of mixed load (${requests} requests: events with Idempotency-Key, OTLP over HTTP and gRPC, Sentry), MB`,
    maxMb(() => true),
    `in its first ${SETTLING_MINUTES} minutes, MB`,
    maxMb((minute) => minute <= SETTLING_MINUTES),
    'lower',
    { of: 'figure', value: MAX_MB },
  );
}

/** Sends each kind of request at its rate, with a new body and id each time; returns the number of requests. */
async function mixedLoad(url: string, grpcUrl: string, durationMs: number): Promise<number> {
  const grpc = connect(grpcUrl);
  const post = async (path: string, contentType: string, body: Uint8Array | string, key?: string): Promise<void> => {
    const headers = { 'content-type': contentType, ...(key !== undefined && { 'idempotency-key': key }) };
    const response = await fetch(url + path, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} returned ${response.status}`);
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
  const counts = await Promise.all(kinds.map(([perSecond, send]) => sendPaced(perSecond, until, send)));
  grpc.close();
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Sends one after the other at a maximum rate; returns the number of calls. */
async function sendPaced(perSecond: number, until: number, send: (serial: number) => Promise<void>): Promise<number> {
  const began = performance.now();
  let serial = 0;
  for (; performance.now() < until; serial++) {
    await send(serial);
    const waitMs = began + (serial * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await delay(waitMs);
  }
  return serial;
}

/** Adds an event id like SDKs do, which the collector remembers for `idempotency_window`. */
function withId(body: Buffer, serial: number): string {
  const id = serial.toString(16).padStart(32, '0');
  return body.toString().replace(/^\{[^\n]*/, JSON.stringify({ event_id: id, sent_at: new Date().toISOString() }));
}

async function exportLogs(grpc: ClientHttp2Session, message: Buffer): Promise<void> {
  const call = beginCall(grpc, { 'grpc-encoding': 'gzip' });
  call.stream.end(messageFrame(message, true));
  const status = await call.status;
  if (status !== '0') throw new Error(`gRPC returned status ${status}`);
}
