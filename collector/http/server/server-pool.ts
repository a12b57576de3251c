import type { Server } from 'node:net';
import type { Logger } from 'pino';
import { type Endpoint, parseEndpoint } from '../../../config/values/endpoint.js';
import { Meters } from '../../telemetry/meters.js';
import { endpointText } from '../endpoints/addresses.js';
import { type Certificates, createCertificates } from '../tls/certificates.js';
import type { DrainDeadline } from './drain-deadline.js';
import type { HttpMount, MountOptions } from './http-mount.js';
import { HttpServer } from './http-server.js';
import { type Listening, listen } from './listen.js';
import { SocketPool } from './socket-pool.js';

/** What components use of a server pool. */
export interface ServerPool {
  /** The certificates of all TLS endpoints, also of those without HTTP. */
  readonly certificates: Certificates;
  /** Listening sockets of endpoints without HTTP. */
  readonly sockets: SocketPool;
  /** Adds a mount to the server of an endpoint. */
  mount(endpoint: string, options: MountOptions): HttpMount;
}

/** A server pool that keeps sockets open over reloads: `begin`, add the next mounts, `cutOver` or `abandon`; then close and open mounts, and `release`. A failed reload may begin again before `release`. */
export interface ReloadableServerPool extends ServerPool {
  begin(): void;
  /** Discards the mounts added since `begin`. */
  abandon(): Promise<void>;
  /** Holds requests, and keeps sockets without mounts open. */
  cutOver(): void;
  /** Serves held requests by the new mounts, and closes endpoints without mounts. */
  release(): Promise<void>;
  /** Closes all servers. */
  close(): Promise<void>;
}

interface ServerPoolOptions {
  readonly drain: DrainDeadline;
  readonly logger: Logger;
  /** Default: meters that are not exported. */
  readonly meters?: Meters;
}

/** Creates an empty pool; nothing listens before a mount opens. */
export function createServerPool({ drain, logger, meters = new Meters() }: ServerPoolOptions): ReloadableServerPool {
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
    const existing = servers.get(key);
    if (existing !== undefined) return existing;
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
    certificates,
    sockets,
    mount: (endpoint, options) => serverAt(endpoint).addMount(options),
    begin(): void {
      isReloading = true;
      for (const server of servers.values()) server.begin();
    },
    async abandon(): Promise<void> {
      for (const server of servers.values()) server.abandon();
      await closeUnused();
    },
    cutOver(): void {
      for (const server of servers.values()) server.cutOver();
      sockets.cutOver();
    },
    async release(): Promise<void> {
      for (const server of servers.values()) server.release();
      sockets.release();
      await closeUnused();
    },
    async close(): Promise<void> {
      sockets.release();
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}
