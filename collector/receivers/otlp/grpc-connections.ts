import type { Socket } from 'node:net';
import type { Endpoint } from '../../../config/endpoint.js';
import type { EndpointGuard } from '../../http/endpoint-guard.js';
import type { HeldSockets, SocketPool } from '../../http/socket-pool.js';
import type { TlsFront } from '../../http/tls-front.js';
import type { GrpcWatch } from './grpc-watch.js';

/** What answers gRPC on connections that others accepted. */
export interface GrpcAnswerer {
  take(connection: Socket): void;
  /** Lets running calls end, and cuts off what is left after so many milliseconds. */
  close(timeoutMs: number): Promise<void>;
}

/** How the connections are answered. */
export interface GrpcConnectionsOptions {
  readonly endpoint: Endpoint;
  /** Component id of the receiver. */
  readonly owner: string;
  readonly sockets: SocketPool;
  /** Bounds them; both are closed with the connections. */
  readonly guard: EndpointGuard;
  readonly watch: GrpcWatch;
  /** Called before listening; undefined: connections are not encrypted. */
  readonly openTls: () => Promise<TlsFront | undefined>;
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
  #sockets: HeldSockets | undefined;
  #front: TlsFront | undefined;
  #answerer: Promise<GrpcAnswerer> | undefined;

  constructor(options: GrpcConnectionsOptions) {
    this.#options = options;
  }

  /** The real port once open. */
  get port(): number {
    return this.#sockets?.port ?? this.#options.endpoint.port;
  }

  /** Throws `LISTEN_FAILED`, and what `openTls` throws. */
  async open(): Promise<void> {
    const front = await this.#options.openTls();
    const { endpoint, owner, sockets, guard, onFault } = this.#options;
    const take = (socket: Socket): void => {
      if (!guard.admit(socket)) return;
      if (front === undefined) void this.#accept(socket, socket);
      else front.take(socket, (secure) => void this.#accept(secure, socket));
    };
    this.#front = front;
    this.#sockets = await sockets.listen({ endpoint, owner, take, onFault }).catch((error: unknown) => {
      front?.close();
      guard.close();
      throw error;
    });
  }

  /** Accepts no more, and ends what is there within so many milliseconds. */
  async close(timeoutMs: number): Promise<void> {
    // Where another holder goes on with the sockets, nobody is turned away: whoever waits for the library is answered and told to come again.
    if (this.#sockets?.close() === true && this.#waiting.size > 0) await this.#answerer?.catch(() => undefined);
    for (const socket of this.#waiting) socket.destroy();
    this.#front?.close();
    await (await this.#answerer?.catch(() => undefined))?.close(timeoutMs);
    const { guard, watch } = this.#options;
    // Those that never began a call are known to nobody else.
    guard.closeConnections();
    guard.close();
    watch.close();
  }

  /** `socket` is what calls are read from, `accepted` what it was made of. */
  async #accept(socket: Socket, accepted: Socket): Promise<void> {
    // Whoever goes away while the library is loaded is nobody's fault.
    socket.on('error', () => undefined);
    this.#waiting.add(socket);
    try {
      this.#answerer ??= this.#options.load();
      const answerer = await this.#answerer;
      if (socket.destroyed) return;
      this.#options.watch.add(socket, accepted);
      answerer.take(socket);
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
