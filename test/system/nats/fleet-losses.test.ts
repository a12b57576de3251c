/** The servers of a fleet forget what they acknowledged, or have no space: what sidecars stored is at the gateway exactly once. */
import { execFileSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { killLeftoverProcesses } from '../../helpers/faultline-process.js';
import type { NatsServer } from '../../helpers/nats/nats-servers.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { compareRecords, type Fleet, isPossible, type Member, openFleet } from './fleet-members.js';

// It takes minutes: only in long runs, which name their rounds.
(isPossible && process.env['FLEET_ROUNDS'] !== undefined ? describe : describe.skip)('a fleet', () => {
  let fleet: Fleet | undefined;
  const mounted: string[] = [];

  afterEach(async () => {
    await fleet?.close();
    for (const folder of mounted.splice(0)) execFileSync('umount', ['-l', folder]);
  });
  afterAll(async () => {
    killLeftoverProcesses();
    await removeTemporaryFolders();
  });

  /** Starts a fleet of a gateway and a sidecar, and sends an event. */
  async function start(streamSize: string, storeFolders: readonly string[] = []) {
    fleet = await openFleet(undefined, { storeFolders });
    const { servers } = fleet;
    const target = await fleet.gateway('gateway', () => [`receivers.nats.max_stream_size=${streamSize}`]);
    const source = await fleet.sidecar('sidecar', `exporters.nats.max_stream_size=${streamSize}`);
    await target.start();
    await target.untilReceiving();
    await source.start();
    await send(source, 1);
    await expectEqual(source, target);
    return { servers, target, source };
  }

  let serial = 0;
  async function send(source: Member, batches: number, bytes = 100): Promise<void> {
    for (let batch = 0; batch < batches; batch += 1) {
      serial += 1;
      const events = Array.from({ length: 20 }, (_, index) =>
        kindOfFailure(index % 7, { request_id: `${serial}-${index}`, extra: { noise: noise(bytes) } }),
      );
      expect(await source.post(events)).toBe(true);
    }
  }

  async function expectEqual(source: Member, target: Member): Promise<void> {
    await source.untilSent();
    expect(await compareRecords([source], [target])).toMatchObject({ missing: [], surplus: [] });
  }

  it('gets again what servers with older data forgot', async () => {
    const { servers, target, source } = await start('1GiB');
    const older = await temporaryFolder();
    const killAll = () => Promise.all(servers.map((server) => server.kill()));
    const startAll = () => Promise.all(servers.map((server) => server.start()));
    await killAll();
    await Promise.all(servers.map(({ storeFolder, name }) => cp(storeFolder, join(older, name), { recursive: true })));
    await startAll();
    for (const forgetful of [1, 2]) {
      // The servers acknowledge what the gateway cannot take, and forget it.
      await target.kill();
      const { sent } = await source.exporter();
      await send(source, 10);
      await waitFor('the servers', async () => (await source.exporter()).sent >= sent + 200, 60_000);
      await killAll();
      for (const { storeFolder, name } of servers.slice(0, forgetful)) {
        await rm(storeFolder, { recursive: true });
        await cp(join(older, name), storeFolder, { recursive: true });
      }
      await startAll();
      await target.start();
      await expectEqual(source, target);
    }
  });

  it('waits while the stream has no space, and continues afterwards', async () => {
    const { target, source } = await start('2MiB');
    await target.kill();
    await send(source, 40, 10_000);
    await waitFor('a refusal', async () => (await source.exporter()).failing, 60_000);
    expect((await source.exporter()).waiting).toBeGreaterThan(0);
    await target.start();
    await expectEqual(source, target);
  });

  const DISK_KIB = 128 * 1024;

  /** Mounts a small file system in memory; undefined without the right to. */
  async function mountDisk(): Promise<string | undefined> {
    const folder = await temporaryFolder();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_KIB}k`, 'faultline-test', folder], { stdio: 'pipe' });
    } catch (error) {
      console.warn(`SKIPPED: a small file system cannot be mounted here: ${String(error)}`);
      return undefined;
    }
    mounted.push(folder);
    return folder;
  }

  it.each([1, 2])('loses nothing while the disks of %d of three servers are full', async (full) => {
    const disks: string[] = [];
    for (let index = 0; index < full; index += 1) disks.push((await mountDisk()) ?? '');
    if (disks.includes('')) return;
    const { servers, target, source } = await start('64MiB', disks);
    const fillers = disks.map((disk) => join(disk, 'filler'));
    for (const filler of fillers) {
      // It ends when the disk is full.
      try {
        execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k', 'status=none'], { stdio: 'pipe' });
      } catch {}
    }
    const { sent } = await source.exporter();
    await send(source, 40, 10_000);
    const isOff = async ({ monitorUrl }: NatsServer): Promise<boolean> =>
      !(await fetch(`${monitorUrl}/healthz?js-enabled-only=true`)).ok;
    const affected = servers.slice(0, full);
    await waitFor('JetStream to end', async () => (await Promise.all(affected.map(isOff))).every(Boolean), 60_000);
    if (full === 1) {
      await waitFor('the other servers', async () => (await source.exporter()).sent >= sent + 800, 120_000);
      await expectEqual(source, target);
    } else {
      await waitFor('a refusal', async () => (await source.exporter()).failing, 120_000);
      expect((await source.exporter()).waiting).toBe(800);
    }
    for (const filler of fillers) await rm(filler);
    await send(source, 10);
    // Room alone does not bring JetStream back.
    expect(await Promise.all(affected.map(isOff))).toEqual(affected.map(() => true));
    for (const server of affected) {
      await server.kill();
      await server.start();
    }
    await expectEqual(source, target);
  });
});

/** Text that does not compress. */
function noise(bytes: number): string {
  let text = '';
  while (text.length < bytes) text += Math.random().toString(36).slice(2);
  return text;
}
