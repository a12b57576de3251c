import { join } from 'node:path';
import { waitFor } from '../../helpers/wait-for.js';
import { startCollectorProcess } from '../collector-process.js';
import { type OtlpBackend, openOtlpBackend } from '../otlp-backend.js';
import { percentile, type Row, row } from '../row.js';
import { postSteadily, type SteadyPosts } from '../steady-posts.js';

const EVENTS_PER_SECOND = 1_000;
const DOWN_SECONDS = 60;
const HALF_SECONDS = DOWN_SECONDS / 2;
/** The longest time to catch up: many times the longest retry interval of the exporter. */
const CATCH_UP_MS = 300_000;

/** `otlp_http` with defaults while its backend is down for a minute; peer: a collector without it under the same load before and after. */
export async function backendDownRows(folder: string): Promise<Row[]> {
  const before = await loadWithout(join(folder, 'no-exporter-before'));
  const { posts, catchUpSeconds, timesById } = await loadWhileDown(join(folder, 'backend-down'));
  const after = await loadWithout(join(folder, 'no-exporter-after'));
  const accepted = posts.flatMap(({ ids }) => ids);
  const missing = accepted.filter((id) => !timesById.has(id)).length;
  const repeated = [...timesById.values()].reduce((sum, times) => sum + times - 1, 0);
  const foreign = timesById.size - (accepted.length - missing);
  const title = `otlp_http, backend down for ${DOWN_SECONDS} s of ${EVENTS_PER_SECOND.toLocaleString('en')} events/s, collector restarted in between`;
  return [
    row(
      `${title}: events that the backend has otherwise than once (${missing} missing, ${repeated} repeated, ${foreign} foreign)`,
      missing + repeated + foreign,
      'events accepted',
      accepted.length,
      'lower',
      { of: 'figure', value: 0 },
    ),
    row(
      `${title}: seconds from its return until it has all; the exporter waits up to 45 s before it tries again`,
      catchUpSeconds,
      'seconds that it was down',
      DOWN_SECONDS,
      'lower',
    ),
    row(
      `${title}: answers to senders, p99 ms`,
      p99(posts),
      'without the exporter, p99 ms',
      p99([before, after]),
      'lower',
    ),
  ];
}

function p99(posts: readonly SteadyPosts[]): number {
  return percentile(
    posts.flatMap(({ latenciesMs }) => latenciesMs),
    0.99,
  );
}

/** Runs half of the load on a collector without the exporter. */
async function loadWithout(directory: string): Promise<SteadyPosts> {
  const collector = await startCollectorProcess(directory);
  const posts = await postSteadily(collector.ingestUrl, EVENTS_PER_SECOND, HALF_SECONDS);
  await collector.stop();
  return posts;
}

interface Delivered {
  readonly posts: readonly SteadyPosts[];
  readonly catchUpSeconds: number;
  readonly timesById: OtlpBackend['timesById'];
}

async function loadWhileDown(directory: string): Promise<Delivered> {
  const down = await openOtlpBackend(0);
  await down.close();
  const sets = [
    `exporters.otlp_http.endpoint=http://127.0.0.1:${down.port}`,
    'service.pipelines.events.exporters=[store, otlp_http]',
  ];
  const first = await startCollectorProcess(directory, undefined, sets);
  const firstHalf = await postSteadily(first.ingestUrl, EVENTS_PER_SECOND, HALF_SECONDS);
  await first.stop();
  const second = await startCollectorProcess(directory, undefined, sets);
  const secondHalf = await postSteadily(second.ingestUrl, EVENTS_PER_SECOND, HALF_SECONDS);
  const posts = [firstHalf, secondHalf];
  const backend = await openOtlpBackend(down.port);
  const began = performance.now();
  const accepted = posts.reduce((sum, { ids }) => sum + ids.length, 0);
  // The caller counts missing events after a timeout.
  await waitFor('all events', () => backend.timesById.size >= accepted, CATCH_UP_MS).catch(() => undefined);
  const catchUpSeconds = (performance.now() - began) / 1000;
  // The collector sends possible duplicates before it exits.
  await second.stop();
  await backend.close();
  return { posts, catchUpSeconds, timesById: backend.timesById };
}
