/** The connection to real servers keeps the contract that other tests rely on. */
import pino from 'pino';
import { openNats } from '../../../collector/nats/nats-transport.js';
import { killLeftoverProcesses, startCollector, stop } from '../../helpers/faultline-process.js';
import { NATS_SERVER, type NatsServer, startNatsServers } from '../../helpers/nats/nats-servers.js';
import { describeTransport } from '../../helpers/nats/transport-contract.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

const logger = pino({ level: 'silent' });

if (NATS_SERVER === undefined) {
  it.skip('needs nats-server', () => undefined);
} else {
  describeTransport('NATS JetStream', async () => {
    const servers: readonly NatsServer[] = await startNatsServers(1);
    return {
      connect: () =>
        openNats(
          { servers: servers.map(({ url }) => url), tls: { insecure_skip_verify: false } },
          { key: 'exporters.nats', logger },
        ),
      close: async () => {
        await Promise.all(servers.map((server) => server.kill('SIGTERM')));
        await removeTemporaryFolders();
      },
    };
  });

  it('lets a gateway stop completely while it begins to receive', async () => {
    const [server] = await startNatsServers(1);
    const settings = [
      `receivers.nats.servers=${JSON.stringify([server?.url])}`,
      'receivers.nats.replicas=1',
      'service.pipelines.events.receivers=[events, nats]',
    ].map((set) => `--set=${set}`);
    try {
      const gateway = await startCollector(await temporaryFolder(), settings);
      expect(await stop(gateway)).toMatchObject({ code: 0 });
    } finally {
      killLeftoverProcesses();
      await server?.kill();
      await removeTemporaryFolders();
    }
  });
}
