import type { Logger } from 'pino';
import { parseEndpoint } from '../../config/endpoint.js';
import { endpointText } from './addresses.js';
import type { DrainClock } from './drain-clock.js';
import type { DoorOptions, HttpDoor } from './http-door.js';
import { HttpServer } from './http-server.js';

/** The collector's HTTP servers, one per endpoint. */
export interface ServerPool {
  /** A door on the server of this endpoint, which components of the same endpoint share. */
  door(endpoint: string, options: DoorOptions): HttpDoor;
}

/** Builds an empty pool; nothing listens before a door opens. */
export function createServerPool({ drain, logger }: { drain: DrainClock; logger: Logger }): ServerPool {
  const servers = new Map<string, HttpServer>();
  return {
    door(text, options) {
      const endpoint = parseEndpoint(text);
      const key = endpointText(endpoint).toLowerCase();
      const server = servers.get(key) ?? new HttpServer(endpoint, drain, logger);
      servers.set(key, server);
      return server.addDoor(options);
    },
  };
}
