// A collector with its data folder, configuration and ports, which can be started and ended many times.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FAULTLINE = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

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

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Starts a command; `child.ended` resolves to its code, signal and output. */
function start(command, args, env = {}) {
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

/** Creates a collector in a temporary folder, or in a folder under `parent`; rounds change its `settings`. */
export async function createCollector({ parent } = {}) {
  const root = mkdtempSync(join(parent ?? tmpdir(), 'faultline-chaos-'));
  const [ingest, grpc, query, health, metrics] = await freePorts(5);
  const at = (port) => `127.0.0.1:${port}`;
  const collector = {
    root,
    directory: join(root, 'data'),
    // Not on the full disk, because writing log files is not tested.
    logs: mkdtempSync(join(tmpdir(), 'faultline-chaos-logs-')),
    urls: {
      ingest: `http://${at(ingest)}`,
      grpc: at(grpc),
      api: `http://${at(query)}/api/v1`,
      health: `http://${at(health)}/`,
      metrics: `http://${at(metrics)}/metrics`,
    },
    settings: { durability: 'fsync', checkpoint: '300ms', retention: { max_age: '0', max_size: '0' }, processors: {} },
    writeConfig() {
      const { durability, checkpoint, retention, processors } = collector.settings;
      const storage = { directory: join(root, 'file-log') };
      const file_log = {
        include: [`${collector.logs}/*.log`],
        start_at: 'beginning',
        poll_interval: '20ms',
        force_flush_period: '50ms',
        storage,
      };
      const config = {
        receivers: {
          events: { endpoint: at(ingest) },
          otlp: { protocols: { http: { endpoint: at(ingest) }, grpc: { endpoint: at(grpc) } } },
          sentry: { endpoint: at(ingest) },
          file_log,
        },
        processors,
        exporters: {
          store: { directory: collector.directory, durability, checkpoint_interval: checkpoint, retention },
        },
        extensions: { query: { endpoint: at(query) }, health_check: { endpoint: at(health) } },
        service: {
          extensions: ['query', 'health_check'],
          pipelines: {
            events: {
              receivers: ['events', 'otlp', 'sentry', 'file_log'],
              processors: Object.keys(processors),
              exporters: ['store'],
            },
          },
          telemetry: { metrics: { address: at(metrics) } },
        },
      };
      writeFileSync(join(collector.logs, 'config.yaml'), JSON.stringify(config));
    },
    /** Starts the collector, through a command like `unshare` if given. Resolves when it accepts events, or to undefined if it exited before. */
    async start({ through = [], env } = {}) {
      collector.writeConfig();
      const [command, ...args] = [
        ...through,
        process.execPath,
        FAULTLINE,
        'collect',
        '--config',
        join(collector.logs, 'config.yaml'),
      ];
      const child = start(command, args, env);
      collector.child = child;
      const isUp = async () =>
        child.exitCode !== null || child.signalCode !== null || (await fetch(collector.urls.health)).ok;
      await waitUntil(isUp, 60_000);
      return child.exitCode === null && child.signalCode === null ? child : undefined;
    },
    async end(signal) {
      collector.child.kill(signal);
      return await collector.child.ended;
    },
    remove() {
      spawnSync('rm', ['-rf', root, collector.logs]);
    },
  };
  collector.writeConfig();
  return collector;
}
