import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import { freePorts, NatsCluster } from '../demo/nats-cluster.js';
import { startTraffic } from '../demo/traffic.js';
import { Service } from '../service/service.js';
import { Log } from '../telemetry/logger.js';
import type { TextSink } from './command-line.js';
import { loadSettings } from './load-settings.js';
import { INTERRUPTED, ProgressLine, type ProgressStream, untilInterrupted } from './long-work.js';
import { postEvents } from './post-events.js';

const SIDECARS = 4;

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
  /** Whether to run a fleet, which needs `nats-server` on the PATH. */
  isFleet: boolean;
  stdout: TextSink;
  stderr: ProgressStream;
}

/** Runs a collector or a fleet with traffic and the terminal. Faults: its components', `NATS_SERVER_MISSING`, `NATS_SERVER_NOT_STARTED`. */
export async function runDemo(options: DemoOptions): Promise<number> {
  if (!Number.isInteger(options.pastEvents) || options.pastEvents < 0 || options.pastEvents > 1_000_000) {
    options.stderr.write('--events must be a whole number from 0 to 1000000\n');
    return 2;
  }
  const directory = await mkdtemp(join(tmpdir(), 'faultline-demo-'));
  try {
    return (await untilInterrupted((signal) => runIn(directory, options, signal))) ?? INTERRUPTED;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs one collector; or a fleet of two gateways, each with half of the partitions, and four sidecars. */
async function runIn(directory: string, options: DemoOptions, signal: AbortSignal): Promise<number> {
  const cluster = options.isFleet ? await NatsCluster.start(join(directory, 'nats'), signal) : undefined;
  const servers = JSON.stringify(cluster?.urls);
  const services: Service[] = [];
  const start = async (count: number, setsOf: (index: number) => readonly string[]): Promise<Service[]> => {
    for (let index = 0; index < count; index += 1) {
      signal.throwIfAborted();
      services.push(await startCollector(join(directory, `collector-${services.length}`), setsOf(index), options));
    }
    return services.slice(-count);
  };
  try {
    if (cluster === undefined) return await runTraffic(await start(1, () => []), services, options, signal);
    const ports = await freePorts(2);
    // A gateway ignores its own address.
    const peers = JSON.stringify(ports.map((port) => `http://localhost:${port}`));
    await start(ports.length, (index) => [
      'service.pipelines.events.receivers=[nats]',
      `receivers.nats={ servers: ${servers}, own: ${index === 0 ? '0-7' : '8-15'} }`,
      `extensions.query={ endpoint: "localhost:${ports[index]}", peers: ${peers} }`,
    ]);
    const sidecar = ['service.pipelines.events.exporters=[store, nats]', `exporters.nats.servers=${servers}`];
    return await runTraffic(await start(SIDECARS, () => sidecar), services, options, signal);
  } finally {
    await Promise.all(services.map((service) => service.shutdown()));
    await cluster?.close();
  }
}

async function startCollector(directory: string, more: readonly string[], { stderr }: DemoOptions): Promise<Service> {
  const set = [
    'service.pipelines.events.receivers=[events]',
    'receivers.events.endpoint=localhost:0',
    'extensions.query.endpoint=localhost:0',
    `exporters.store.directory=${JSON.stringify(directory)}`,
    'service.telemetry.logs.level=error',
    'service.telemetry.metrics.level=none',
    'service.extensions=[query]',
    ...more,
  ];
  const loaded = await loadSettings({ config: [], set, env: {} }, stderr);
  if (loaded === undefined) throw new Fault('DEMO_INCOMPLETE', 'the configuration of the demo is invalid');
  const { logger } = new Log(loaded.settings.service.telemetry.logs, stderr);
  const service = new Service(loaded.settings, { logger });
  await service.start();
  return service;
}

async function runTraffic(
  senders: readonly Service[],
  [shown]: readonly Service[],
  options: DemoOptions,
  signal: AbortSignal,
): Promise<number> {
  const ingests = senders.flatMap((service) => service.describe().receivers[0]?.url ?? []);
  const query = shown?.describe().extensions[0]?.url;
  if (ingests.length < senders.length || query === undefined)
    throw new Fault('DEMO_INCOMPLETE', 'the default configuration lacks a receiver or the query extension');
  const progress = new ProgressLine(options.stderr);
  progress.show('sending sample failures');
  let refusedBatches = 0;
  let batches = 0;
  const traffic = await startTraffic({
    send: async (payloads) => {
      signal.throwIfAborted();
      const lines = payloads.map((payload) => ({ text: JSON.stringify(payload) }));
      const { refusal } = await postEvents(ingests[batches++ % ingests.length] ?? '', undefined, lines);
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
    if (!signal.aborted) await once(signal, 'abort');
    return 0;
  } finally {
    await traffic.stop();
    if (refusedBatches > 0) options.stderr.write(`the collector refused ${refusedBatches} batches of the demo\n`);
  }
}
