import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from '../reserved-port.js';
import { temporaryFolder } from '../temporary-folder.js';
import { waitFor } from '../wait-for.js';

/** The program `nats-server` on the path or where `.ci/run` builds it; undefined: there is none. */
export const NATS_SERVER = ['nats-server', join(homedir(), '.cache/faultline/bin/nats-server')].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);

/** One server of a cluster. */
export interface NatsServer {
  /** Unique in the cluster. */
  readonly name: string;
  readonly url: string;
  /** Of the HTTP server that tells about its state. */
  readonly monitorUrl: string;
  /** Undefined before the first start. */
  readonly pid: number | undefined;
  readonly storeFolder: string;
  /** Starts it, if it does not run, and resolves when it answers. */
  start(): Promise<void>;
  kill(signal?: NodeJS.Signals): Promise<void>;
  pause(): void;
  resume(): void;
}

export interface NatsServersOptions {
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Of the first servers; default: temporary ones. */
  readonly storeFolders?: readonly string[];
}

/** Starts a cluster of one or three servers with JetStream on free ports, which sync each write. */
export async function startNatsServers(
  count: 1 | 3,
  { address = '127.0.0.1', storeFolders = [] }: NatsServersOptions = {},
): Promise<readonly NatsServer[]> {
  if (NATS_SERVER === undefined) throw new Error('nats-server is missing');
  const program = NATS_SERVER;
  const folder = await temporaryFolder();
  const ports: { client: number; cluster: number; monitor: number }[] = [];
  for (let index = 0; index < count; index += 1) {
    ports.push({ client: await reservePort(), cluster: await reservePort(), monitor: await reservePort() });
  }
  const routes = ports.map(({ cluster }) => `nats-route://${address}:${cluster}`).join(', ');
  const children = new Set<ChildProcess>();
  // A run that fails must not leave them behind.
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });
  const servers = await Promise.all(
    ports.map(async ({ client, cluster, monitor }, index): Promise<NatsServer> => {
      const storeFolder = storeFolders[index] ?? join(folder, `n${index}`);
      const monitorUrl = `http://${address}:${monitor}`;
      const config = join(folder, `n${index}.conf`);
      await mkdir(storeFolder, { recursive: true });
      const clustered = `cluster { name: test, listen: "${address}:${cluster}", routes: [${routes}] }\n`;
      await writeFile(
        config,
        `server_name: n${index}\nlisten: "${address}:${client}"\nhttp: "${address}:${monitor}"\n` +
          `jetstream { store_dir: "${storeFolder}", sync_interval: always }\n${count === 1 ? '' : clustered}`,
      );
      let child: ChildProcess | undefined;
      return {
        name: `n${index}`,
        url: `nats://${address}:${client}`,
        monitorUrl,
        get pid() {
          return child?.pid;
        },
        storeFolder,
        async start() {
          if (child?.exitCode === null && child.signalCode === null) return;
          const log = join(folder, `n${index}.log`);
          const logged = createWriteStream(log, { flags: 'a' });
          child = spawn(program, ['-c', config], { stdio: ['ignore', 'pipe', 'pipe'] });
          children.add(child);
          child.stdout?.pipe(logged);
          child.stderr?.pipe(logged);
          const url = `${monitorUrl}/healthz?js-enabled-only=true`;
          try {
            await waitFor(
              'a NATS server',
              async () => (await fetch(url, { headers: { connection: 'close' } })).ok,
              30_000,
            );
          } catch (error) {
            throw new Error(`${(error as Error).message}\n${(await readFile(log, 'utf8')).slice(-2_000)}`);
          }
        },
        async kill(signal = 'SIGKILL') {
          const ended = child;
          if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
          const exit = new Promise((resolve) => ended.once('exit', resolve));
          ended.kill(signal);
          await exit;
        },
        pause: () => void child?.kill('SIGSTOP'),
        resume: () => void child?.kill('SIGCONT'),
      };
    }),
  );
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}
