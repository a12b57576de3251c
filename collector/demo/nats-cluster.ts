import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '../../core/event/fault.js';

const PROGRAM = 'nats-server';
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const MISSING = `${PROGRAM} is not on the PATH; it is a single program from https://github.com/nats-io/nats-server/releases, or from \`go install github.com/nats-io/nats-server/v2@latest\``;

/** Starts three NATS servers as children of this process, which keep their files in a folder; resolves with a leader. Faults: `NATS_SERVER_MISSING`, `NATS_SERVER_NOT_STARTED`. */
export async function startNatsCluster(directory: string, signal: AbortSignal) {
  const ports = await freePorts(9);
  const [clientPorts, clusterPorts, monitorPorts] = [ports.slice(0, 3), ports.slice(3, 6), ports.slice(6)];
  const routes = clusterPorts.map((port) => `nats-route://127.0.0.1:${port}`).join(', ');
  const children: ChildProcess[] = [];
  const killAll = (): void => children.forEach((child) => void child.kill('SIGKILL'));
  /** Ends the servers. Safe to call twice. */
  const close = async (): Promise<void> => {
    const ended = children.filter(isRunning).map((child) => once(child, 'exit'));
    killAll();
    await Promise.all(ended);
    process.removeListener('exit', killAll);
  };
  process.once('exit', killAll);
  try {
    await mkdir(directory, { recursive: true });
    for (const [index, port] of clientPorts.entries()) {
      const config = join(directory, `n${index}.conf`);
      await writeFile(
        config,
        `server_name: n${index}\nlisten: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${monitorPorts[index]}"\n` +
          `jetstream { store_dir: ${JSON.stringify(join(directory, `n${index}`))}, sync_interval: always }\n` +
          `cluster { name: demo, listen: "127.0.0.1:${clusterPorts[index]}", routes: [${routes}] }\n`,
      );
      // In a process group of its own: Ctrl-C ends the collectors first.
      const child = spawn(PROGRAM, ['-c', config], { stdio: 'ignore', detached: true });
      await once(child, 'spawn').catch((cause) => {
        throw new Fault('NATS_SERVER_MISSING', MISSING, { cause });
      });
      children.push(child);
    }
    for (
      const deadline = performance.now() + START_TIMEOUT_MS;
      !(await areHealthy(monitorPorts));
      await delay(POLL_MS)
    ) {
      signal.throwIfAborted();
      if (performance.now() > deadline || !children.every(isRunning))
        throw new Fault('NATS_SERVER_NOT_STARTED', 'the NATS servers did not elect a leader within 30 s');
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { urls: clientPorts.map((port) => `nats://127.0.0.1:${port}`), close };
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
