/**
 * Kills and cuts off the parts of a fleet in random order under load: what the sidecars stored is at both gateways exactly once. FLEET_ROUNDS is
 * the number of rounds, default 3; FLEET_CUT_SECONDS the longest cut, default 3; FLEET_SEED repeats a run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { killLeftoverProcesses } from '../../helpers/faultline-process.js';
import { type NatsServer, startNatsServers } from '../../helpers/nats/nats-servers.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { gateway, isPossible, Member, requestIds, sidecar, startLink } from './fleet-members.js';

const ROUNDS = Number(process.env['FLEET_ROUNDS'] ?? 3);
const CUT_MS = Number(process.env['FLEET_CUT_SECONDS'] ?? 3) * 1_000;
const SEED = Number(process.env['FLEET_SEED'] ?? Date.now() % 100_000);
const KINDS = 30;

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
          await pause(150);
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
      expect(sent.length).toBeGreaterThan(ROUNDS * 5);
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
