import { createServer, type Server, type Socket } from 'node:net';
import type { Endpoint } from '../../../config/values/endpoint.js';
import { endpointText } from '../endpoints/addresses.js';
import type { Listening } from './listen.js';

/** Who wants the connections of an endpoint that it shares with nobody. */
export interface SocketHolder {
  readonly endpoint: Endpoint;
  readonly take: (connection: Socket) => void;
  /** Hears why a connection could not be accepted. */
  readonly onFault: (error: unknown) => void;
}

/** Sockets that somebody holds. */
export interface HeldSockets {
  /** The real one. */
  readonly port: number;
  /** Closes the sockets, unless the line changes. Safe twice. */
  close(): void;
}

/** Of one endpoint; what comes beyond is closed. */
const MAX_WAITING = 4_096;

interface Entry {
  readonly key: string;
  readonly listening: Listening<Server>;
  holder: SocketHolder | undefined;
  /** Connections that came while the line changes. */
  readonly waiting: Socket[];
}

/** Listening sockets of which each has one holder. While the line changes they stay open without one, and connections that come wait. */
export class SocketPool {
  readonly #listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>;
  readonly #entries = new Set<Entry>();
  #isChanging = false;

  /** `listen` opens a server on every address of an endpoint. */
  constructor(listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>) {
    this.#listen = listen;
  }

  /** From now on connections wait, and sockets without a holder stay open. */
  turn(): void {
    this.#isChanging = true;
  }

  /** Gives connections to the holders of now, and closes sockets that have none. */
  release(): void {
    this.#isChanging = false;
    for (const { holder, waiting } of this.#entries) {
      if (holder !== undefined) for (const socket of waiting.splice(0)) if (!socket.destroyed) holder.take(socket);
    }
    this.#closeUnheld(() => true);
  }

  /** Gives up a port that nobody holds. */
  free(port: number): void {
    this.#closeUnheld(({ listening }) => listening.port === port);
  }

  /** Throws `LISTEN_FAILED`. */
  async listen(holder: SocketHolder): Promise<HeldSockets> {
    const key = endpointText(holder.endpoint).toLowerCase();
    const known = [...this.#entries].find((entry) => entry.key === key && entry.holder === undefined);
    const entry = known ?? (await this.#open(key, holder.endpoint));
    entry.holder = holder;
    return {
      port: entry.listening.port,
      close: () => {
        if (entry.holder === holder) entry.holder = undefined;
        if (!this.#isChanging) this.#closeUnheld((other) => other === entry);
      },
    };
  }

  async #open(key: string, endpoint: Endpoint): Promise<Entry> {
    const accept = (socket: Socket): void => {
      if (!this.#isChanging && entry.holder !== undefined) entry.holder.take(socket);
      else if (entry.waiting.length < MAX_WAITING) entry.waiting.push(socket);
      else socket.destroy();
    };
    const listening = await this.#listen(endpoint, () => createServer(accept));
    const entry: Entry = { key, listening, holder: undefined, waiting: [] };
    for (const server of listening.servers) server.on('error', (error) => entry.holder?.onFault(error));
    this.#entries.add(entry);
    return entry;
  }

  #closeUnheld(isMeant: (entry: Entry) => boolean): void {
    for (const entry of this.#entries) {
      if (entry.holder !== undefined || !isMeant(entry)) continue;
      this.#entries.delete(entry);
      for (const server of entry.listening.servers) server.close();
      for (const socket of entry.waiting) socket.destroy();
    }
  }
}
