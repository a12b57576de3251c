import { spawnSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { startCollectorProcess } from '../collector-process.js';
import { openLoneClient } from '../lone-client.js';
import { startPeerProcess } from '../peer-process.js';
import { headlineRow, median, type Row, row } from '../row.js';
import { inRawLineOrder, sampleEvent } from '../sample-events.js';
import { ratioBar } from './cost-rows.js';
import { envelopePeerRows, eventPeerRows } from './event-peer-rows.js';
import { otlpPeerRows } from './otlp-peer-rows.js';

const LONE_ROUNDS = 300;
const LONE_WARM_UP = 50;
const STARTS = 7;

/** Latency over one connection to an idle collector, a write and sync of the same bytes, and the least that Node takes, in turns. */
async function loneRows(folder: string): Promise<Row[]> {
  const collector = await startCollectorProcess(join(folder, 'lone'));
  const client = await openLoneClient(`${collector.ingestUrl}/v1/events`);
  const bare = await startPeerProcess('bare-http', undefined, [folder]);
  const bareClient = await openLoneClient(bare.url);
  const file = openSync(join(folder, 'floor'), 'a');
  const ours: number[] = [];
  const theirs: number[] = [];
  const bares: number[] = [];
  for (let round = 0; round < LONE_WARM_UP + LONE_ROUNDS; round += 1) {
    const line = Buffer.from(`${inRawLineOrder(sampleEvent(round % 20, round))}\n`);
    const began = performance.now();
    writeSync(file, line);
    fdatasyncSync(file);
    const floorMs = performance.now() - began;
    const requestMs = await client.post(line);
    const bareMs = await bareClient.post(line);
    if (round < LONE_WARM_UP) continue;
    theirs.push(floorMs);
    ours.push(requestMs);
    bares.push(bareMs);
  }
  client.close();
  bareClient.close();
  closeSync(file);
  await bare.stop();
  await collector.stop();
  const name = 'one event over one connection, p50 ms';
  const besideBare = 'node:http that appends to two files and syncs both';
  return [
    row(name, median(ours), 'write + fdatasync of the same bytes', median(theirs), 'lower', ratioBar(1.7)),
    row('one event beside a bare server, p50 ms', median(ours), besideBare, median(bares), 'lower'),
  ];
}

/** Start of the collector over an empty folder, in turns with an empty Node program. */
async function startRow(folder: string): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let turn = 0; turn < STARTS; turn += 1) {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    theirs.push(performance.now() - began);
    const collector = await startCollectorProcess(join(folder, `start-${turn}`));
    ours.push(collector.startMs);
    await collector.stop();
  }
  return headlineRow('start of the collector, ms', median(ours), 'node -e 0', median(theirs), 'lower', ratioBar(3.2));
}

/** What ingestion costs beside other programs, each stopped while another is measured. */
export async function* peerRows(folder: string): AsyncGenerator<Row[]> {
  yield await otlpPeerRows(folder);
  yield await eventPeerRows(folder);
  yield await envelopePeerRows(folder);
  yield [...(await loneRows(folder)), await startRow(folder)];
}
