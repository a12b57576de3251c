import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '../../core/event/fault.js';

const PROGRAM = 'nats-server';
const SERVERS = 3;
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const MISSING = `${PROGRAM} is not on the PATH; it is a single program from https://github.com/nats-io/nats-server/releases, or from \`go install github.com/nats-io/nats-server/v2@latest\``;

/** Three NATS servers as children of this process. */
export class NatsCluster {
  readonly urls: readonly string[];
  readonly #clientPorts: readonly number[];
  readonly #clusterPorts: readonly number[];
  readonly #monitorPorts: readonly number[];
  readonly #children: ChildProcess[] = [];
  readonly #killAll = (): void => this.#children.forEach((child) => void child.kill('SIGKILL'));

  private constructor(ports: readonly number[]) {
    this.#clientPorts = ports.slice(0, SERVERS);
    this.#clusterPorts = ports.slice(SERVERS, 2 * SERVERS);
    this.#monitorPorts = ports.slice(2 * SERVERS);
    this.urls = this.#clientPorts.map((port) => `nats://127.0.0.1:${port}`);
  }

  /** Starts servers that keep their files in a folder; resolves when they have a leader. Faults: `NATS_SERVER_MISSING`, `NATS_SERVER_NOT_STARTED`. */
  static async start(directory: string, signal: AbortSignal): Promise<NatsCluster> {
    const cluster = new NatsCluster(await freePorts(3 * SERVERS));
    process.once('exit', cluster.#killAll);
    try {
      await mkdir(directory, { recursive: true });
      for (let index = 0; index < SERVERS; index += 1) await cluster.#spawn(directory, index);
      await cluster.#waitForLeader(signal);
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** Ends the servers. Safe to call twice. */
  async close(): Promise<void> {
    const ended = this.#children.filter(isRunning).map((child) => once(child, 'exit'));
    this.#killAll();
    await Promise.all(ended);
    process.removeListener('exit', this.#killAll);
  }

  async #spawn(directory: string, index: number): Promise<void> {
    const config = join(directory, `n${index}.conf`);
    const routes = this.#clusterPorts.map((port) => `nats-route://127.0.0.1:${port}`).join(', ');
    await writeFile(
      config,
      `server_name: n${index}\nlisten: "127.0.0.1:${this.#clientPorts[index]}"\nhttp: "127.0.0.1:${this.#monitorPorts[index]}"\n` +
        `jetstream { store_dir: ${JSON.stringify(join(directory, `n${index}`))}, sync_interval: always }\n` +
        `cluster { name: demo, listen: "127.0.0.1:${this.#clusterPorts[index]}", routes: [${routes}] }\n`,
    );
    // In a process group of its own: Ctrl-C ends the collectors first.
    const child = spawn(PROGRAM, ['-c', config], { stdio: 'ignore', detached: true });
    await once(child, 'spawn').catch((cause) => {
      throw new Fault('NATS_SERVER_MISSING', MISSING, { cause });
    });
    this.#children.push(child);
  }

  async #waitForLeader(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await areHealthy(this.#monitorPorts))) {
      signal.throwIfAborted();
      if (performance.now() > deadline || !this.#children.every(isRunning))
        throw new Fault('NATS_SERVER_NOT_STARTED', 'the NATS servers did not elect a leader within 30 s');
      await delay(POLL_MS);
    }
  }
}

/** Finds local ports that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const addresses = servers.map((server) => server.address());
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return addresses.map((address) => (typeof address === 'object' && address !== null ? address.port : 0));
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function areHealthy(monitorPorts: readonly number[]): Promise<boolean> {
  const answers = monitorPorts.map((port) => fetch(`http://127.0.0.1:${port}/healthz`).then(({ ok }) => ok));
  return (await Promise.all(answers).catch(() => [false])).every(Boolean);
}
