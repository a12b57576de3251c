/** What a sidecar stored is in the store of its gateway exactly once, whatever is lost between them. */
import { cp } from 'node:fs/promises';
import { hostname } from 'node:os';
import fc from 'fast-check';
import type { StoredEvent } from '../../../core/contract/stages.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { createMemoryNats, type MemoryNats } from '../../helpers/nats/memory-transport.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { type Gateway, type Sidecar, startGateway, startSidecar } from './fleet-under-test.js';

const STREAM = 'faultline-events';
const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
  await removeTemporaryFolders();
});

async function sidecarOf(nats: MemoryNats, directory?: string, sets: string[] = [], times = {}): Promise<Sidecar> {
  const sidecar = await startSidecar(nats, directory ?? (await temporaryFolder()), sets, times);
  running.push(sidecar);
  return sidecar;
}

async function gatewayOf(nats: MemoryNats, directory?: string, ...sets: string[]): Promise<Gateway> {
  const gateway = await startGateway(nats, directory ?? (await temporaryFolder()), ...sets);
  running.push(gateway);
  return gateway;
}

async function stop(one: { stop(): Promise<void> }): Promise<void> {
  running.splice(running.indexOf(one), 1);
  await one.stop();
}

let serial = 0;
const failures = (count: number, kinds = 5): RawPayload[] =>
  Array.from({ length: count }, () => {
    serial += 1;
    return kindOfFailure(serial % kinds, { request_id: `r${serial}` });
  });

/** Every event is found by its id at the sidecar, with the same payload, and nothing else is stored. */
async function expectAll(gateway: Gateway, sidecar: Sidecar, stored: readonly StoredEvent[]): Promise<void> {
  await waitFor('all events', async () => (await gateway.events()) >= stored.length);
  await waitFor('the marks', () => sidecar.exporter.stats().waiting === 0);
  expect(await gateway.events()).toBe(stored.length);
  const ids = new Set<string>();
  for (const { event_id } of stored) {
    const [there, here] = [await sidecar.store.opened().reader.getEvent(event_id), await gateway.find(event_id)];
    expect(here?.raw.payload).toEqual(there?.raw.payload);
    expect(here?.issue_id).toBe(there?.issue_id);
    ids.add(here?.event_id ?? '');
  }
  expect(ids.size).toBe(stored.length);
}

it('stores every event once, found by either id', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  // Nothing is lost, so nothing may be sent again, however slow the machine is.
  const sidecar = await sidecarOf(nats, undefined, [], { stalledMs: 30_000 });
  const stored = await sidecar.send(failures(300, 40));
  await expectAll(gateway, sidecar, stored);
  const { events } = await gateway.store.opened().reader.searchEvents({ limit: 1 });
  expect((await gateway.find(events[0]?.event_id as never))?.event_id).toBe(events[0]?.event_id);
  expect(gateway.ledger.snapshot()['nats']).toMatchObject({ received: 300, stored: 300, refused: 0 });
  const { sources, gaps, redelivered } = gateway.stats();
  const hosts = sources.map(({ host }) => host);
  expect({ gaps, redelivered, hosts }).toEqual({ gaps: 0, redelivered: 0, hosts: [hostname()] });
  expect(Object.keys(sources[0]?.partitions ?? {}).length).toBeGreaterThan(1);
  await waitFor('the servers', () => Object.values(gateway.stats().pending).length === 16);
});

