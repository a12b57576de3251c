import type { Server } from 'node:net';
import type { Logger } from 'pino';
import { type Endpoint, parseEndpoint } from '../../../config/values/endpoint.js';
import { createMeters, type Meters } from '../../telemetry/meters.js';
import { endpointText } from '../endpoints/addresses.js';
import { type Certificates, createCertificates } from '../tls/certificates.js';
import type { DrainDeadline } from './drain-deadline.js';
import type { HttpMount, MountOptions } from './http-mount.js';
import { HttpServer } from './http-server.js';
import { type Listening, listen } from './listen.js';
import { SocketPool } from './socket-pool.js';

/** The collector's HTTP servers, one per endpoint. */
export interface ServerPool {
  /** A mount on the server of this endpoint, which components of the same endpoint share. */
  mount(endpoint: string, options: MountOptions): HttpMount;
  /** The certificates of all endpoints that speak TLS, also of those that speak no HTTP. */
  readonly certificates: Certificates;
  /** Sockets of endpoints that speak no HTTP. */
  readonly sockets: SocketPool;
}

/**
 * The same for a collector that changes its line on sockets that stay open. Order: `begin`, then mounts of the next line are asked for, then `turn` or `abandon`; after
 * `turn` the mounts of the line before close and the new ones open, then `release`. A change that fails may begin again before `release`.
 */
export interface ChangingServerPool extends ServerPool {
  begin(): void;
  /** Forgets the mounts that were asked for since `begin`. */
  abandon(): Promise<void>;
  /** From now on requests wait, and no socket closes behind its last mount. */
  turn(): void;
  /** Gives requests to the new mounts, and closes endpoints that have none. */
  release(): Promise<void>;
  /** Closes what is left open. */
  close(): Promise<void>;
}

/** What a pool is built from. */
export interface ServerPoolOptions {
  readonly drain: DrainDeadline;
  readonly logger: Logger;
  /** Default: what is counted is told to nobody. */
  readonly meters?: Meters;
}

/** Builds an empty pool; nothing listens before a mount opens. */
export function createServerPool({ drain, logger, meters = createMeters() }: ServerPoolOptions): ChangingServerPool {
  const certificates = createCertificates(logger);
  const servers = new Map<string, HttpServer>();
  let isChanging = false;

  /** A port that only the line before used is taken from it. */
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
    if (isChanging) server.begin();
    servers.set(key, server);
    return server;
  };

  const closeUnused = async (): Promise<void> => {
    isChanging = false;
    const unused = [...servers.values()].filter((server) => server.isUnused);
    await Promise.all(unused.map((server) => server.close()));
  };

  return {
    certificates,
    sockets,
    mount: (text, options) => serverAt(text).addMount(options),
    begin() {
      isChanging = true;
      for (const server of servers.values()) server.begin();
    },
    async abandon() {
      for (const server of servers.values()) server.abandon();
      await closeUnused();
    },
    turn() {
      for (const server of servers.values()) server.turn();
      sockets.turn();
    },
    async release() {
      for (const server of servers.values()) server.release();
      sockets.release();
      await closeUnused();
    },
    async close() {
      sockets.release();
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}
