import type { Server } from 'node:net';
import type { Logger } from 'pino';
import { type Endpoint, parseEndpoint } from '../../../config/values/endpoint.js';
import { createMeters, type Meters } from '../../telemetry/meters.js';
import { endpointText } from '../endpoints/addresses.js';
import { createCertificates } from '../tls/certificates.js';
import type { DrainDeadline } from './drain-deadline.js';
import type { HttpMount, MountOptions } from './http-mount.js';
import { HttpServer } from './http-server.js';
import { type Listening, listen } from './listen.js';
import { SocketPool } from './socket-pool.js';

/** What components use of a server pool. */
export type ServerPool = Pick<ReloadableServerPool, 'mount' | 'certificates' | 'sockets'>;

/** A server pool that keeps sockets open over reloads: `begin`, add the next mounts, `cutOver` or `abandon`; then close and open mounts, and `release`. A failed reload may begin again before `release`. */
export type ReloadableServerPool = ReturnType<typeof createServerPool>;

interface ServerPoolOptions {
  readonly drain: DrainDeadline;
  readonly logger: Logger;
  /** Default: meters that are not exported. */
  readonly meters?: Meters;
}

/** Creates an empty pool; nothing listens before a mount opens. */
export function createServerPool({ drain, logger, meters = createMeters() }: ServerPoolOptions) {
  const certificates = createCertificates(logger);
  const servers = new Map<string, HttpServer>();
  let isReloading = false;

  /** Closes sockets on the port that only the previous pipelines used. */
  const listenAt = <Kind extends Server>(endpoint: Endpoint, createServer: () => Kind): Promise<Listening<Kind>> => {
    for (const server of servers.values()) if (server.isUnused && server.port === endpoint.port) void server.close();
    sockets.free(endpoint.port);
    return listen(endpoint, createServer);
  };
  const sockets = new SocketPool(listenAt);

  const serverAt = (text: string): HttpServer => {
    const endpoint = parseEndpoint(text);
    const key = endpointText(endpoint).toLowerCase();
    const known = servers.get(key);
    if (known !== undefined) return known;
    const onClosed = (): void => void servers.delete(key);
    const server = new HttpServer({ endpoint, drain, logger, certificates, meters, listen: listenAt, onClosed });
    if (isReloading) server.begin();
    servers.set(key, server);
    return server;
  };

  const closeUnused = async (): Promise<void> => {
    isReloading = false;
    const unused = [...servers.values()].filter((server) => server.isUnused);
    await Promise.all(unused.map((server) => server.close()));
  };

  return {
    /** The certificates of all TLS endpoints, also of those without HTTP. */
    certificates,
    /** Listening sockets of endpoints without HTTP. */
    sockets,
    /** Adds a mount to the server of an endpoint. */
    mount: (endpoint: string, options: MountOptions): HttpMount => serverAt(endpoint).addMount(options),
    begin(): void {
      isReloading = true;
      for (const server of servers.values()) server.begin();
    },
    /** Discards the mounts added since `begin`. */
    async abandon(): Promise<void> {
      for (const server of servers.values()) server.abandon();
      await closeUnused();
    },
    /** Holds requests, and keeps sockets without mounts open. */
    cutOver(): void {
      for (const server of servers.values()) server.cutOver();
      sockets.cutOver();
    },
    /** Serves held requests by the new mounts, and closes endpoints without mounts. */
    async release(): Promise<void> {
      for (const server of servers.values()) server.release();
      sockets.release();
      await closeUnused();
    },
    /** Closes all servers. */
    async close(): Promise<void> {
      sockets.release();
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}
