import { createServer, type Server, type Socket } from 'node:net';
import type { Endpoint } from '../../config/endpoint.js';
import { endpointText } from './addresses.js';
import { type Listening, listen } from './listen.js';

/** Who wants the connections of an endpoint that it shares with nobody. */
export interface SocketHolder {
  readonly endpoint: Endpoint;
  /** Component id. */
  readonly owner: string;
  readonly take: (connection: Socket) => void;
  /** Hears why a connection could not be accepted. */
  readonly onFault: (error: unknown) => void;
}

/** Sockets that somebody holds. */
export interface HeldSockets {
  /** The real one. */
  readonly port: number;
  /** Gives the sockets to whoever waits for them, else closes them; answers whether they went on. Safe twice. */
  close(): boolean;
}

/**
 * Listening sockets of which each has one holder at a time. While the configuration changes, a holder that comes for the endpoint of one that leaves takes
 * over its sockets when that one closes: no connection is refused in between.
 */
export interface SocketPool {
  /** Throws `LISTEN_FAILED`. */
  listen(holder: SocketHolder): Promise<HeldSockets>;
}

interface Entry {
  readonly key: string;
  readonly listening: Listening<Server>;
  /** The first one takes the connections. */
  readonly holders: SocketHolder[];
}

/** Builds a pool without sockets; `isLeaving` tells which owners leave just now. */
export function createSocketPool(isLeaving: (owner: string) => boolean): SocketPool {
  const entries = new Set<Entry>();

  const hold = (entry: Entry, holder: SocketHolder): HeldSockets => ({
    port: entry.listening.port,
    close() {
      const place = entry.holders.indexOf(holder);
      if (place >= 0) entry.holders.splice(place, 1);
      if (entry.holders.length > 0) return true;
      if (entries.delete(entry)) for (const server of entry.listening.servers) server.close();
      return false;
    },
  });

  return {
    async listen(holder) {
      const key = endpointText(holder.endpoint).toLowerCase();
      const known = [...entries].find(
        ({ key: other, holders: [first, next] }) =>
          other === key && next === undefined && isLeaving(first?.owner ?? ''),
      );
      if (known !== undefined) {
        known.holders.push(holder);
        return hold(known, holder);
      }
      const holders = [holder];
      const listening = await listen(holder.endpoint, () => createServer((socket) => holders[0]?.take(socket)));
      for (const server of listening.servers) server.on('error', (error) => holders[0]?.onFault(error));
      const entry = { key, listening, holders };
      entries.add(entry);
      return hold(entry, holder);
    },
  };
}
