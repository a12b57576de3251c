import { type CollectorProcess, startCollectorProcess } from '../collector-process.js';
import { type FilledStore, sizeOf } from '../filled-store.js';
import { checkedRate } from '../load.js';
import { type Row, row } from '../row.js';
import { spreadBody } from '../sample-issues.js';
import { slope } from '../slope.js';

const MINUTES = 10;
/** Minutes that do not count, in which the heap grows to its size. */
const SETTLING_MINUTES = 2;
const BATCH = 500;
const BATCHES_PER_SECOND = 4;
/** Growth that counts as none. */
const FLAT_MB_PER_HOUR = 30;

/** Growth of resident memory over ten minutes of a steady load. */
export async function longRow(store: FilledStore): Promise<Row> {
  const collector = await startCollectorProcess(store.directory);
  const bodies = Array.from({ length: 40 }, (_, index) => spreadBody(index * BATCH, BATCH, store.issues));
  const samples: [number, number][] = [];
  const began = performance.now();
  const timer = setInterval(() => samples.push([(performance.now() - began) / 60_000, collector.residentMb()]), 1000);
  const rate = await steadyLoad(collector, bodies);
  clearInterval(timer);
  await collector.stop();
  const settled = samples.filter(([minute]) => minute > SETTLING_MINUTES);
  return row(
    `growth of resident memory over ${MINUTES} minutes of ${Math.round(rate)} events/s, MB an hour; at ${sizeOf(store)}`,
    slope(settled) * 60,
    'resident memory in the mean, MB',
    settled.reduce((sum, [, megabytes]) => sum + megabytes, 0) / settled.length,
    'lower',
    { of: 'figure', value: FLAT_MB_PER_HOUR },
  );
}

async function steadyLoad(collector: CollectorProcess, bodies: readonly Buffer[]): Promise<number> {
  const url = `${collector.ingestUrl}/v1/events`;
  const load = { url, bodies, contentType: 'application/x-ndjson', connections: 4, seconds: MINUTES * 60 };
  return (await checkedRate({ ...load, requestsPerSecond: BATCHES_PER_SECOND })) * BATCH;
}
