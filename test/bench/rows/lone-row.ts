import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectorProcess } from '../collector-process.js';
import { openLoneClient } from '../lone-client.js';
import { median, type Row, row } from '../row.js';
import { inRawLineOrder, sampleEvent } from '../sample-events.js';

const ROUNDS = 300;
const WARM_UP = 50;

/** Latency of single requests to an idle collector; floor: a write and sync of the same bytes, in turns. */
export async function loneRow(collector: CollectorProcess, folder: string): Promise<Row> {
  const client = await openLoneClient(`${collector.ingestUrl}/v1/events`);
  const file = openSync(join(folder, 'floor'), 'a');
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const line = Buffer.from(`${inRawLineOrder(sampleEvent(round % 20, round))}\n`);
    const began = performance.now();
    writeSync(file, line);
    fdatasyncSync(file);
    const floorMs = performance.now() - began;
    const requestMs = await client.post(line);
    if (round < WARM_UP) continue;
    theirs.push(floorMs);
    ours.push(requestMs);
  }
  client.close();
  closeSync(file);
  return row(
    'a lone request on an idle collector, p50 ms',
    median(ours),
    'one write + fdatasync of the same bytes, p50 ms',
    median(theirs),
    'lower',
    { of: 'ratio', value: 3 },
  );
}
