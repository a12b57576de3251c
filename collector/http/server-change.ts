import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Endpoint } from '../../config/endpoint.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import type { HttpServer } from './http-server.js';
import { type Listening, listen } from './listen.js';

/** One change of what the collector's servers serve. Order: `settle` once all doors were asked for, then doors open, then `commit` or `abort`. */
export interface ServerChange {
  /** Says which components leave, and judges what is served then. Throws `ROUTE_TAKEN`. */
  settle(leaving: ReadonlySet<string>): void;
  isLeaving(component: string): boolean;
  /** As `listen`; a port that only components hold which leave is taken from them. */
  listen(endpoint: Endpoint, createServer: () => Server): Promise<Listening<Server>>;
  /** In one turn: from here on requests find the doors that came, and those that stayed. The doors that leave are to be closed then. */
  commit(): void;
  /** Takes all of it back; the doors that came are closed already. */
  abort(): Promise<void>;
}

/** Begins a change of these servers, of which new ones may come; `onEnd` is called when it is over. */
export function createServerChange(servers: Map<string, HttpServer>, logger: Logger, onEnd: () => void): ServerChange {
  const before = new Set(servers.values());
  const released = new Set<HttpServer>();
  let left: ReadonlySet<string> = new Set();
  for (const server of before) server.doors.begin();

  const giveBack = async (server: HttpServer): Promise<void> => {
    released.delete(server);
    await server.listenAgain().catch((error: unknown) => logger.error({ err: error }, 'an endpoint is lost'));
  };

  return {
    settle(leaving) {
      left = leaving;
      for (const server of servers.values()) server.doors.settle(({ options }) => leaving.has(options.component));
    },
    isLeaving: (component) => left.has(component),
    async listen(endpoint, createServer) {
      try {
        return await listen(endpoint, createServer);
      } catch (error) {
        const going = [...before].filter((server) => server.doors.isGoing && server.port === endpoint.port);
        if (going.length === 0 || !(error instanceof Error) || !hasCode(error.cause, 'EADDRINUSE')) throw error;
        for (const server of going) server.release();
        try {
          const listening = await listen(endpoint, createServer);
          for (const server of going) released.add(server);
          return listening;
        } catch (again) {
          await Promise.all(going.map(giveBack));
          throw again;
        }
      }
    },
    commit() {
      for (const server of servers.values()) server.doors.commit();
      onEnd();
    },
    async abort() {
      for (const [key, server] of servers) {
        if (before.has(server)) continue;
        servers.delete(key);
        server.discard();
      }
      onEnd();
      await Promise.all([...released].map(giveBack));
      await Promise.all([...before].map((server) => server.abort()));
    },
  };
}
