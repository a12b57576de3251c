import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import { startTraffic } from '../demo/traffic.js';
import { createService, type Service } from '../service/service.js';
import { createLog } from '../telemetry/logger.js';
import { loadSettings, type TextSink } from './load-settings.js';
import { createProgressLine, type ProgressStream } from './progress-line.js';

/** What `faultline demo` was called with. */
export interface DemoOptions {
  /** Events of the past day to begin with, 0 to 1,000,000. */
  pastEvents: number;
  /** Another number, other traffic. */
  seed: number;
  /** Opens the terminal on a collector and answers its exit code. */
  browse: (url: string) => Promise<number>;
  /** Whether there is a terminal to open; without one the demo runs until it is interrupted. */
  isTerminal: boolean;
  stdout: TextSink;
  stderr: ProgressStream;
}

/** Runs a collector over a temporary folder on free ports, sends it a shop's failures, opens the terminal, and removes everything at the end. */
export async function runDemo(options: DemoOptions): Promise<number> {
  if (!Number.isInteger(options.pastEvents) || options.pastEvents < 0 || options.pastEvents > 1_000_000) {
    options.stderr.write('--events must be a whole number from 0 to 1000000\n');
    return 2;
  }
  const directory = await mkdtemp(join(tmpdir(), 'faultline-demo-'));
  try {
    return await runIn(directory, options);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runIn(directory: string, options: DemoOptions): Promise<number> {
  const set = [
    'service.pipelines.events.receivers=[events]',
    'receivers.events.endpoint=localhost:0',
    'extensions.query.endpoint=localhost:0',
    `exporters.store.directory=${JSON.stringify(directory)}`,
    'service.telemetry.logs.level=error',
    'service.telemetry.metrics.level=none',
    'service.extensions=[query]',
  ];
  const loaded = await loadSettings({ config: [], set, env: {} }, options.stderr);
  if (loaded === undefined) return 1;
  const service = createService(loaded.settings, {
    logger: createLog(loaded.settings.service.telemetry.logs, options.stderr).logger,
  });
  await service.start();
  try {
    return await runTraffic(service, options);
  } finally {
    await service.shutdown();
  }
}

async function runTraffic(service: Service, options: DemoOptions): Promise<number> {
  const { receivers, extensions } = service.describe();
  const [ingest, query] = [receivers[0]?.url, extensions[0]?.url];
  if (ingest === undefined || query === undefined)
    throw new Fault('DEMO_INCOMPLETE', 'the default has no receiver or no query extension');
  const progress = createProgressLine(options.stderr);
  progress.show('sending the failures of the past day');
  let faults = 0;
  const traffic = await startTraffic({
    eventsUrl: ingest,
    pastEvents: options.pastEvents,
    seed: options.seed,
    onFault: () => {
      faults += 1;
    },
  });
  progress.clear();
  try {
    return options.isTerminal ? await options.browse(query) : await runUntilInterrupted(query, options.stdout);
  } finally {
    await traffic.stop();
    if (faults > 0) options.stderr.write(`${faults} batches of the demo's traffic were refused\n`);
  }
}

async function runUntilInterrupted(query: string, stdout: TextSink): Promise<number> {
  stdout.write(`the demo's collector answers at ${query}; interrupt to end it\n`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  return 0;
}
