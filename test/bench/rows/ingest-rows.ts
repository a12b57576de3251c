import type { CollectorProcess } from '../collector-process.js';
import { checkedRate } from '../load.js';
import { parseFloor } from '../parse-floor.js';
import type { PeerProcess } from '../peer-process.js';
import { median, type Row, row } from '../row.js';
import { foreignBody, sampleBody, sampleEvent } from '../sample-events.js';

const BATCH = 500;
const RUNS = 3;
const SECONDS = 4;

async function batches(
  collector: CollectorProcess,
  name: string,
  makeBody: typeof sampleBody,
  bar: Row['bar'],
): Promise<Row> {
  const bodies = Array.from({ length: 40 }, (_, index) => makeBody(index * BATCH, BATCH, 200));
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    theirs.push(parseFloor(bodies));
    const load = {
      url: `${collector.ingestUrl}/v1/events`,
      bodies,
      contentType: 'application/x-ndjson',
      connections: 4,
      seconds: SECONDS,
    };
    ours.push((await checkedRate(load)) * BATCH);
  }
  return row(name, median(ours), 'split + JSON.parse of the same bytes, events/s', median(theirs), 'higher', bar);
}

async function singles(collector: CollectorProcess, peer: PeerProcess): Promise<Row> {
  const bodies = Array.from({ length: 500 }, (_, index) =>
    Buffer.from(JSON.stringify(sampleEvent(index % 200, index))),
  );
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const load = { bodies, contentType: 'application/json', connections: 64, seconds: SECONDS };
    theirs.push(await checkedRate({ ...load, url: `${peer.url}/echo` }));
    ours.push(await checkedRate({ ...load, url: `${collector.ingestUrl}/v1/events` }));
  }
  return row(
    'durable ingest, one event per request, 64 connections, events/s',
    median(ours),
    'bare Express 5 JSON echo, requests/s',
    median(theirs),
    'higher',
    { of: 'ratio', value: 2 },
  );
}

/** Rate of durable ingest over HTTP into an empty store. */
export async function ingestRows(collector: CollectorProcess, peer: PeerProcess): Promise<Row[]> {
  return [
    await batches(collector, 'durable ingest, NDJSON batches of 500, keys in our order, events/s', sampleBody, {
      of: 'ratio',
      value: 0.25,
    }),
    await batches(
      collector,
      "durable ingest, NDJSON batches of 500, keys in the sender's order, events/s",
      foreignBody,
      null,
    ),
    await singles(collector, peer),
  ];
}
