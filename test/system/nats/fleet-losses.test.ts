/** The servers of a fleet forget what they acknowledged, or have no space: what sidecars stored is at the gateway exactly once. */
import { cp, rm } from 'node:fs/promises';
import { killLeftoverProcesses } from '../../helpers/faultline-process.js';
import { type NatsServer, startNatsServers } from '../../helpers/nats/nats-servers.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { gateway, isPossible, Member, requestIds, sidecar, startLink } from './fleet-members.js';

// It takes minutes: only in long runs, which name their rounds.
(isPossible && process.env['FLEET_ROUNDS'] !== undefined ? describe : describe.skip)('a fleet', () => {
  let servers: readonly NatsServer[] = [];
  const members: Member[] = [];

  afterEach(async () => {
    for (const member of members.splice(0)) {
      await member.kill();
      member.close();
    }
    await Promise.all(servers.map((server) => server.kill()));
  });
  afterAll(async () => {
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

  let serial = 0;
  async function send({ collector }: Member, batches: number, bytes = 100): Promise<void> {
    for (let batch = 0; batch < batches; batch += 1) {
      serial += 1;
      const events = Array.from({ length: 20 }, (_, index) =>
        kindOfFailure(index % 7, { request_id: `${serial}-${index}`, extra: { noise: noise(bytes) } }),
      );
      const response = await fetch(`${collector?.ingestUrl}/v1/events`, {
        method: 'POST',
        body: JSON.stringify(events),
        headers: { 'content-type': 'application/json' },
      });
      expect(response.status).toBe(200);
    }
  }

  interface Exporter {
    readonly waiting: number;
    readonly sent: number;
    readonly failing: boolean;
  }
  const exporterOf = async (one: Member): Promise<Exporter | undefined> =>
    (await one.get<{ exporters: Record<string, Exporter> }>('/stats')).exporters['nats'];

  async function expectEqual(source: Member, target: Member): Promise<void> {
    await waitFor(
      'the gateway to store everything',
      async () => {
        const exporter = await exporterOf(source);
        if (exporter?.waiting === 0) return true;
        throw new Error(JSON.stringify(exporter));
      },
      120_000,
    );
    expect(await requestIds(target.directory)).toEqual(await requestIds(source.directory));
  }

  it('gets again what servers with older data forgot', async () => {
    servers = await startNatsServers(3);
    const [target, source] = [await member('gateway', gateway), await member('sidecar', sidecar)];
    await send(source, 10);
    await expectEqual(source, target);
    const older = await temporaryFolder();
    const killAll = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.kill())));
    const startAll = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.start())));
    await killAll();
    await Promise.all(
      servers.map(({ storeFolder }, index) => cp(storeFolder, `${older}/${index}`, { recursive: true })),
    );
    await startAll();
    for (const forgetful of [1, 2]) {
      // The servers acknowledge what the gateway cannot take, and forget it.
      target.cut();
      const sentBefore = (await exporterOf(source))?.sent ?? 0;
      await send(source, 10);
      await waitFor('the servers', async () => ((await exporterOf(source))?.sent ?? 0) >= sentBefore + 200, 60_000);
      await killAll();
      for (const { storeFolder } of servers.slice(0, forgetful)) {
        await rm(storeFolder, { recursive: true });
        await cp(`${older}/${servers.findIndex((one) => one.storeFolder === storeFolder)}`, storeFolder, {
          recursive: true,
        });
      }
      await startAll();
      target.join();
      await expectEqual(source, target);
    }
  }, 400_000);

  it('waits while the servers have no space, and continues afterwards', async () => {
    servers = await startNatsServers(3);
    const isSmall = (kind: string) => `--set=${kind}.nats.max_stream_size=2MiB`;
    const [target, source] = [
      await member('gateway', (urls) => [...gateway(urls), isSmall('receivers')]),
      await member('sidecar', (urls) => [...sidecar(urls), isSmall('exporters')]),
    ];
    await send(source, 1);
    await expectEqual(source, target);
    target.cut();
    await send(source, 40, 10_000);
    await waitFor('a refusal', async () => (await exporterOf(source))?.failing, 60_000);
    expect((await exporterOf(source))?.waiting).toBeGreaterThan(0);
    target.join();
    await expectEqual(source, target);
  }, 300_000);
});

/** Text that does not compress. */
function noise(bytes: number): string {
  let text = '';
  while (text.length < bytes) text += Math.random().toString(36).slice(2);
  return text;
}
