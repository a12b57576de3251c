import type { CollectorProcess } from '../collector-process.js';
import { postLoad } from '../load.js';
import type { PeerProcess } from '../peer-process.js';
import { median, type Row, row } from '../row.js';
import { foreignBody, sampleBody, sampleEvent } from '../sample-events.js';

const BATCH = 500;
const RUNS = 3;
const SECONDS = 4;

/** Events per second of splitting a body on newlines and parsing each line: the floor under any NDJSON receiver. */
function parseFloor(bodies: readonly Buffer[]): number {
  const began = performance.now();
  let events = 0;
  while (performance.now() - began < 1000) {
    for (const body of bodies) {
      for (const line of body.toString('utf8').split('\n')) {
        if (line === '') continue;
        JSON.parse(line);
        events += 1;
      }
    }
  }
  return (events * 1000) / (performance.now() - began);
}

function checked(result: { requestsPerSecond: number; failures: number }): number {
  if (result.failures > 0) throw new Error(`${result.failures} requests failed: the run says nothing`);
  return result.requestsPerSecond;
}

async function batches(collector: CollectorProcess, name: string, makeBody: typeof sampleBody): Promise<Row> {
  const bodies = Array.from({ length: 40 }, (_, place) => makeBody(place * BATCH, BATCH, 200));
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
    ours.push(checked(await postLoad(load)) * BATCH);
  }
  return row(name, median(ours), 'split + JSON.parse of the same bytes, events/s', median(theirs), 'higher');
}

async function singles(collector: CollectorProcess, peer: PeerProcess): Promise<Row> {
  const bodies = Array.from({ length: 500 }, (_, place) =>
    Buffer.from(JSON.stringify(sampleEvent(place % 200, place))),
  );
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const load = { bodies, contentType: 'application/json', connections: 64, seconds: SECONDS };
    theirs.push(checked(await postLoad({ ...load, url: `${peer.url}/echo` })));
    ours.push(checked(await postLoad({ ...load, url: `${collector.ingestUrl}/v1/events` })));
  }
  return row(
    'durable ingest, one event per request, 64 connections, events/s',
    median(ours),
    'bare Express 5 JSON echo, requests/s',
    median(theirs),
    'higher',
  );
}

/** How fast failures become durable, over real HTTP into an empty store. */
export async function ingestRows(collector: CollectorProcess, peer: PeerProcess): Promise<Row[]> {
  return [
    await batches(collector, 'durable ingest, NDJSON batches of 500, keys in our order, events/s', sampleBody),
    await batches(
      collector,
      "durable ingest, NDJSON batches of 500, keys in the sender's order, events/s",
      foreignBody,
    ),
    await singles(collector, peer),
  ];
}
