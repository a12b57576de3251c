import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../../../../config/values/endpoint.js';
import { Fault } from '../../../../core/event/fault.js';
import type { IncomingMessageState } from '../../../http/server/connection-limiter.js';
import type { EndpointLimits } from '../../../http/server/endpoint-limits.js';
import type { HeldSockets, SocketPool } from '../../../http/server/socket-pool.js';
import type { TlsTerminator } from '../../../http/tls/tls-terminator.js';
import { GrpcCall } from './grpc-call.js';

/** How the calls of a connection are bounded and answered. */
export interface GrpcCallOptions {
  readonly guard: EndpointLimits;
  /** Answers a call, and says when its message has arrived. Must not throw. */
  readonly handle: (call: GrpcCall, arrived: () => void) => Promise<void>;
  /** Hears the status that HTTP has for each answer; undefined where the client left first. */
  readonly onResponse: (status: number | undefined) => void;
}

const MAX_CONCURRENT_CALLS = 100;
/** A client that speaks HTTP/2 sends a preface of 24 bytes and a SETTINGS frame of at least 9 before it waits for us (RFC 9113, 3.4). */
const PREFACE_BYTES = 33;
/** From the word that an idle connection is closed until it is cut off. */
const IDLE_GRACE_MS = 5_000;
/** After a refusal, before the connection is closed: so long has the client to read the answer. */
const LINGER_MS = 1_000;

/** A gRPC connection with its calls, as the bounds of its endpoint see it. */
export class GrpcConnection implements IncomingMessageState {
  readonly isTaken = true;
  readonly session: ServerHttp2Session;
  readonly #socket: Socket;
  readonly #secure: Socket;
  readonly #options: GrpcCallOptions;
  readonly #openedMs = performance.now();
  readonly #bytesBefore: number;
  /** Calls whose message is not whole, and since when; the oldest first. */
  readonly #arriving = new Map<GrpcCall, number>();
  #responding = 0;
  /** Undefined while there is a call. */
  #idleSinceMs: number | undefined = this.#openedMs;

  /** `socket` is as it was accepted, `secure` what TLS makes of it, or itself. */
  constructor(secure: Socket, socket: Socket, options: GrpcCallOptions) {
    this.#socket = socket;
    this.#secure = secure;
    this.#options = options;
    this.#bytesBefore = secure.bytesRead;
    this.session = performServerHandshake(secure, { settings: { maxConcurrentStreams: MAX_CONCURRENT_CALLS } });
    // A connection that breaks ends its calls, which is all there is to do.
    this.session.on('error', () => undefined);
    this.session.on('stream', (stream, headers) => this.#begin(stream, headers));
  }

  get isWhole(): boolean {
    return this.#responding > 0 || this.#arriving.size === 0;
  }

  /** Closes it where it does not begin to speak HTTP/2 or had no call for too long, and refuses messages that take too long. */
  look(): void {
    const now = performance.now();
    const { headersMs, requestMs, idleMs } = this.#options.guard.times;
    const isMute = this.#secure.bytesRead - this.#bytesBefore < PREFACE_BYTES && now - this.#openedMs > headersMs;
    const restsMs = now - (this.#idleSinceMs ?? now);
    const [oldestMs = now] = this.#arriving.values();
    if (isMute || restsMs > idleMs + IDLE_GRACE_MS) this.#socket.destroy();
    else if (restsMs > idleMs) this.session.close();
    else if (now - oldestMs > requestMs) this.refuse(tooSlow(requestMs));
  }

  refuse(fault: Fault): void {
    for (const call of [...this.#arriving.keys()]) call.fail(fault);
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }

  #begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const { guard, handle, onResponse: onAnswered } = this.#options;
    const call = new GrpcCall(stream, headers, (status) => {
      if (!this.#arriving.delete(call)) this.#responding--;
      this.#updateState();
      onAnswered(status);
    });
    if (this.#idleSinceMs !== undefined) guard.requestStarted(this.#socket, this);
    this.#idleSinceMs = undefined;
    this.#arriving.set(call, performance.now());
    const refusal = guard.refusalOf(this.#socket);
    if (refusal !== undefined) call.fail(refusal);
    else {
      void handle(call, () => {
        if (this.#arriving.delete(call)) this.#responding++;
      });
    }
  }

  /** With no answer to come from us, it is the client again who owes something. */
  #updateState(): void {
    if (this.#responding > 0) return;
    this.#options.guard.requestEnded(this.#socket, this);
    if (this.#arriving.size > 0) this.#options.guard.requestStarted(this.#socket, this);
    else this.#idleSinceMs = performance.now();
  }
}

function tooSlow(requestMs: number): Fault {
  return new Fault('BODY_TOO_SLOW', `a message was not whole after ${requestMs} ms: send it faster, or less at a time`);
}

/** How the connections are answered. */
export interface GrpcConnectionsOptions extends GrpcCallOptions {
  readonly endpoint: Endpoint;
  readonly sockets: SocketPool;
  /** Called before listening; undefined: connections are not encrypted. */
  readonly openTls: () => Promise<TlsTerminator | undefined>;
  /** Hears why a connection was not answered. */
  readonly onFault: (error: unknown) => void;
}

const CHECK_INTERVAL_MS = 250;

/** The sockets of a gRPC endpoint and its open connections, whose bounds it looks at. */
export class GrpcConnections {
  readonly #options: GrpcConnectionsOptions;
  readonly #open = new Set<GrpcConnection>();
  #timer: NodeJS.Timeout | undefined;
  #sockets: HeldSockets | undefined;
  #terminator: TlsTerminator | undefined;

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
    const { endpoint, sockets, guard, onFault } = this.#options;
    const take = (socket: Socket): void => {
      if (!guard.admit(socket)) return;
      if (front === undefined) this.#accept(socket, socket);
      else front.take(socket, (secure) => this.#accept(secure, socket));
    };
    this.#terminator = front;
    this.#sockets = await sockets.listen({ endpoint, take, onFault }).catch((error: unknown) => {
      front?.close();
      guard.close();
      throw error;
    });
    this.#timer = setInterval(() => {
      for (const connection of this.#open) connection.look();
    }, CHECK_INTERVAL_MS).unref();
  }

  /** Accepts no more, lets running calls end, and cuts off what is left after so many milliseconds. */
  async close(timeoutMs: number): Promise<void> {
    this.#sockets?.close();
    this.#terminator?.close();
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
