/** The connection to real servers keeps the contract that other tests rely on. */
import pino from 'pino';
import { openNats } from '../../../collector/nats/nats-transport.js';
import { NATS_SERVER, type NatsServer, startNatsServers } from '../../helpers/nats/nats-servers.js';
import { describeTransport } from '../../helpers/nats/transport-contract.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';

const logger = pino({ level: 'silent' });

if (NATS_SERVER === undefined || process.env['FAULTLINE_SYSTEM_TESTS'] === undefined) {
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
}
