import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CollectorProcess, startCollectorProcess } from '../collector-process.js';
import { type FilledStore, sizeOf } from '../filled-store.js';
import { checkedRate, type Load, postUntilDisconnected } from '../load.js';
import { parseFloor } from '../parse-floor.js';
import { startPeerProcess } from '../peer-process.js';
import { median, type Row, row } from '../row.js';
import { runProgram } from '../run-program.js';
import { spreadBody } from '../sample-issues.js';
import { bytesWritten, readWatched, resetWatch } from '../watched-process.js';

const BATCH = 500;
const BODIES = 40;
const RUNS = 5;
const SECONDS = 4;
const CONNECTIONS = 4;
const LOAD_BEFORE_KILL_MS = 3000;

export interface ScaleOptions {
  readonly store: FilledStore;
  /** A temporary folder. */
  readonly folder: string;
  /** Run time of an empty Node program. */
  readonly nodeStartMs: number;
}

/** Rate of ingest into a large store; peer: an empty store with the same load in turns. */
export async function loadRows({ store, folder }: ScaleOptions): Promise<Row[]> {
  const bodies = spreadBodies(store.issues);
  const load = { bodies, contentType: 'application/x-ndjson', connections: CONNECTIONS, seconds: SECONDS };
  const watchFile = join(folder, 'watched.json');
  const filled = await startCollectorProcess(store.directory, watchFile);
  const empty = await startCollectorProcess(join(folder, 'empty'));
  const url = (collector: CollectorProcess): string => `${collector.ingestUrl}/v1/events`;
  // Warms up the code, and creates the issues of the empty store.
  await checkedRate({ ...load, url: url(empty) });
  await checkedRate({ ...load, url: url(filled) });
  const before = await readAmounts(filled, store.directory);
  resetWatch(filled);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    theirs.push((await checkedRate({ ...load, url: url(empty) })) * BATCH);
    ours.push((await checkedRate({ ...load, url: url(filled) })) * BATCH);
  }
  const after = await readAmounts(filled, store.directory);
  const megabytes = filled.residentMb();
  const emptyMegabytes = empty.residentMb();
  await empty.stop();
  await filled.stop();
  const watched = readWatched(watchFile);
  const events = after.events - before.events;
  const rawBytes = rawBytesIn(store.directory) - before.rawBytes;
  const title = sizeOf(store);
  return [
    row(
      `durable ingest, NDJSON batches of 500 over ${(store.issues / 5).toLocaleString('en')} issues, events/s; at ${title}`,
      median(ours),
      'the same on a store that was empty, in turns, events/s',
      median(theirs),
      'higher',
      { of: 'ratio', value: 0.97 },
    ),
    row(
      `longest block of the event loop in that load, checkpoints included, ms; at ${title}`,
      watched.maxMs,
      'bare Express echoing the same events as arrays, ms',
      await peerBlockMs(folder, load),
      'lower',
      { of: 'figure', value: 20 },
    ),
    row(
      `bytes written per event beyond the raw line, last checkpoint included; at ${title}`,
      (watched.wchar - before.written - rawBytes) / events,
      'bytes of the raw line',
      rawBytes / events,
      'lower',
      { of: 'figure', value: 300 },
    ),
    row(
      `resident memory after that load, MB; at ${title}`,
      megabytes,
      'the store that was empty, MB',
      emptyMegabytes,
      'lower',
      { of: 'figure', value: 220 },
    ),
  ];
}

/** Time to start over a large store, after a clean stop and after a kill. */
export async function startRows({ store, nodeStartMs }: ScaleOptions): Promise<Row[]> {
  const clean: number[] = [];
  const killed: number[] = [];
  const bodies = spreadBodies(store.issues);
  for (let run = 0; run < 3; run += 1) {
    const collector = await startCollectorProcess(store.directory);
    // The first start does not follow a kill.
    if (run > 0) killed.push(collector.startMs);
    await collector.stop();
    const again = await startCollectorProcess(store.directory);
    clean.push(again.startMs);
    const load = postUntilDisconnected(`${again.ingestUrl}/v1/events`, bodies, CONNECTIONS);
    await new Promise((resolve) => setTimeout(resolve, LOAD_BEFORE_KILL_MS));
    await again.kill();
    await load;
  }
  const last = await startCollectorProcess(store.directory);
  killed.push(last.startMs);
  await last.stop();
  const title = sizeOf(store);
  const startRow = (name: string, values: readonly number[], bar: number): Row =>
    row(name, median(values), 'node -e 0, ms', nodeStartMs, 'lower', { of: 'figure', value: bar });
  return [
    startRow(`start to ready after a clean stop, ms; at ${title}`, clean, 1000),
    startRow(`start to ready after SIGKILL under load, ms; at ${title}`, killed, 3000),
  ];
}

/** Rate of rebuilding the index; the last measurement of a store. */
export async function rebuildRow({ store }: ScaleOptions): Promise<Row> {
  const { ms, events } = await runProgram('rebuild-index', [store.directory]);
  return row(
    `rebuild of the index from the record, events/s; at ${sizeOf(store)} and the load of the rows above`,
    (Number(events) * 1000) / Number(ms),
    'split + JSON.parse of events of full size, events/s',
    parseFloor(spreadBodies(store.issues)),
    'higher',
    { of: 'figure', value: 60_000 },
  );
}

/** Returns what a collector stored and wrote so far. */
async function readAmounts(
  collector: CollectorProcess,
  directory: string,
): Promise<{ events: number; rawBytes: number; written: number }> {
  const response = await fetch(`${collector.queryUrl}/api/v1/stats`);
  const stats: unknown = await response.json();
  const events = typeof stats === 'object' && stats !== null && 'events' in stats ? Number(stats.events) : Number.NaN;
  return { events, rawBytes: rawBytesIn(directory), written: bytesWritten(collector) };
}

function rawBytesIn(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const rawFiles = names.filter((name) => name.endsWith('raw.ndjson'));
  return rawFiles.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

function spreadBodies(issues: number): Buffer[] {
  return Array.from({ length: BODIES }, (_, index) => spreadBody(index * BATCH, BATCH, issues));
}

async function peerBlockMs(folder: string, load: Omit<Load, 'url'>): Promise<number> {
  const watchFile = join(folder, 'watched-peer.json');
  const peer = await startPeerProcess('bare-express', watchFile);
  const bodies = load.bodies.map((body) => Buffer.from(`[${body.toString('utf8').trimEnd().replaceAll('\n', ',')}]`));
  const peerLoad = { ...load, bodies, contentType: 'application/json', url: `${peer.url}/echo` };
  await checkedRate(peerLoad);
  resetWatch(peer);
  await checkedRate(peerLoad);
  await peer.stop();
  return readWatched(watchFile).maxMs;
}
