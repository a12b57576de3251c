/**
 * Kills and cuts off the parts of a fleet in random order under load: what the sidecars stored is in the view of two gateways and at a standby
 * exactly once. FLEET_ROUNDS is the number of rounds, default 3; FLEET_CUT_SECONDS the longest cut, default 3; FLEET_SEED repeats the choices.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../core/storage/safety/seeded-random.js';
import { killLeftoverProcesses } from '../../helpers/faultline-process.js';
import type { NatsServer } from '../../helpers/nats/nats-servers.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { compareRecords, type Fleet, isPossible, type Member, openFleet, requestIds } from './fleet-members.js';
import { openFleetNetwork } from './fleet-network.js';

const ROUNDS = Number(process.env['FLEET_ROUNDS'] ?? 3);
const CUT_MS = Number(process.env['FLEET_CUT_SECONDS'] ?? 3) * 1_000;
const MIN_CUT_MS = CUT_MS > 5_000 ? 5_000 : CUT_MS / 3;
/** Longest absence of a killed process. */
const DEATH_MS = Math.min(CUT_MS, 10_000);
const SEED = Number(process.env['FLEET_SEED'] ?? Date.now() % 100_000);
const KINDS = 30;
const LOAD_INTERVAL_MS = 250;

interface IssueRow {
  readonly issue_id: string;
  readonly count: number;
  readonly status: string;
}

const issuesOf = async (one: Member): Promise<IssueRow[]> =>
  (await one.get<{ issues: IssueRow[] }>('/issues?limit=500')).issues;

async function isLeader({ name, monitorUrl }: NatsServer): Promise<boolean> {
  const { account_details: accounts } = await (await fetch(`${monitorUrl}/jsz?accounts=true&streams=true`)).json();
  const streams: { name: string; cluster: { leader?: string } }[] = accounts[0].stream_detail;
  return streams.find((stream) => stream.name === 'faultline-events')?.cluster.leader === name;
}

