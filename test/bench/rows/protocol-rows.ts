import type { CollectorProcess } from '../collector-process.js';
import { checkedRate } from '../load.js';
import { jsonFloor, otlpJsonBody, otlpProtobufBody, protobufFloor } from '../otlp-bodies.js';
import { startPeerProcess } from '../peer-process.js';
import { median, type Row, row } from '../row.js';
import { sentryEnvelope } from '../sentry-bodies.js';

const BATCH = 100;
const BODIES = 40;
const KINDS = 200;
const RUNS = 3;
const SECONDS = 4;
const BAR: Row['bar'] = { of: 'ratio', value: 0.4 };

interface OtlpEncoding {
  readonly name: string;
  readonly contentType: string;
  readonly makeBody: typeof otlpJsonBody;
  readonly floorName: string;
  readonly floor: (bodies: readonly Buffer[]) => number;
}

const ENCODINGS: readonly OtlpEncoding[] = [
  {
    name: 'protobuf',
    contentType: 'application/x-protobuf',
    makeBody: otlpProtobufBody,
    floorName: 'protobufjs decoding the same bytes, records/s',
    floor: protobufFloor,
  },
  {
    name: 'JSON',
    contentType: 'application/json',
    makeBody: otlpJsonBody,
    floorName: 'JSON.parse of the same bytes, records/s',
    floor: (bodies) => jsonFloor(bodies, BATCH),
  },
];

async function otlpRow(collector: CollectorProcess, encoding: OtlpEncoding): Promise<Row> {
  const { name, contentType, makeBody, floorName, floor } = encoding;
  const bodies = Array.from({ length: BODIES }, (_, index) => makeBody(index * BATCH, BATCH, KINDS));
  const load = { url: `${collector.ingestUrl}/v1/logs`, bodies, contentType, connections: 8, seconds: SECONDS };
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    theirs.push(floor(bodies));
    ours.push((await checkedRate(load)) * BATCH);
  }
  return row(
    `durable ingest, OTLP ${name} batches of 100, records/s`,
    median(ours),
    floorName,
    median(theirs),
    'higher',
    BAR,
  );
}

async function envelopeRow(collector: CollectorProcess): Promise<Row> {
  const bodies = Array.from({ length: 500 }, (_, index) => sentryEnvelope(index, KINDS));
  const peer = await startPeerProcess('bare-envelopes');
  const load = { bodies, contentType: 'application/x-sentry-envelope', connections: 64, seconds: SECONDS };
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    theirs.push(await checkedRate({ ...load, url: peer.url }));
    ours.push(
      await checkedRate({
        ...load,
        url: `${collector.ingestUrl}/api/1/envelope/?sentry_version=7&sentry_key=0123456789abcdef0123456789abcdef`,
      }),
    );
  }
  await peer.stop();
  return row(
    'durable ingest, Sentry envelopes of one event, 64 connections, events/s',
    median(ours),
    'bare node:http that parses them, requests/s',
    median(theirs),
    'higher',
    BAR,
  );
}

/** Rate of durable ingest over OTLP and Sentry, and the memory after it. */
export async function protocolRows(collector: CollectorProcess): Promise<Row[]> {
  const before = collector.residentMb();
  const rows: Row[] = [];
  for (const encoding of ENCODINGS) rows.push(await otlpRow(collector, encoding));
  rows.push(await envelopeRow(collector));
  const name = 'resident memory after that load by OTLP and Sentry clients, MB';
  rows.push(row(name, collector.residentMb(), 'before it, MB', before, 'lower', null));
  return rows;
}
