import { join } from 'node:path';
import { startCollectorProcess } from '../collector-process.js';
import { median, percentile, type Row, row } from '../row.js';
import { openSlowConnections } from '../slow-connections.js';
import { postSteadily } from '../steady-posts.js';

const COUNT = 10_000;
const EVENTS_PER_SECOND = 500;
const SECONDS = 20;

/** Names of configurations and their changes to the defaults. */
const SETTINGS: readonly (readonly [string, readonly string[]])[] = [
  ['all defaults', []],
  [
    'bounds raised so that all stay open',
    ['receivers.events.connections.max_connections=12000', 'receivers.events.connections.min_body_rate=0'],
  ],
];

/** Memory and latency of another client with 10,000 connections that send one byte a second. */
export async function slowConnectionRows(folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, [name, own]] of SETTINGS.entries()) {
    // Connection limits apply to an endpoint, so the receiver must not share it.
    const sets = ['service.pipelines.events.receivers=[events]', 'extensions.query.endpoint=localhost:0', ...own];
    const collector = await startCollectorProcess(join(folder, `slow-${index}`), undefined, sets);
    const alone = await postSteadily(collector.ingestUrl, EVENTS_PER_SECOND, SECONDS);
    const before = collector.residentMb();
    const slow = await openSlowConnections(collector.ingestUrl, COUNT);
    let most = collector.residentMb();
    const timer = setInterval(() => {
      most = Math.max(most, collector.residentMb());
    }, 200);
    const beside = await postSteadily(collector.ingestUrl, EVENTS_PER_SECOND, SECONDS);
    clearInterval(timer);
    const open = median(slow.open).toLocaleString('en');
    await slow.stop();
    await collector.stop();
    const title = `${COUNT.toLocaleString('en')} connections that send a byte a second, ${name}, ${open} of them open`;
    rows.push(
      row(`${title}: most resident memory, MB`, most, 'before them, MB', before, 'lower'),
      row(
        `${title}: another client's requests, p99 ms`,
        percentile(beside.latenciesMs, 0.99),
        'without them, p99 ms',
        percentile(alone.latenciesMs, 0.99),
        'lower',
      ),
    );
  }
  return rows;
}