/** Posts events of random kinds every so often; returns a function that ends it and resolves with the ids of acknowledged events. */
function load(sidecar: Member, serial: number): () => Promise<readonly string[]> {
  const random = seededRandom(SEED + serial);
  const acknowledged: string[] = [];
  const ending = new AbortController();
  const run = async (): Promise<void> => {
    for (let batch = 0; !ending.signal.aborted; batch += 1) {
      const ids = Array.from({ length: random.integer(1, 40) }, (_, index) => `${serial}-${batch}-${index}`);
      const events = ids.map((id) => kindOfFailure(random.integer(0, KINDS - 1), { request_id: id }));
      if (await sidecar.post(events)) acknowledged.push(...ids);
      await pause(LOAD_INTERVAL_MS, undefined, ending).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    ending.abort();
    await running;
    return acknowledged;
  };
}

(isPossible ? describe : describe.skip)('a fleet', () => {
  const network = isPossible ? openFleetNetwork() : undefined;
  let fleet: Fleet | undefined;

  afterAll(async () => {
    await fleet?.close();
    network?.close();
    killLeftoverProcesses();
    await removeTemporaryFolders();
  });

  it(
    `shows every event once (seed ${SEED})`,
    async () => {
      const random = seededRandom(SEED);
      fleet = await openFleet(network);
      const { servers } = fleet;
      const peers = (): string[] => [
        `extensions.query.peers=${JSON.stringify([low, high].map(({ queryUrl }) => queryUrl))}`,
      ];
      const low = await fleet.gateway('gateway 0-7', () => ['receivers.nats.own=0-7', ...peers()]);
      const high = await fleet.gateway('gateway 8-15', () => ['receivers.nats.own=8-15', ...peers()]);
      const standby = await fleet.gateway('standby');
      const gateways = [low, high, standby] as const;
      const sidecars = [await fleet.sidecar('sidecar 1'), await fleet.sidecar('sidecar 2')] as const;
      await Promise.all([...gateways, ...sidecars].map((member) => member.start()));
      await Promise.all(gateways.map((gateway) => gateway.untilReceiving()));
      const loads = sidecars.map(load);

      const die = async (one: { kill(): Promise<void>; start(): Promise<void> }): Promise<void> => {
        await one.kill();
        await pause(random.integer(0, DEATH_MS));
        await one.start();
      };
      const cut = async ({ machine }: Member): Promise<void> => {
        machine?.cut();
        await pause(random.integer(MIN_CUT_MS, CUT_MS));
        machine?.join();
      };
      const serversThat = async (lead: boolean): Promise<NatsServer> => {
        const isOne = await waitFor('a leader', async () => {
          const all = await Promise.all(servers.map(isLeader));
          return all.includes(true) && all;
        });
        return random.pick(servers.filter((_, index) => isOne[index] === lead) as [NatsServer]);
      };
      const faults: readonly (readonly [name: string, happen: () => Promise<void>])[] = [
        ['kill the leader', async () => die(await serversThat(true))],
        ['kill a follower', async () => die(await serversThat(false))],
        ['kill a gateway', () => die(random.pick(gateways))],
        ['kill a sidecar', () => die(random.pick(sidecars))],
        ['cut a gateway', () => cut(random.pick(gateways))],
        ['cut a sidecar', () => cut(random.pick(sidecars))],
      ];
      const possible = faults.slice(0, network === undefined ? -2 : undefined) as [(typeof faults)[number]];
      const act = async (): Promise<void> => {
        const issue = random.pick((await issuesOf(random.pick(gateways))) as [IssueRow]);
        const action = random.percent(60) ? { action: 'resolve' } : { action: 'ignore', snooze: 'until:2099-01-01' };
        await fetch(`${random.pick([low, high]).queryUrl}/api/v1/issues/${issue.issue_id}/actions`, {
          method: 'POST',
          body: JSON.stringify({ ...action, actor: 'ada' }),
          headers: { 'content-type': 'application/json' },
        });
      };
      const done: Record<string, number> = {};
      for (let round = 0; round < ROUNDS; round += 1) {
        const [name, happen] = random.pick(possible);
        done[name] = (done[name] ?? 0) + 1;
        await happen();
        await act().catch(() => undefined);
        await pause(500);
      }
      const acknowledged = (await Promise.all(loads.map((end) => end()))).flat();
      await Promise.all(sidecars.map((sidecar) => sidecar.untilSent()));

      const all = await compareRecords(sidecars, [standby]);
      console.log(JSON.stringify({ rounds: done, events: all.events, acknowledged: acknowledged.length }));
      expect(all).toEqual({ events: all.events, missing: [], surplus: [] });
      expect(await compareRecords(sidecars, [low, high])).toEqual(all);
      const unknown = new Set(acknowledged);
      for await (const id of requestIds(standby)) unknown.delete(id);
      expect([...unknown]).toEqual([]);
      expect(acknowledged.length).toBeGreaterThan(ROUNDS * 5);

      for (const one of [low, standby]) {
        expect((await one.get<{ events: number }>('/stats')).events).toBe(all.events);
        expect((await issuesOf(one)).reduce((sum, { count }) => sum + count, 0)).toBe(all.events);
      }
      // By the id that it has at the sidecar, and by its own, an event of the view is the one that the sidecar stored.
      interface Found {
        readonly event_id: string;
        readonly raw: { readonly payload: unknown };
      }
      for (const sidecar of sidecars) {
        const { events } = await sidecar.get<{ events: { event_id: string }[] }>('/events?limit=50');
        for (const { event_id } of events) {
          const there = await sidecar.get<Found>(`/events/${event_id}`);
          const here = await low.get<Found>(`/events/${event_id}`);
          const again = await low.get<Found>(`/events/${here.event_id}`);
          expect([here.raw.payload, again.raw.payload]).toEqual([there.raw.payload, there.raw.payload]);
        }
      }
      const triage = async (one: Member) =>
        (await issuesOf(one)).map(({ issue_id, count, status }) => `${issue_id} ${count} ${status}`).sort();
      await waitFor('equal states', async () => {
        const [here, there] = [await triage(low), await triage(standby)];
        if (JSON.stringify(here) === JSON.stringify(there)) return true;
        throw new Error(here.filter((one) => !there.includes(one)).join('; '));
      });
    },
    300_000 + ROUNDS * (CUT_MS + 30_000),
  );
});