it('divides partitions among gateways, and gives a standby a full copy', async () => {
  const nats = createMemoryNats();
  const [low, high, standby] = [
    await gatewayOf(nats, undefined, 'own=0-7'),
    await gatewayOf(nats, undefined, 'own=8-15'),
    await gatewayOf(nats, undefined, 'own=8-15'),
  ];
  const sidecar = await sidecarOf(nats);
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
  const owner = await gatewayOf(nats);
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
  const standby = await gatewayOf(slow);
  // It asks again only after the owner has everything.
  const sidecar = await sidecarOf(nats, undefined, [], { askMs: 1_000 });
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

it('sends again what the servers forgot, between others and at the end', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  const sidecar = await sidecarOf(nats);
  const stored = await sidecar.send(failures(20));
  await expectAll(gateway, sidecar, stored);
  for (let round = 0; round < 3; round += 1) {
    gateway.transport().disconnect();
    const [sentBefore] = [sidecar.exporter.stats().sent];
    stored.push(...(await sidecar.send(failures(20))));
    await waitFor('the servers', () => sidecar.exporter.stats().sent > sentBefore);
    nats.loseLast(STREAM, 3);
    // In the second round nothing follows: only questions find the loss.
    if (round !== 1) stored.push(...(await sidecar.send(failures(5))));
    gateway.transport().reconnect();
    await expectAll(gateway, sidecar, stored);
  }
});

it('sends again what the servers forgot but still count as waiting', async () => {
  const nats = createMemoryNats();
  const counting: MemoryNats = {
    ...nats,
    connect() {
      const transport = nats.connect();
      const consume = transport.consume.bind(transport);
      transport.consume = async (...options) => {
        const consumption = await consume(...options);
        return { ...consumption, progress: async () => ({ pending: 1, ackedSequence: 0 }) };
      };
      return transport;
    },
  };
  const gateway = await gatewayOf(counting);
  const sidecar = await sidecarOf(nats);
  const stored = await sidecar.send(failures(20));
  await expectAll(gateway, sidecar, stored);
  gateway.transport().disconnect();
  const { sent } = sidecar.exporter.stats();
  stored.push(...(await sidecar.send(failures(20))));
  await waitFor('the servers', () => sidecar.exporter.stats().sent > sent);
  nats.loseLast(STREAM, 3);
  gateway.transport().reconnect();
  await expectAll(gateway, sidecar, stored);
});

it('does not consider an event done before a gateway stored it', async () => {
  const nats = createMemoryNats();
  const sidecar = await sidecarOf(nats);
  const stored = await sidecar.send(failures(10));
  await waitFor('the servers', () => sidecar.exporter.stats().sent === 10);
  expect(sidecar.exporter.stats().waiting).toBe(10);
  // The stream had no consumer, so it kept nothing.
  const gateway = await gatewayOf(nats);
  await sidecar.send(failures(1));
  await waitFor('all events', async () => (await gateway.events()) === 11);
  expect((await gateway.find(stored[0]?.event_id as never))?.raw.payload.request_id).toBeDefined();
});

it('stores nothing twice if the gateway crashes between an event and its id', async () => {
  const nats = createMemoryNats();
  const directory = await temporaryFolder();
  const gateway = await gatewayOf(nats, directory);
  const sidecar = await sidecarOf(nats);
  const stored = await sidecar.send(failures(30));
  await expectAll(gateway, sidecar, stored);
  const crashed = await temporaryFolder();
  let isCopied = false;
  gateway.hooks.after = async () => {
    gateway.transport().disconnect();
    if (!isCopied) await cp(directory, crashed, { recursive: true, filter: (path) => !path.endsWith('LOCK') });
    isCopied = true;
  };
  stored.push(...(await sidecar.send(failures(30, 1))));
  await waitFor('the copy', () => isCopied);
  await stop(gateway);
  const after = await gatewayOf(nats, crashed);
  await expectAll(after, sidecar, stored);
});

it('fills a gateway that was restored from an older copy of its folder', async () => {
  const nats = createMemoryNats();
  const [directory, older] = [await temporaryFolder(), await temporaryFolder()];
  const gateway = await gatewayOf(nats, directory);
  const sidecar = await sidecarOf(nats);
  const stored = await sidecar.send(failures(20));
  await expectAll(gateway, sidecar, stored);
  await cp(directory, older, { recursive: true, filter: (path) => !path.endsWith('LOCK') });
  stored.push(...(await sidecar.send(failures(20))));
  await expectAll(gateway, sidecar, stored);
  await stop(gateway);
  const restored = await gatewayOf(nats, older);
  stored.push(...(await sidecar.send(failures(1))));
  await expectAll(restored, sidecar, stored);
});

it('shares actions through the fleet', async () => {
  const nats = createMemoryNats();
  const [one, other] = [await gatewayOf(nats), await gatewayOf(nats)];
  const sidecar = await sidecarOf(nats, undefined, ['share_actions=true']);
  const [event] = await sidecar.send(failures(1));
  const issueId = event?.issue_id as NonNullable<typeof event>['issue_id'];
  const statusAt = async ({ store }: Pick<Gateway, 'store'>) => (await store.opened().reader.getIssue(issueId))?.status;
  await waitFor('both gateways', async () => (await one.events()) + (await other.events()) === 2);
  await waitFor('a connection', () =>
    one
      .actions()
      .act(issueId, { action: 'resolve', actor: 'ada' })
      .catch(() => undefined),
  );
  for (const collector of [one, other, sidecar]) {
    await waitFor('the action', async () => (await statusAt(collector)) === 'resolved');
  }
  await sidecar.exporter.actions?.().act(issueId, { action: 'reopen' });
  expect(await statusAt(sidecar)).toBe('open');
  await waitFor('the action', async () => (await statusAt(other)) === 'open');
});

it('sends an event that is larger than a message in parts', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  const sidecar = await sidecarOf(nats);
  const noise = Array.from({ length: 300_000 }, () => Math.random().toString(36).slice(2)).join('');
  const stored = await sidecar.send([kindOfFailure(1, { extra: { noise } }), kindOfFailure(1)]);
  await expectAll(gateway, sidecar, stored);
  expect(sidecar.exporter.stats().lost).toBe(0);
});

