import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type RunningCollector, startCollector, stop } from '../../helpers/faultline-process.js';
import {
  NATS_SERVER,
  type NatsServer,
  type NatsServersOptions,
  startNatsServers,
} from '../../helpers/nats/nats-servers.js';
import { reservePort } from '../../helpers/reserved-port.js';
import { temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import type { FleetNetwork, Machine } from './fleet-network.js';

/** Whether tests with real servers run. */
export const isPossible = NATS_SERVER !== undefined;

interface Exporter {
  readonly waiting: number;
  readonly sent: number;
  readonly failing: boolean;
}

/** A collector over a folder that outlives it. */
export class Member {
  readonly name: string;
  readonly directory: string;
  /** Undefined without a network. */
  readonly machine: Machine | undefined;
  readonly queryUrl: string;
  readonly #settings: () => readonly string[];
  collector: RunningCollector | undefined;

  /** `settings` are read at each start. */
  constructor(
    name: string,
    directory: string,
    place: { machine: Machine | undefined; port: number },
    settings: () => readonly string[],
  ) {
    this.name = name;
    this.directory = directory;
    this.machine = place.machine;
    this.queryUrl = `http://${this.machine?.address ?? 'localhost'}:${place.port}`;
    this.#settings = settings;
  }

  async start(): Promise<void> {
    const { hostname, host } = new URL(this.queryUrl);
    const settings = [
      `receivers.events={ endpoint: "${hostname}:0", allow_without_token: true }`,
      `extensions.query={ endpoint: "${host}", allow_without_token: true }`,
      ...this.#settings(),
    ].map((set) => `--set=${set}`);
    this.collector = await startCollector(this.directory, settings, { through: this.machine?.through ?? [] });
  }

  async kill(): Promise<void> {
    if (this.collector !== undefined) await stop(this.collector, 'SIGKILL');
    this.collector = undefined;
  }

  async get<Answer>(path: string): Promise<Answer> {
    const response = await fetch(`${this.queryUrl}/api/v1${path}`);
    if (!response.ok) throw new Error(`${this.name} answered ${response.status}`);
    return await response.json();
  }

  /** Of a sidecar: what its exporter reports. */
  async exporter(): Promise<Exporter> {
    const { exporters } = await this.get<{ exporters: { nats: Exporter } }>('/stats');
    return exporters.nats;
  }

  /** Of a sidecar: resolves when the known gateways have stored everything. */
  async untilSent(): Promise<void> {
    const isSent = async (): Promise<boolean> => {
      const exporter = await this.exporter();
      if (exporter.waiting === 0) return true;
      throw new Error(JSON.stringify(exporter));
    };
    await waitFor(`the gateways to store everything of ${this.name}`, isSent, 180_000);
  }

  /** Of a gateway: resolves when it receives from all of its partitions. */
  async untilReceiving(): Promise<void> {
    const isReceiving = async (): Promise<boolean> => {
      const { gateways } = await this.get<{ gateways: { [id: string]: { own: number[]; pending: object } } }>('/stats');
      return Object.values(gateways).every(({ own, pending }) => Object.keys(pending).length === own.length);
    };
    await waitFor(`${this.name} to receive`, isReceiving, 60_000);
  }

  /** Posts events; returns whether they were acknowledged. */
  async post(events: readonly object[]): Promise<boolean> {
    const request = { method: 'POST', body: JSON.stringify(events), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${this.collector?.ingestUrl}/v1/events`, request).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    return response?.status === 200;
  }
}

/** Three servers and the collectors of a test. */
export interface Fleet {
  readonly servers: readonly NatsServer[];
  /** A gateway, not started yet; `more` are settings. */
  gateway(name: string, more?: () => readonly string[]): Promise<Member>;
  /** A collector that sends everything, not started yet. */
  sidecar(name: string, ...more: readonly string[]): Promise<Member>;
  close(): Promise<void>;
}

/** Starts the servers. */
export async function openFleet(network?: FleetNetwork, options?: NatsServersOptions): Promise<Fleet> {
  const servers = await startNatsServers(3, { ...options, address: network?.address ?? '127.0.0.1' });
  const urls = JSON.stringify(servers.map(({ url }) => url));
  const members: Member[] = [];
  const add = async (name: string, settings: () => readonly string[]): Promise<Member> => {
    const place = { machine: network?.addMachine(), port: await reservePort() };
    const member = new Member(name, await temporaryFolder(), place, settings);
    members.push(member);
    return member;
  };
  return {
    servers,
    gateway: (name, more = () => []) =>
      add(name, () => [
        `receivers.nats.servers=${urls}`,
        'service.pipelines.events.receivers=[events, nats]',
        ...more(),
      ]),
    sidecar: (name, ...more) =>
      add(name, () => [
        `exporters.nats.servers=${urls}`,
        'exporters.nats.sending_queue.start_at=beginning',
        'service.pipelines.events.exporters=[store, nats]',
        ...more,
      ]),
    async close() {
      await Promise.all(members.map((member) => member.kill()));
      await Promise.all(servers.map((server) => server.kill()));
    },
  };
}

/** The request ids of all raw lines of a folder. */
export async function* requestIds({ directory }: Member): AsyncGenerator<string> {
  const folder = join(directory, 'raw');
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('raw.ndjson')) continue;
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      yield JSON.parse(line).request_id;
    }
  }
}

/** Compares what sources and targets have stored; equal means that each event of the sources is in the targets once. */
export async function compareRecords(sources: readonly Member[], targets: readonly Member[]) {
  const missing = new Set<string>();
  const surplus: string[] = [];
  for (const source of sources) for await (const id of requestIds(source)) missing.add(id);
  const events = missing.size;
  for (const target of targets) {
    for await (const id of requestIds(target)) if (!missing.delete(id)) surplus.push(id);
  }
  return { events, missing: [...missing].slice(0, 20), surplus: surplus.slice(0, 20) };
}
