// A collector with its data folder, configuration and ports, which can be started and ended many times.
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FAULTLINE = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const BLOCK_WATCHER = new URL('../blocks/watch-event-loop.js', import.meta.url).href;
const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Creates a random generator that repeats for its seed (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(next() * count);
  const digits = (count) => Array.from({ length: count }, () => below(16).toString(16)).join('');
  return {
    below,
    chance: (share) => next() < share,
    pick: (values) => values[below(values.length)],
    uid: () => `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`,
  };
}

/** Returns ports of 127.0.0.1 that nobody else gets until this process exits, as test/helpers/reserved-port.ts does: each is connected with itself. */
export async function reservePorts(count) {
  const ports = [];
  while (ports.length < count) {
    // Below the ports that Linux gives to outgoing connections.
    const port = randomInt(12_000, 32_000);
    const holder = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.1', localPort: port });
    holder.unref();
    if (await once(holder, 'connect').catch(() => undefined)) ports.push(port);
  }
  return ports;
}

/** Starts a command, which ends with this process at the latest; `child.ended` resolves to its code, signal and output. */
export function start(command, args, env = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => (child.output += bytes.toString('utf8')));
  child.ended = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      children.delete(child);
      resolve({ code, signal, output: child.output });
    });
  });
  return child;
}

export const faultline = (...args) => start(process.execPath, [FAULTLINE, ...args]);

export async function waitUntil(probe, timeoutMs = 30_000) {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await pause(25)) {
    const value = await Promise.resolve(probe()).catch(() => undefined);
    if (value) return value;
  }
  return undefined;
}

/** The configuration of a collector with every receiver, and with `nats` if it is a gateway of a fleet. */
function configOf({ root, directory, logs, settings, at }) {
  const { durability, checkpoint, retention, processors, gatewayOf, sidecarOf, hasMcp = false } = settings;
  const receivers = {
    events: { endpoint: at.ingest },
    otlp: { protocols: { http: { endpoint: at.ingest }, grpc: { endpoint: at.grpc } } },
    sentry: { endpoint: at.ingest },
    file_log: {
      include: [`${logs}/*.log`],
      start_at: 'beginning',
      poll_interval: '20ms',
      force_flush_period: '50ms',
      storage: { directory: join(root, 'file-log') },
    },
    ...(gatewayOf && { nats: { ...gatewayOf, replicas: 1 } }),
  };
  const exporters = {
    store: { directory, durability, checkpoint_interval: checkpoint, retention },
    ...(sidecarOf && {
      nats: { ...sidecarOf, replicas: 1, sending_queue: { start_at: 'beginning', flush_interval: '100ms' } },
    }),
  };
  const pipeline = {
    receivers: Object.keys(receivers),
    processors: Object.keys(processors),
    exporters: Object.keys(exporters),
  };
  const extensions = {
    query: { endpoint: at.query },
    health_check: { endpoint: at.health },
    ...(hasMcp && { mcp: {} }),
  };
  return {
    receivers,
    processors,
    exporters,
    extensions,
    service: {
      extensions: Object.keys(extensions),
      pipelines: { events: pipeline },
      telemetry: { metrics: { address: at.metrics } },
    },
  };
}

/**
 * Creates a collector in a temporary folder, or in a folder under `parent`; rounds change its `settings`. `gatewayOf` and `sidecarOf` are the
 * servers and the prefix of a fleet.
 */
export async function createCollector({ parent } = {}) {
  const root = mkdtempSync(join(parent ?? tmpdir(), 'faultline-chaos-'));
  const names = ['ingest', 'grpc', 'query', 'health', 'metrics'];
  const ports = await reservePorts(names.length);
  const at = Object.fromEntries(names.map((name, index) => [name, `127.0.0.1:${ports[index]}`]));
  // Not on the full disk, because writing log files is not tested.
  const logs = mkdtempSync(join(tmpdir(), 'faultline-chaos-logs-'));
  const configFile = join(logs, 'config.yaml');
  const blocksFile = join(logs, 'blocks.ndjson');
  const collector = {
    root,
    logs,
    directory: join(root, 'data'),
    urls: {
      ingest: `http://${at.ingest}`,
      grpc: at.grpc,
      api: `http://${at.query}/api/v1`,
      query: `http://${at.query}`,
      health: `http://${at.health}/`,
      metrics: `http://${at.metrics}/metrics`,
    },
    settings: { durability: 'fsync', checkpoint: '300ms', retention: { max_age: '0', max_size: '0' }, processors: {} },
    writeConfig() {
      writeFileSync(configFile, JSON.stringify(configOf({ ...collector, at })));
    },
    /** Starts the process, through a command like `unshare` if given, without waiting. */
    spawn({ through = [], env } = {}) {
      collector.writeConfig();
      const node = [process.execPath, '--import', BLOCK_WATCHER, FAULTLINE, 'collect', '--config', configFile];
      const [command, ...args] = [...through, ...node];
      collector.child = start(command, args, { BLOCKS_FILE: blocksFile, ...env });
      return collector.child;
    },
    /** Starts the collector. Resolves when it accepts events, or to undefined if it exited before. */
    async start(options) {
      const child = collector.spawn(options);
      const isUp = async () =>
        child.exitCode !== null || child.signalCode !== null || (await fetch(collector.urls.health)).ok;
      await waitUntil(isUp, 60_000);
      return child.exitCode === null && child.signalCode === null ? child : undefined;
    },
    async end(signal) {
      collector.child.kill(signal);
      return await collector.child.ended;
    },
    /** The blocks of the event loop of all its processes so far: `{at, block_ms, cpu_ms, waited_ms}`, `at` in milliseconds since the epoch. */
    blocks() {
      const lines = existsSync(blocksFile) ? readFileSync(blocksFile, 'utf8').split('\n').slice(0, -1) : [];
      return lines.map((line) => JSON.parse(line));
    },
    remove() {
      spawnSync('rm', ['-rf', root, logs]);
    },
  };
  collector.writeConfig();
  return collector;
}
