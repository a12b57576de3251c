import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../../../config/endpoint.js';
import type { HeldSockets, SocketPool } from '../../http/socket-pool.js';
import type { TlsFront } from '../../http/tls-front.js';
import { type GrpcCallOptions, GrpcConnection } from './grpc-connection.js';

/** How the connections are answered. */
export interface GrpcConnectionsOptions extends GrpcCallOptions {
  readonly endpoint: Endpoint;
  /** Component id of the receiver. */
  readonly owner: string;
  readonly sockets: SocketPool;
  /** Called before listening; undefined: connections are not encrypted. */
  readonly openTls: () => Promise<TlsFront | undefined>;
  /** Hears why a connection was not answered. */
  readonly onFault: (error: unknown) => void;
}

const LOOK_MS = 250;

/** The sockets of a gRPC endpoint and its open connections, whose bounds it looks at. */
export class GrpcConnections {
  readonly #options: GrpcConnectionsOptions;
  readonly #open = new Set<GrpcConnection>();
  #timer: NodeJS.Timeout | undefined;
  #sockets: HeldSockets | undefined;
  #front: TlsFront | undefined;

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
      if (front === undefined) this.#accept(socket, socket);
      else front.take(socket, (secure) => this.#accept(secure, socket));
    };
    this.#front = front;
    this.#sockets = await sockets.listen({ endpoint, owner, take, onFault }).catch((error: unknown) => {
      front?.close();
      guard.close();
      throw error;
    });
    this.#timer = setInterval(() => {
      for (const connection of this.#open) connection.look();
    }, LOOK_MS).unref();
  }

  /** Accepts no more, lets running calls end, and cuts off what is left after so many milliseconds. */
  async close(timeoutMs: number): Promise<void> {
    this.#sockets?.close();
    this.#front?.close();
    clearInterval(this.#timer);
    const late = new AbortController();
    const closed = [...this.#open].map(({ session }) => new Promise<void>((resolve) => session.close(resolve)));
    await Promise.race([
      Promise.all(closed),
      delay(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    const { guard } = this.#options;
    // Those in their handshake are known to nobody else.
    guard.closeConnections();
    guard.close();
  }

  /** `secure` is what calls are read from, `socket` what it was made of. */
  #accept(secure: Socket, socket: Socket): void {
    const connection = new GrpcConnection(secure, socket, this.#options);
    this.#open.add(connection);
    connection.session.once('close', () => this.#open.delete(connection));
  }
}
