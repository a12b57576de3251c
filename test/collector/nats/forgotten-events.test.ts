/** What the servers or a gateway forgot is sent again by the sidecar that stored it. */
import { cp } from 'node:fs/promises';
import { createMemoryNats, type MemoryNats } from '../../helpers/nats/memory-transport.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { expectAll, failures, startGateway, startSidecar, stopFleet } from './fleet-under-test.js';

const STREAM = 'faultline-events';

afterEach(async () => {
  await stopFleet();
  await removeTemporaryFolders();
});

it('sends again what the servers forgot, between others and at the end', async () => {
  const nats = createMemoryNats();
  const gateway = await startGateway(nats);
  const sidecar = await startSidecar(nats);
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
  const gateway = await startGateway(counting);
  const sidecar = await startSidecar(nats);
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

it('fills a gateway that was restored from an older copy of its folder', async () => {
  const nats = createMemoryNats();
  const [directory, older] = [await temporaryFolder(), await temporaryFolder()];
  const gateway = await startGateway(nats, { directory });
  const sidecar = await startSidecar(nats);
  const stored = await sidecar.send(failures(20));
  await expectAll(gateway, sidecar, stored);
  await cp(directory, older, { recursive: true, filter: (path) => !path.endsWith('LOCK') });
  stored.push(...(await sidecar.send(failures(20))));
  await expectAll(gateway, sidecar, stored);
  await gateway.stop();
  const restored = await startGateway(nats, { directory: older });
  stored.push(...(await sidecar.send(failures(1))));
  await expectAll(restored, sidecar, stored);
});
