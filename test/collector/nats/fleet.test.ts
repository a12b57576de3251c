/** What a sidecar stored is in the store of its gateway exactly once, whatever is lost between them. */
import { cp } from 'node:fs/promises';
import { hostname } from 'node:os';
import { createMemoryNats } from '../../helpers/nats/memory-transport.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { expectAll, failures, type Gateway, startGateway, startSidecar, stopFleet } from './fleet-under-test.js';

const STREAM = 'faultline-events';

afterEach(async () => {
  await stopFleet();
  await removeTemporaryFolders();
});

it('stores every event once, found by either id', async () => {
  const nats = createMemoryNats();
  const gateway = await startGateway(nats);
  // Nothing is lost, so nothing may be sent again, however slow the machine is.
  const sidecar = await startSidecar(nats, { times: { stalledMs: 30_000 } });
  const stored = await sidecar.send(failures(100, 40));
  await expectAll(gateway, sidecar, stored);
  const { events } = await gateway.store.opened().reader.searchEvents({ limit: 1 });
  expect((await gateway.find(events[0]?.event_id as never))?.event_id).toBe(events[0]?.event_id);
  expect(gateway.ledger.snapshot()['nats']).toMatchObject({ received: 100, stored: 100, refused: 0 });
  const { sources, gaps, redelivered } = gateway.stats();
  const hosts = sources.map(({ host }) => host);
  expect({ gaps, redelivered, hosts }).toEqual({ gaps: 0, redelivered: 0, hosts: [hostname()] });
  expect(Object.keys(sources[0]?.partitions ?? {}).length).toBeGreaterThan(1);
  await waitFor('the servers', () => Object.values(gateway.stats().pending).length === 16);
});

it('stores every event once if answers are lost, and if the sidecar restarts meanwhile', async () => {
  const nats = createMemoryNats();
  const gateway = await startGateway(nats);
  const directory = await temporaryFolder();
  const first = await startSidecar(nats, { directory });
  await waitFor('the consumers', () => nats.consumers(STREAM) === 16);
  // The servers keep what it does not acknowledge.
  gateway.transport().disconnect();
  first.transport().loseAnswers(2);
  const stored = await first.send(failures(20));
  await waitFor('the servers', () => nats.stored(STREAM).length > 0);
  await first.stop();
  const sidecar = await startSidecar(nats, { directory });
  stored.push(...(await sidecar.send(failures(20))));
  gateway.transport().reconnect();
  await expectAll(gateway, sidecar, stored);
});

it('does not consider an event done before a gateway stored it', async () => {
  const nats = createMemoryNats();
  const sidecar = await startSidecar(nats);
  const stored = await sidecar.send(failures(10));
  await waitFor('the servers', () => sidecar.exporter.stats().sent === 10);
  expect(sidecar.exporter.stats().waiting).toBe(10);
  // The stream had no consumer, so it kept nothing.
  const gateway = await startGateway(nats);
  await sidecar.send(failures(1));
  await waitFor('all events', async () => (await gateway.events()) === 11);
  expect((await gateway.find(stored[0]?.event_id as never))?.raw.payload.request_id).toBeDefined();
});

it('stores nothing twice if the gateway crashes between an event and its id', async () => {
  const nats = createMemoryNats();
  const directory = await temporaryFolder();
  const gateway = await startGateway(nats, { directory });
  const sidecar = await startSidecar(nats);
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
  await gateway.stop();
  const after = await startGateway(nats, { directory: crashed });
  await expectAll(after, sidecar, stored);
});

it('shares actions through the fleet', async () => {
  const nats = createMemoryNats();
  const [one, other] = [await startGateway(nats), await startGateway(nats)];
  const sidecar = await startSidecar(nats, { sets: ['share_actions=true'] });
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
  const gateway = await startGateway(nats);
  const sidecar = await startSidecar(nats);
  const noise = Array.from({ length: 300_000 }, () => Math.random().toString(36).slice(2)).join('');
  const stored = await sidecar.send([kindOfFailure(1, { extra: { noise } }), kindOfFailure(1)]);
  await expectAll(gateway, sidecar, stored);
  expect(sidecar.exporter.stats().lost).toBe(0);
});

it('retries while the store of the gateway refuses', async () => {
  const nats = createMemoryNats();
  const gateway = await startGateway(nats);
  const sidecar = await startSidecar(nats);
  let refusals = 0;
  gateway.hooks.before = () => {
    refusals += 1;
    if (refusals <= 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const stored = await sidecar.send(failures(3, 1));
  await expectAll(gateway, sidecar, stored);
  expect(refusals).toBeGreaterThan(2);
});

it('keeps the count of an occurrence that two events report, and shows what both know', async () => {
  const nats = createMemoryNats();
  const gateway = await startGateway(nats);
  const sidecar = await startSidecar(nats);
  const [first] = await sidecar.send([kindOfFailure(1, { user_id: null })]);
  const repeat = kindOfFailure(1, { user_id: 'u-9', extra: { faultline: { repeats: first?.event_id as string } } });
  await sidecar.send([repeat, kindOfFailure(1)]);
  await waitFor('all events', async () => (await gateway.events()) === 3);
  const { reader } = gateway.store.opened();
  const { issues } = await reader.listIssues();
  expect(issues.map(({ count }) => count)).toEqual([2]);
  const { events } = await reader.searchEvents();
  expect(events.map(({ user_id: user }) => user)).toEqual(['u-7', 'u-9']);
  const detail = events[1] && (await reader.getEvent(events[1].event_id));
  expect(detail?.reports).toHaveLength(2);
});
