import type { Logger } from 'pino';
import { parseEndpoint } from '../../config/endpoint.js';
import { createMeters, type Meters } from '../telemetry/meters.js';
import { endpointText } from './addresses.js';
import { type Certificates, createCertificates } from './certificates.js';
import type { DrainClock } from './drain-clock.js';
import type { DoorOptions, HttpDoor } from './http-door.js';
import { HttpServer } from './http-server.js';
import { listen } from './listen.js';
import { createServerChange, type ServerChange } from './server-change.js';
import { createSocketPool, type SocketPool } from './socket-pool.js';

/** The collector's HTTP servers, one per endpoint. */
export interface ServerPool {
  /** A door on the server of this endpoint, which components of the same endpoint share. */
  door(endpoint: string, options: DoorOptions): HttpDoor;
  /** The certificates of all endpoints that speak TLS, also of those that speak no HTTP. */
  readonly certificates: Certificates;
  /** Sockets of endpoints that speak no HTTP. */
  readonly sockets: SocketPool;
}

/** The same for whoever changes the configuration. */
export interface ChangingServerPool extends ServerPool {
  /** Begins the one change that goes on at a time: doors that are asked for from now on serve when it is committed. */
  beginChange(): ServerChange;
}

/** What a pool is built from. */
export interface ServerPoolOptions {
  readonly drain: DrainClock;
  readonly logger: Logger;
  /** Default: what is counted is told to nobody. */
  readonly meters?: Meters;
}

/** Builds an empty pool; nothing listens before a door opens. */
export function createServerPool({ drain, logger, meters = createMeters() }: ServerPoolOptions): ChangingServerPool {
  const certificates = createCertificates(logger);
  const servers = new Map<string, HttpServer>();
  let change: ServerChange | undefined;
  const sockets = createSocketPool((owner) => change?.isLeaving(owner) === true);

  const serverAt = (text: string): HttpServer => {
    const endpoint = parseEndpoint(text);
    const key = endpointText(endpoint).toLowerCase();
    const known = servers.get(key);
    if (known !== undefined) return known;
    const server: HttpServer = new HttpServer({
      endpoint,
      drain,
      logger,
      certificates,
      meters,
      listen: (...wanted) => (change === undefined ? listen(...wanted) : change.listen(...wanted)),
      onClosed: () => {
        if (servers.get(key) === server) servers.delete(key);
      },
    });
    servers.set(key, server);
    return server;
  };

  return {
    certificates,
    sockets,
    door(text, options) {
      const server = serverAt(text);
      if (change !== undefined) server.doors.begin();
      return server.addDoor(options);
    },
    beginChange() {
      change = createServerChange(servers, logger, () => {
        change = undefined;
      });
      return change;
    },
  };
}
