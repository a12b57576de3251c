/** Fleets in one process: what a sidecar stored is in the store of its gateways exactly once, whatever happens between them. */
import fc from 'fast-check';
import type { StoredEvent } from '../../../core/contract/stages.js';
import {
  expectAll,
  failures,
  type Gateway,
  startGateway,
  startSidecar,
  stopFleet,
} from '../../collector/nats/fleet-under-test.js';
import { createMemoryNats, type MemoryNats } from '../../helpers/nats/memory-transport.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterEach(async () => {
  await stopFleet();
  await removeTemporaryFolders();
});

it('divides partitions among gateways, and gives a standby a full copy', async () => {
  const nats = createMemoryNats();
  const [low, high, standby] = [
    await startGateway(nats, { sets: ['own=0-7'] }),
    await startGateway(nats, { sets: ['own=8-15'] }),
    await startGateway(nats, { sets: ['own=8-15'] }),
  ];
  const sidecar = await startSidecar(nats);
  await sidecar.send(failures(400, 60));
  await waitFor('the marks', () => sidecar.exporter.stats().waiting === 0);
  const issuesOf = async ({ store }: Gateway) => {
    const { issues } = await store.opened().reader.listIssues({ limit: 500 });
    return issues.map(({ issue_id, count }) => `${issue_id} ${count}`).sort();
  };
  const all = [...(await issuesOf(low)), ...(await issuesOf(high))].sort();
  expect(all).toEqual(await issuesOf({ ...low, store: sidecar.store }));
  expect((await issuesOf(low)).length).toBeGreaterThan(0);
  expect(await issuesOf(standby)).toEqual(await issuesOf(high));
});

it('gives a standby that still connects what is sent meanwhile', async () => {
  const nats = createMemoryNats();
  const owner = await startGateway(nats);
  let connected = (): void => undefined;
  const untilConnected = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const slow: MemoryNats = {
    ...nats,
    connect() {
      const transport = nats.connect();
      const consume = transport.consume.bind(transport);
      transport.consume = (...options) => untilConnected.then(() => consume(...options));
      return transport;
    },
  };
  const standby = await startGateway(slow);
  // It asks again only after the owner has everything.
  const sidecar = await startSidecar(nats, { times: { askMs: 1_000 } });
  const positions: unknown[] = [];
  nats.connect().subscribe('faultline.applied.*', (body) => {
    positions.push(...Object.keys(JSON.parse(Buffer.from(body).toString('utf8')).applied));
  });
  const stored = await sidecar.send(failures(100, 40));
  await waitFor('the owner', async () => (await owner.events()) === stored.length);
  await waitFor('its marks', () => positions.length > 0);
  connected();
  await expectAll(standby, sidecar, stored);
});

describe('after any outages', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('send' as const), events: fc.integer({ min: 1, max: 30 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), events: fc.integer({ min: 1, max: 5 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'cut sidecar',
          'cut gateway',
          'restart sidecar',
          'restart gateway',
          'lose answers',
          'join',
        ),
        events: fc.constant(1),
      }),
    },
  );

  it('every event is stored once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
        const nats = createMemoryNats();
        const [home, there] = [await temporaryFolder(), await temporaryFolder()];
        let gateway = await startGateway(nats, { directory: there });
        let sidecar = await startSidecar(nats, { directory: home });
        const stored: StoredEvent[] = [];
        for (const { kind, events } of steps) {
          if (kind === 'send') stored.push(...(await sidecar.send(failures(events))));
          if (kind === 'lose') nats.loseLast('faultline-events', events);
          if (kind === 'cut sidecar') sidecar.transport().disconnect();
          if (kind === 'cut gateway') gateway.transport().disconnect();
          if (kind === 'lose answers') sidecar.transport().loseAnswers(2);
          if (kind === 'restart sidecar') {
            await sidecar.stop();
            sidecar = await startSidecar(nats, { directory: home });
          }
          if (kind === 'restart gateway') {
            await gateway.stop();
            gateway = await startGateway(nats, { directory: there });
          }
          if (kind === 'join') {
            sidecar.transport().reconnect();
            gateway.transport().reconnect();
          }
        }
        sidecar.transport().reconnect();
        gateway.transport().reconnect();
        await expectAll(gateway, sidecar, stored);
        await sidecar.stop();
        await gateway.stop();
      }),
      // Each run starts and stops a fleet.
      { numRuns: 15 },
    );
  });
});
