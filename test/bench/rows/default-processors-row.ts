import { join } from 'node:path';
import { readDefaultConfig } from '../../../config/default-config.js';
import { loadConfig } from '../../../config/load-config.js';
import { type CollectorProcess, startCollectorProcess } from '../collector-process.js';
import { checkedRate } from '../load.js';
import { median, type Row, row } from '../row.js';
import { sampleBody } from '../sample-events.js';

const BATCH = 500;
const BODIES = 40;
const KINDS = 200;
const ROUNDS = 6;
const SECONDS = 2;
const CONNECTIONS = 4;

function defaultProcessors(): readonly string[] {
  const { settings } = loadConfig({ files: [readDefaultConfig()], sets: [], env: {} });
  return settings.service.pipelines['events']?.processors ?? [];
}

/** What the processors of the default configuration cost: two collectors, with and without them, get the same load in turns, the first of a round the second of the next. */
export async function defaultProcessorsRow(folder: string): Promise<Row> {
  const bodies = Array.from({ length: BODIES }, (_, index) => sampleBody(index * BATCH, BATCH, KINDS));
  const rateOf = (collector: CollectorProcess): Promise<number> => {
    const url = `${collector.ingestUrl}/v1/events`;
    return checkedRate({
      url,
      bodies,
      contentType: 'application/x-ndjson',
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
  };
  const withThem = await startCollectorProcess(join(folder, 'default-processors'));
  const without = await startCollectorProcess(join(folder, 'no-processors'), undefined, [
    'service.pipelines.events.processors=[]',
  ]);
  await rateOf(withThem);
  await rateOf(without);
  const costs: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const isTurned = round % 2 === 1;
    const first = await rateOf(isTurned ? without : withThem);
    const second = await rateOf(isTurned ? withThem : without);
    const [ours, theirs] = isTurned ? [second, first] : [first, second];
    costs.push((1 - ours / theirs) * 100);
    floors.push(theirs);
  }
  await withThem.stop();
  await without.stop();
  const [least, most] = [Math.min(...costs), Math.max(...costs)].map((cost) => cost.toFixed(1));
  const names = defaultProcessors().join(', ') || 'none';
  return row(
    `what the default processors (${names}) take from the rate of durable ingest, NDJSON batches of 500, %; median of ${ROUNDS} pairs of rounds, from ${least} to ${most}`,
    median(costs),
    'how far the rounds without them lie apart, % of their median',
    ((Math.max(...floors) - Math.min(...floors)) / median(floors)) * 100,
    'lower',
    { of: 'figure', value: 5 },
  );
}