it('retries while the store of the gateway refuses', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  const sidecar = await sidecarOf(nats);
  let refusals = 0;
  gateway.hooks.before = () => {
    refusals += 1;
    if (refusals <= 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const stored = await sidecar.send(failures(3, 1));
  await expectAll(gateway, sidecar, stored);
  expect(refusals).toBeGreaterThan(2);
});

it('keeps the count of an occurrence that two events report', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  const sidecar = await sidecarOf(nats);
  const [first] = await sidecar.send([kindOfFailure(1)]);
  const repeat = kindOfFailure(1, { extra: { faultline: { repeats: first?.event_id as string } } });
  await sidecar.send([repeat, kindOfFailure(1)]);
  await waitFor('all events', async () => (await gateway.events()) === 3);
  const { issues } = await gateway.store.opened().reader.listIssues();
  expect(issues.map(({ count }) => count)).toEqual([2]);
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
        let gateway = await gatewayOf(nats, there);
        let sidecar = await sidecarOf(nats, home);
        const stored: StoredEvent[] = [];
        for (const { kind, events } of steps) {
          if (kind === 'send') stored.push(...(await sidecar.send(failures(events))));
          if (kind === 'lose') nats.loseLast(STREAM, events);
          if (kind === 'cut sidecar') sidecar.transport().disconnect();
          if (kind === 'cut gateway') gateway.transport().disconnect();
          if (kind === 'lose answers') sidecar.transport().loseAnswers(2);
          if (kind === 'restart sidecar') {
            await stop(sidecar);
            sidecar = await sidecarOf(nats, home);
          }
          if (kind === 'restart gateway') {
            await stop(gateway);
            gateway = await gatewayOf(nats, there);
          }
          if (kind === 'join') {
            sidecar.transport().reconnect();
            gateway.transport().reconnect();
          }
        }
        sidecar.transport().reconnect();
        gateway.transport().reconnect();
        await expectAll(gateway, sidecar, stored);
        await stop(sidecar);
        await stop(gateway);
      }),
      { numRuns: 15 },
    );
  });
});
