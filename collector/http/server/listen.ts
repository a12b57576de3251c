import type { Server } from 'node:net';
import type { Endpoint } from '../../../config/values/endpoint.js';
import { Fault } from '../../../core/event/fault.js';
import { codeOf, hasCode } from '../../../core/storage/files/system-error.js';
import { bindAddresses, endpointText } from '../endpoints/addresses.js';

/** Attempts to find a port that is free on both 127.0.0.1 and ::1. */
const FREE_PORT_ATTEMPTS = 5;
/** Beyond it Linux drops SYNs, which clients repeat; not above the default of `max_connections`, whose excess would be closed unread. */
const BACKLOG = 2_048;
/** On a machine without IPv6 or IPv4 one of the two loopback addresses is missing. */
const ADDRESS_MISSING: readonly string[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses the port; stop it, or choose another with --port',
  EACCES: 'permission denied; choose a port above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the name does not resolve',
};

export interface Listening<Kind extends Server> {
  readonly servers: readonly Kind[];
  readonly port: number;
}

/** Listens on every address of the endpoint, all on one port. Throws `LISTEN_FAILED`; then no server is left open. */
export async function listen<Kind extends Server>(
  endpoint: Endpoint,
  createServer: () => Kind,
): Promise<Listening<Kind>> {
  for (let attempt = 1; ; attempt++) {
    const servers: Kind[] = [];
    try {
      return { servers, port: await bindAll(endpoint, createServer, servers) };
    } catch (error) {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      const code = codeOf(error) ?? 'UNKNOWN';
      if (endpoint.port === 0 && code === 'EADDRINUSE' && attempt < FREE_PORT_ATTEMPTS) continue;
      const reason = HINTS[code] ?? code;
      throw new Fault('LISTEN_FAILED', `cannot listen on ${endpointText(endpoint)}: ${reason}`, {
        cause: error,
      });
    }
  }
}

async function bindAll<Kind extends Server>(
  endpoint: Endpoint,
  createServer: () => Kind,
  opened: Kind[],
): Promise<number> {
  const addresses = bindAddresses(endpoint);
  let port = endpoint.port;
  let missing: unknown;
  for (const address of addresses) {
    const server = createServer();
    try {
      port = await bind(server, address, port);
      opened.push(server);
    } catch (error) {
      if (!hasCode(error, ...ADDRESS_MISSING)) throw error;
      missing = error;
    }
  }
  if (opened.length === 0) throw missing;
  return port;
}

function bind(server: Server, host: string | undefined, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, backlog: BACKLOG, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}
