import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import { startTraffic } from '../demo/traffic.js';
import { createService, type Service } from '../service/service.js';
import { createLog } from '../telemetry/logger.js';
import type { TextSink } from './command-line.js';
import { loadSettings } from './load-settings.js';
import { createProgressLine, type ProgressStream, untilInterrupted } from './long-work.js';
import { postEvents } from './post-events.js';

/** Options of `faultline demo`. */
export interface DemoOptions {
  /** Number of events of the past day, 0 to 1,000,000. */
  pastEvents: number;
  /** The same seed gives the same traffic. */
  seed: number;
  /** Opens the terminal UI on a collector and returns its exit code. */
  browse: (url: string) => Promise<number>;
  /** Whether to open the terminal UI; if false, the demo runs until it is interrupted. */
  isTerminal: boolean;
  stdout: TextSink;
  stderr: ProgressStream;
}

/** Runs a collector on a temporary folder and free ports, sends failures of a shop, opens the terminal UI, and removes the folder. */
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
    throw new Fault('DEMO_INCOMPLETE', 'the default configuration lacks a receiver or the query extension');
  const progress = createProgressLine(options.stderr);
  progress.show('sending sample failures');
  let refusedBatches = 0;
  const traffic = await startTraffic({
    send: async (payloads) => {
      const lines = payloads.map((payload) => ({ text: JSON.stringify(payload) }));
      const { refusal } = await postEvents(ingest, undefined, lines);
      if (refusal !== undefined) throw new Fault('DEMO_REFUSED', refusal);
    },
    pastEvents: options.pastEvents,
    seed: options.seed,
    onFault: () => {
      refusedBatches += 1;
    },
  });
  progress.clear();
  try {
    if (options.isTerminal) return await options.browse(query);
    options.stdout.write(`demo collector at ${query}; Ctrl-C ends it\n`);
    await untilInterrupted((signal) => once(signal, 'abort'));
    return 0;
  } finally {
    await traffic.stop();
    if (refusedBatches > 0) options.stderr.write(`the collector refused ${refusedBatches} batches of the demo\n`);
  }
}
