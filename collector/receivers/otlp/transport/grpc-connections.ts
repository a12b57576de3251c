import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Endpoint } from '../../../../config/values/endpoint.js';
import { Fault } from '../../../../core/event/fault.js';
import { within } from '../../../../core/within.js';
import type { IncomingMessageState } from '../../../http/server/connection-limiter.js';
import type { EndpointLimits } from '../../../http/server/endpoint-limits.js';
import type { HeldSockets, SocketPool } from '../../../http/server/socket-pool.js';
import type { TlsTerminator } from '../../../http/tls/tls-terminator.js';
import { GrpcCall } from './grpc-call.js';

/** Limits and handler of the calls of a connection. */
interface GrpcCallOptions {
  readonly guard: EndpointLimits;
  /** Handles a call; calls `arrived` when its message is complete. Must not throw. */
  readonly handle: (call: GrpcCall, arrived: () => void) => Promise<void>;
  /** Called with the HTTP status of each response; undefined if the client disconnected first. */
  readonly onResponse: (status: number | undefined) => void;
}

const MAX_CONCURRENT_CALLS = 100;
/** An HTTP/2 client first sends a preface of 24 bytes and a SETTINGS frame of at least 9 (RFC 9113, 3.4). */
const PREFACE_BYTES = 33;
/** From GOAWAY on an idle connection until its socket is destroyed, at most; not longer than the idle timeout. */
const MAX_IDLE_GRACE_MS = 5_000;
/** Time for the client to read a refusal before its connection is closed. */
const LINGER_MS = 1_000;

/** A gRPC connection and its calls, as the endpoint's limits see them. */
export class GrpcConnection implements IncomingMessageState {
  readonly session: ServerHttp2Session;
  readonly #socket: Socket;
  readonly #secure: Socket;
  readonly #options: GrpcCallOptions;
  readonly #openedMs = performance.now();
  readonly #bytesBefore: number;
  /** Calls with an incomplete message and their start, oldest first. */
  readonly #arriving = new Map<GrpcCall, number>();
  #responding = 0;
  /** Undefined while a call runs. */
  #idleSinceMs: number | undefined = this.#openedMs;

  /** `socket` is the accepted socket, `secure` its TLS socket or itself. */
  constructor(secure: Socket, socket: Socket, options: GrpcCallOptions) {
    this.#socket = socket;
    this.#secure = secure;
    this.#options = options;
    this.#bytesBefore = secure.bytesRead;
    this.session = performServerHandshake(secure, { settings: { maxConcurrentStreams: MAX_CONCURRENT_CALLS } });
    // A broken connection ends its calls; nothing else needs cleanup.
    this.session.on('error', () => undefined);
    this.session.on('stream', (stream, headers) => this.#begin(stream, headers));
  }

  isComplete(): boolean {
    return this.#responding > 0 || this.#arriving.size === 0;
  }

  isReading(): boolean {
    return true;
  }

  /** Closes a connection that does not speak HTTP/2 or is idle for too long, and refuses slow messages. */
  checkTimeouts(): void {
    const now = performance.now();
    const { headersMs, requestMs, idleMs } = this.#options.guard.times;
    const isMute = this.#secure.bytesRead - this.#bytesBefore < PREFACE_BYTES && now - this.#openedMs > headersMs;
    const idleForMs = now - (this.#idleSinceMs ?? now);
    const [oldestMs = now] = this.#arriving.values();
    if (isMute || idleForMs > idleMs + Math.min(idleMs, MAX_IDLE_GRACE_MS)) this.#socket.destroy();
    else if (idleForMs > idleMs) this.session.close();
    else if (now - oldestMs > requestMs) this.respondWithFault(tooSlow(requestMs));
  }

  respondWithFault(fault: Fault): void {
    for (const call of [...this.#arriving.keys()]) call.fail(fault);
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }

  #begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const { guard, handle, onResponse } = this.#options;
    const call = new GrpcCall(stream, headers, (status) => {
      if (!this.#arriving.delete(call)) this.#responding--;
      this.#updateState();
      onResponse(status);
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

  /** Without a pending response, the client is the one to send. */
  #updateState(): void {
    if (this.#responding > 0) return;
    this.#options.guard.requestEnded(this.#socket, this);
    if (this.#arriving.size > 0) this.#options.guard.requestStarted(this.#socket, this);
    else this.#idleSinceMs = performance.now();
  }
}

function tooSlow(requestMs: number): Fault {
  return new Fault(
    'BODY_TOO_SLOW',
    `a message was incomplete after ${requestMs} ms: send it faster, or send less at a time`,
  );
}

interface GrpcConnectionsOptions extends GrpcCallOptions {
  readonly endpoint: Endpoint;
  readonly sockets: SocketPool;
  /** Called before listening; undefined: connections are not encrypted. */
  readonly openTls: () => Promise<TlsTerminator | undefined>;
  /** Called when a connection is not accepted. */
  readonly onFault: (error: unknown) => void;
}

const CHECK_INTERVAL_MS = 250;

/** The sockets and open connections of a gRPC endpoint; checks their timeouts. */
export class GrpcConnections {
  readonly #options: GrpcConnectionsOptions;
  readonly #open = new Set<GrpcConnection>();
  #timer: NodeJS.Timeout | undefined;
  #sockets: HeldSockets | undefined;
  #terminator: TlsTerminator | undefined;

  constructor(options: GrpcConnectionsOptions) {
    this.#options = options;
  }

  /** The real port after `open`. */
  get port(): number {
    return this.#sockets?.port ?? this.#options.endpoint.port;
  }

  /** Throws `LISTEN_FAILED`, and what `openTls` throws. */
  async open(): Promise<void> {
    const terminator = await this.#options.openTls();
    const { endpoint, sockets, guard, onFault } = this.#options;
    const take = (socket: Socket): void => {
      if (!guard.admit(socket)) return;
      if (terminator === undefined) this.#accept(socket, socket);
      else terminator.accept(socket, (secure) => this.#accept(secure, socket));
    };
    this.#terminator = terminator;
    this.#sockets = await sockets.listen({ endpoint, accept: take, onFault }).catch((error: unknown) => {
      terminator?.close();
      guard.close();
      throw error;
    });
    this.#timer = setInterval(() => {
      for (const connection of this.#open) connection.checkTimeouts();
    }, CHECK_INTERVAL_MS).unref();
  }

  /** Stops accepting, waits for running calls, and closes the rest after `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    this.#sockets?.close();
    this.#terminator?.close();
    clearInterval(this.#timer);
    const closed = [...this.#open].map(({ session }) => new Promise<void>((resolve) => session.close(resolve)));
    await within(timeoutMs, Promise.all(closed));
    const { guard } = this.#options;
    // Includes connections in their TLS handshake.
    guard.closeConnections();
    guard.close();
  }

  #accept(secure: Socket, socket: Socket): void {
    const connection = new GrpcConnection(secure, socket, this.#options);
    this.#open.add(connection);
    connection.session.once('close', () => this.#open.delete(connection));
  }
}
