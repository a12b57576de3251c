import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a port that is free now, for settings that need it before a server listens. Rejects if `wanted` is taken. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
