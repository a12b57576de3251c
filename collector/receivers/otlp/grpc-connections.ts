import { createServer, type Server, type Socket } from 'node:net';
import type { Endpoint } from '../../../config/endpoint.js';
import { type Listening, listen } from '../../http/listen.js';

/** What answers gRPC on connections that others accepted. */
export interface GrpcAnswerer {
  take(connection: Socket): void;
  /** Lets running calls end, and cuts off what is left after so many milliseconds. */
  close(timeoutMs: number): Promise<void>;
}

/** How the connections are answered. */
export interface GrpcConnectionsOptions {
  readonly endpoint: Endpoint;
  /** Called for the first connection. */
  readonly load: () => Promise<GrpcAnswerer>;
  /** Hears why a connection was not answered. */
  readonly onFault: (error: unknown) => void;
}

/**
 * The sockets of a gRPC endpoint. They listen before the library is there, which takes longer to load than everything else that the collector starts
 * with: the first connection waits for it.
 */
export class GrpcConnections {
  readonly #options: GrpcConnectionsOptions;
  readonly #waiting = new Set<Socket>();
  #listening: Listening<Server> | undefined;
  #answerer: Promise<GrpcAnswerer> | undefined;

  constructor(options: GrpcConnectionsOptions) {
    this.#options = options;
  }

  /** The real port once open. */
  get port(): number {
    return this.#listening?.port ?? this.#options.endpoint.port;
  }

  /** Throws `LISTEN_FAILED`. */
  async open(): Promise<void> {
    this.#listening = await listen(this.#options.endpoint, () => createServer((socket) => void this.#accept(socket)));
    for (const server of this.#listening.servers) server.on('error', this.#options.onFault);
  }

  /** Accepts no more, and ends what is there within so many milliseconds. */
  async close(timeoutMs: number): Promise<void> {
    for (const server of this.#listening?.servers ?? []) server.close();
    for (const socket of this.#waiting) socket.destroy();
    await (await this.#answerer?.catch(() => undefined))?.close(timeoutMs);
  }

  async #accept(socket: Socket): Promise<void> {
    // Whoever goes away while the library is loaded is nobody's fault.
    socket.on('error', () => undefined);
    this.#waiting.add(socket);
    try {
      this.#answerer ??= this.#options.load();
      const answerer = await this.#answerer;
      if (!socket.destroyed) answerer.take(socket);
    } catch (error) {
      // For example no file could be opened just now: the next connection tries again.
      this.#answerer = undefined;
      socket.destroy();
      this.#options.onFault(error);
    } finally {
      this.#waiting.delete(socket);
    }
  }
}
