import { join } from 'node:path';
import { loadDefaultConfig } from '../../../config/default-config.js';
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
  const { settings } = loadConfig({ files: [loadDefaultConfig()], sets: [], env: {} });
  return settings.service.pipelines['events']?.processors ?? [];
}

/** The cost of the default processors: two collectors, with and without them, get the same load in alternating order. */
export async function defaultProcessorsRow(folder: string): Promise<Row> {
  const bodies = Array.from({ length: BODIES }, (_, index) => sampleBody(index * BATCH, BATCH, KINDS));
  const measureRate = (collector: CollectorProcess): Promise<number> => {
    const url = `${collector.ingestUrl}/v1/events`;
    return checkedRate({
      url,
      bodies,
      contentType: 'application/x-ndjson',
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
  };
  const withProcessors = await startCollectorProcess(join(folder, 'default-processors'));
  const without = await startCollectorProcess(join(folder, 'no-processors'), undefined, [
    'service.pipelines.events.processors=[]',
  ]);
  await measureRate(withProcessors);
  await measureRate(without);
  const costs: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const isReversed = round % 2 === 1;
    const first = await measureRate(isReversed ? without : withProcessors);
    const second = await measureRate(isReversed ? withProcessors : without);
    const [ours, theirs] = isReversed ? [second, first] : [first, second];
    costs.push((1 - ours / theirs) * 100);
    floors.push(theirs);
  }
  await withProcessors.stop();
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
