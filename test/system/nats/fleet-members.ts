import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type RunningCollector, startCollector, stop } from '../../helpers/faultline-process.js';
import { NATS_SERVER } from '../../helpers/nats/nats-servers.js';

/** Whether tests with real servers run. */
export const isPossible = NATS_SERVER !== undefined && process.env['FAULTLINE_SYSTEM_TESTS'] !== undefined;

/** Forwards a port; while it is cut, no byte passes and no connection ends, as on a broken network. */
export async function startLink(target: number): Promise<{ url: string; cut(): void; join(): void; server: Server }> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connectSocket(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!isCut) to.write(bytes);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `nats://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    server,
    cut() {
      isCut = true;
    },
    join() {
      isCut = false;
      // Bytes were lost: a real connection would be reset too.
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A collector with links of its own to all servers, over a folder that outlives it. */
export class Member {
  readonly name: string;
  readonly directory: string;
  readonly #links: Awaited<ReturnType<typeof startLink>>[];
  readonly #settings: readonly string[];
  collector: RunningCollector | undefined;

  constructor(
    name: string,
    directory: string,
    links: Awaited<ReturnType<typeof startLink>>[],
    settings: (servers: string) => readonly string[],
  ) {
    this.name = name;
    this.directory = directory;
    this.#links = links;
    this.#settings = settings(JSON.stringify(links.map(({ url }) => url)));
  }

  async start(): Promise<void> {
    this.collector = await startCollector(this.directory, this.#settings);
  }

  async kill(): Promise<void> {
    if (this.collector !== undefined) await stop(this.collector, 'SIGKILL');
    this.collector = undefined;
  }

  cut(): void {
    for (const link of this.#links) link.cut();
  }

  join(): void {
    for (const link of this.#links) link.join();
  }

  async get<Answer>(path: string): Promise<Answer> {
    const response = await fetch(`${this.collector?.queryUrl}/api/v1${path}`);
    if (!response.ok) throw new Error(`${this.name} answered ${response.status}`);
    return await response.json();
  }

  close(): void {
    for (const { server } of this.#links) server.close();
  }
}

/** The request ids of all raw lines of a folder, sorted. */
export async function requestIds(directory: string): Promise<string[]> {
  const ids: string[] = [];
  for (const name of await readdir(join(directory, 'raw'), { recursive: true })) {
    if (!name.endsWith('raw.ndjson')) continue;
    const lines = createInterface({ input: createReadStream(join(directory, 'raw', name)) });
    for await (const line of lines) ids.push(JSON.parse(line).request_id);
  }
  return ids.sort();
}

/** Settings of a gateway that owns all partitions. */
export const gateway = (urls: string): readonly string[] => [
  `--set=receivers.nats.servers=${urls}`,
  '--set=service.pipelines.events.receivers=[events, nats]',
];

/** Settings of a collector that sends everything. */
export const sidecar = (urls: string): readonly string[] => [
  `--set=exporters.nats.servers=${urls}`,
  '--set=exporters.nats.sending_queue.start_at=beginning',
  '--set=service.pipelines.events.exporters=[store, nats]',
];
