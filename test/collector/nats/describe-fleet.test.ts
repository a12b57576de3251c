import { describeFleet } from '../../../collector/commands/validate.js';
import { createMemoryNats } from '../../helpers/nats/memory-transport.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { startGateway, stopFleet } from './fleet-under-test.js';

const FLEET = { prefix: 'faultline', partitions: 16 };
const nats = createMemoryNats();

afterAll(async () => {
  await stopFleet();
  await removeTemporaryFolders();
});

const describe16 = () => describeFleet(nats.connect(), FLEET, 20);

async function start(own: string): Promise<void> {
  await startGateway(nats, { sets: [`own=${own}`] });
  await waitFor('the gateway', async () => (await describe16()).some((one) => one.endsWith(`owns ${own}`)));
}

it('names a missing stream without creating it, then partitions without an owner, then those with several', async () => {
  const missing = [
    'the servers answer; the stream faultline-events is missing: the first collector creates it',
    'no running gateway owns the partitions 0-15: their events wait',
  ];
  expect([await describe16(), await describe16()]).toEqual([missing, missing]);

  await start('0-4,7');
  expect(await describe16()).toEqual([
    'the servers answer; the stream faultline-events exists',
    expect.stringMatching(/^the gateway [0-9a-f-]{36} owns 0-4,7$/),
    'no running gateway owns the partitions 5-6,8-15: their events wait',
  ]);

  await start('4-15');
  expect((await describe16()).slice(3)).toEqual([
    'several gateways own the partitions 4,7: each stores all of their events',
  ]);
});

it('rejects if the servers do not answer', async () => {
  const transport = nats.connect();
  transport.disconnect();
  await expect(describeFleet(transport, FLEET, 1)).rejects.toMatchObject({ code: 'NATS_UNREACHABLE' });
});
