import { createServer, type Server, type Socket } from 'node:net';
import type { Endpoint } from '../../../config/values/endpoint.js';
import { endpointText } from '../endpoints/addresses.js';
import type { Listening } from './listen.js';

interface SocketHolder {
  readonly endpoint: Endpoint;
  readonly accept: (connection: Socket) => void;
  /** Called with the error when a connection could not be accepted. */
  readonly onFault: (error: unknown) => void;
}

/** Listening sockets with a holder. */
export interface HeldSockets {
  /** The bound port. */
  readonly port: number;
  /** Closes the sockets, except during a reload. Idempotent. */
  close(): void;
}

/** Held connections of one endpoint; more are closed. */
const MAX_WAITING = 4_096;

interface Entry {
  readonly key: string;
  readonly listening: Listening<Server>;
  holder: SocketHolder | undefined;
  /** Connections accepted during a reload. */
  readonly waiting: Socket[];
}

/** Listening sockets with one holder each. During a reload they stay open without one, and connections are held. */
export class SocketPool {
  readonly #listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>;
  readonly #entries = new Set<Entry>();
  #isReloading = false;

  /** `listen` opens a server on every address of an endpoint. */
  constructor(listen: (endpoint: Endpoint, createServer: () => Server) => Promise<Listening<Server>>) {
    this.#listen = listen;
  }

  /** Holds connections, and keeps sockets without a holder open. */
  cutOver(): void {
    this.#isReloading = true;
  }

  /** Hands held connections to the new holders, and closes sockets without one. */
  release(): void {
    this.#isReloading = false;
    for (const { holder, waiting } of this.#entries) {
      if (holder !== undefined) for (const socket of waiting.splice(0)) if (!socket.destroyed) holder.accept(socket);
    }
    this.#closeWithoutHolder(() => true);
  }

  /** Closes the sockets without a holder on a port. */
  free(port: number): void {
    this.#closeWithoutHolder(({ listening }) => listening.port === port);
  }

  /** Throws `LISTEN_FAILED`. */
  async listen(holder: SocketHolder): Promise<HeldSockets> {
    const key = endpointText(holder.endpoint).toLowerCase();
    const open = [...this.#entries].find((entry) => entry.key === key && entry.holder === undefined);
    const entry = open ?? (await this.#open(key, holder.endpoint));
    entry.holder = holder;
    return {
      port: entry.listening.port,
      close: () => {
        if (entry.holder === holder) entry.holder = undefined;
        if (!this.#isReloading) this.#closeWithoutHolder((other) => other === entry);
      },
    };
  }

  async #open(key: string, endpoint: Endpoint): Promise<Entry> {
    const accept = (socket: Socket): void => {
      if (!this.#isReloading && entry.holder !== undefined) entry.holder.accept(socket);
      else if (entry.waiting.length < MAX_WAITING) entry.waiting.push(socket);
      else socket.destroy();
    };
    const listening = await this.#listen(endpoint, () => createServer(accept));
    const entry: Entry = { key, listening, holder: undefined, waiting: [] };
    for (const server of listening.servers) server.on('error', (error) => entry.holder?.onFault(error));
    this.#entries.add(entry);
    return entry;
  }

  #closeWithoutHolder(isMeant: (entry: Entry) => boolean): void {
    for (const entry of this.#entries) {
      if (entry.holder !== undefined || !isMeant(entry)) continue;
      this.#entries.delete(entry);
      for (const server of entry.listening.servers) server.close();
      for (const socket of entry.waiting) socket.destroy();
    }
  }
}
