/**
 * Kills and cuts off the parts of a fleet in random order under load: what the sidecars stored is at both gateways exactly once. FLEET_ROUNDS is
 * the number of rounds, default 6; FLEET_CUT_SECONDS the longest cut, default 3; FLEET_SEED repeats a run.
 */
import { readdir, readFile } from 'node:fs/promises';
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { killLeftoverProcesses, type RunningCollector, startCollector, stop } from '../../helpers/faultline-process.js';
import { NATS_SERVER, type NatsServer, startNatsServers } from '../../helpers/nats/nats-servers.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const ROUNDS = Number(process.env['FLEET_ROUNDS'] ?? 6);
const CUT_MS = Number(process.env['FLEET_CUT_SECONDS'] ?? 3) * 1_000;
const SEED = Number(process.env['FLEET_SEED'] ?? Date.now() % 100_000);
const KINDS = 30;
const isPossible = NATS_SERVER !== undefined && process.env['FAULTLINE_SYSTEM_TESTS'] !== undefined;

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Forwards a port; while it is cut, no byte passes and no connection ends, as on a broken network. */
async function startLink(target: number): Promise<{ url: string; cut(): void; join(): void; server: Server }> {
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
class Member {
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

/** The request ids of all raw lines of a folder. */
async function requestIds(directory: string): Promise<string[]> {
  const files = await readdir(join(directory, 'raw'), { recursive: true });
  const texts = await Promise.all(
    files.filter((name) => name.endsWith('raw.ndjson')).map((name) => readFile(join(directory, 'raw', name), 'utf8')),
  );
  return texts
    .flatMap((text) => text.split('\n').slice(0, -1))
    .map((line) => JSON.parse(line).request_id)
    .sort();
}

(isPossible ? describe : describe.skip)('a fleet', () => {
  let servers: readonly NatsServer[] = [];
  const members: Member[] = [];

  afterAll(async () => {
    for (const member of members) {
      await member.kill();
      member.close();
    }
    await Promise.all(servers.map((server) => server.kill()));
    killLeftoverProcesses();
    await removeTemporaryFolders();
  });

  async function member(name: string, settings: (servers: string) => readonly string[]): Promise<Member> {
    const links = await Promise.all(servers.map(({ url }) => startLink(Number(new URL(url).port))));
    const made = new Member(name, await temporaryFolder(), links, settings);
    members.push(made);
    await made.start();
    return made;
  }

  it(
    `stores every event once at both gateways (seed ${SEED})`,
    async () => {
      const random = randomOf(SEED);
      servers = await startNatsServers(3);
      const gateway = (urls: string): readonly string[] => [
        `--set=receivers.nats.servers=${urls}`,
        '--set=service.pipelines.events.receivers=[events, nats]',
      ];
      const sidecar = (urls: string): readonly string[] => [
        `--set=exporters.nats.servers=${urls}`,
        '--set=exporters.nats.sending_queue.start_at=beginning',
        '--set=service.pipelines.events.exporters=[store, nats]',
      ];
      const [owner, standby] = [await member('owner', gateway), await member('standby', gateway)];
      const sidecars = [await member('sidecar 1', sidecar), await member('sidecar 2', sidecar)];
      let serial = 0;
      let isLoading = true;
      const load = sidecars.map(async (one) => {
        while (isLoading) {
          serial += 1;
          const events = Array.from({ length: 1 + Math.floor(random() * 40) }, (_, index) =>
            kindOfFailure(Math.floor(random() * KINDS), { request_id: `${serial}-${index}` }),
          );
          const url = `${one.collector?.ingestUrl}/v1/events`;
          const body = JSON.stringify(events);
          await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } }).catch(
            () => undefined,
          );
          await pause(20);
        }
      });
      const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
      const faults: { readonly [name: string]: () => Promise<void> } = {
        'kill a server': async () => {
          const server = pick(servers);
          await server.kill();
          await pause(CUT_MS * random());
          await server.start();
        },
        'kill a collector': async () => {
          const one = pick(members);
          await one.kill();
          await pause(CUT_MS * random());
          await one.start();
        },
        'cut a network': async () => {
          const one = pick(members);
          one.cut();
          await pause(CUT_MS * (0.3 + 0.7 * random()));
          one.join();
        },
      };
      const done: string[] = [];
      const act = async (): Promise<void> => {
        const { issues } = await pick([owner, standby]).get<{ issues: { issue_id: string }[] }>('/issues?limit=100');
        const issue = pick(issues);
        const action = random() < 0.6 ? { action: 'resolve' } : { action: 'ignore', snooze: 'until:2099-01-01' };
        await fetch(`${pick([owner, standby]).collector?.queryUrl}/api/v1/issues/${issue.issue_id}/actions`, {
          method: 'POST',
          body: JSON.stringify({ ...action, actor: 'ada' }),
          headers: { 'content-type': 'application/json' },
        });
      };
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = pick(Object.keys(faults));
        done.push(name);
        await faults[name]?.();
        await act().catch(() => undefined);
        await pause(500);
      }
      isLoading = false;
      await Promise.all(load);
      for (const one of sidecars) {
        await waitFor(
          `the gateways to store everything of ${one.name} after ${done.join(', ')}`,
          async () => {
            const { exporters } = await one.get<{ exporters: Record<string, { waiting: number }> }>('/stats');
            if (exporters['nats']?.waiting === 0) return true;
            throw new Error(JSON.stringify(exporters));
          },
          180_000,
        );
      }
      const sent = (await Promise.all(sidecars.map(({ directory }) => requestIds(directory)))).flat().sort();
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent.length).toBeGreaterThan(ROUNDS * 10);
      for (const one of [owner, standby]) {
        expect(await requestIds(one.directory)).toEqual(sent);
        expect((await one.get<{ events: number }>('/stats')).events).toBe(sent.length);
      }
      // By the id of the sidecar, the raw payload is the same at a gateway.
      const { events } = await pick(sidecars).get<{ events: { event_id: string }[] }>('/events?limit=50');
      for (const { event_id } of events) {
        const [there, here] = await Promise.all(
          [pick(sidecars.filter((one) => one.collector)), standby].map((one) =>
            one.get<{ raw: { payload: unknown } }>(`/events/${event_id}`).catch(() => undefined),
          ),
        );
        expect(here).toBeDefined();
        if (there !== undefined) expect(here?.raw.payload).toEqual(there.raw.payload);
      }
      const issuesOf = async (one: Member) => {
        const { issues } = await one.get<{ issues: Record<string, unknown>[] }>('/issues?limit=500');
        return issues.map(({ issue_id, count, status }) => `${issue_id} ${count} ${status}`).sort();
      };
      await waitFor('equal states', async () => {
        const [here, there] = [await issuesOf(owner), await issuesOf(standby)];
        if (JSON.stringify(here) === JSON.stringify(there)) return true;
        throw new Error(here.filter((one) => !there.includes(one)).join('; '));
      });
    },
    240_000 + ROUNDS * (CUT_MS + 20_000),
  );
});
