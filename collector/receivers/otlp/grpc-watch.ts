import type { Socket } from 'node:net';
import { Fault } from '../../../core/event/fault.js';
import { type ConnectionEnds, connectionKey } from '../../http/connection-key.js';
import type { EndpointGuard } from '../../http/endpoint-guard.js';
import { GrpcConnection } from './grpc-connection.js';

/** What connections are watched by. */
export interface GrpcWatchOptions {
  readonly guard: EndpointGuard;
  /** Most bytes of unfinished messages, over all connections. */
  readonly maxHeldBytes: number;
  /** Milliseconds of one look, default 250. */
  readonly lookMs?: number;
  /** Clock in milliseconds, default monotonic. */
  readonly nowMs?: () => number;
}

/** A client that speaks HTTP/2 sends a preface of 24 bytes and a SETTINGS frame of at least 9 before it waits for us (RFC 9113, 3.4). */
const PREFACE_BYTES = 33;
const LOOK_MS = 250;
/** The library closes idle connections by itself, with a word to the client first; what is still there so much later did not listen. */
const IDLE_GRACE_MS = 5_000;

interface Watched {
  readonly connection: GrpcConnection;
  /** What HTTP/2 is read from. */
  readonly stream: Socket;
  readonly sinceMs: number;
  /** Of the stream at that time. */
  readonly bytes: number;
}

/**
 * Looks at the connections of a gRPC endpoint from outside of the library, which bounds neither how slowly a client begins nor what its unfinished messages take.
 * Closes one that does not begin to speak HTTP/2, has had no call for too long, or sends a message for too long, and those that hold most where all hold too much.
 */
export class GrpcWatch {
  readonly #options: GrpcWatchOptions;
  readonly #nowMs: () => number;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: GrpcWatchOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Follows a connection until it is closed. `stream` is what TLS makes of `socket`, or itself. */
  add(stream: Socket, socket: Socket): void {
    const { guard, lookMs = LOOK_MS } = this.#options;
    const key = connectionKey(stream);
    const connection = new GrpcConnection(socket, guard, this.#nowMs);
    const watched = { connection, stream, sinceMs: this.#nowMs(), bytes: stream.bytesRead };
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
    this.#watched.set(key, watched);
    socket.once('close', () => {
      if (this.#watched.get(key) === watched) this.#watched.delete(key);
    });
  }

  /** The connection of a call; undefined where it is gone. */
  of(ends: ConnectionEnds): GrpcConnection | undefined {
    return this.#watched.get(connectionKey(ends))?.connection;
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = this.#nowMs();
    let heldBytes = 0;
    for (const watched of this.#watched.values()) {
      this.#judge(watched, now);
      heldBytes += watched.connection.heldBytes;
    }
    if (heldBytes > this.#options.maxHeldBytes) this.#closeHolders(heldBytes);
  }

  #judge({ connection, stream, sinceMs, bytes }: Watched, now: number): void {
    const { headersMs, requestMs, idleMs } = this.#options.guard.times;
    const { restsSinceMs, arrivesSinceMs } = connection;
    const isMute = stream.bytesRead - bytes < PREFACE_BYTES && now - sinceMs > headersMs;
    const isIdle = restsSinceMs !== undefined && now - restsSinceMs > idleMs + IDLE_GRACE_MS;
    if (isMute || isIdle) connection.socket.destroy();
    else if (arrivesSinceMs !== undefined && now - arrivesSinceMs > requestMs) connection.refuse(tooSlow(requestMs));
  }

  #closeHolders(heldBytes: number): void {
    const { guard, maxHeldBytes } = this.#options;
    const holders = [...this.#watched.values()].map(({ connection }) => ({ connection, bytes: connection.heldBytes }));
    let left = heldBytes;
    for (const { connection, bytes } of holders.sort((one, other) => other.bytes - one.bytes)) {
      if (left <= maxHeldBytes) return;
      left -= bytes;
      guard.evictHolder(connection.socket);
    }
  }
}

function tooSlow(requestMs: number): Fault {
  return new Fault('BODY_TOO_SLOW', `a message was not whole after ${requestMs} ms: send it faster, or less at a time`);
}
