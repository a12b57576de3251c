import type { Socket } from 'node:net';
import { Fault } from '../../../core/event/fault.js';
import { clientKey } from './client-key.js';
import type { ConnectionBounds } from './connection-limits.js';

/** Why a connection was closed by us, for the counter. */
export type EvictionReason = 'max_connections' | 'max_connections_per_client' | 'slow_body';

/** What a client sends over a connection just now, whatever protocol it speaks. */
export interface IncomingMessageState {
  /** True once all of it is here, so that it is we who owe something: an answer. */
  readonly isWhole: boolean;
  /** False while we hold the sender back. */
  readonly isTaken: boolean;
  /** Answers with the fault instead of waiting for the rest. */
  refuse(fault: Fault): void;
}

/** What a guard knows of one connection. */
interface TrackedConnection {
  /** As it was accepted. */
  readonly socket: Socket;
  readonly client: string;
  /** What it sends now; undefined before the first request, and once the latest was answered. */
  arrival: IncomingMessageState | undefined;
  /** Looks since what it sends began. */
  looks: number;
  /** Bytes of the socket when they were last counted. */
  bytes: number;
  /** Whether what it sends was refused for being slow, so that it has one more span for the answer. */
  isRefused: boolean;
}

const LOOK_MS = 1_000;

/** Over so many looks a body's rate is an average; the first span is not judged. */
const LOOKS_OF_SPAN = 10;

/**
 * The connections of one endpoint, over all of its servers. One that we are answering is left alone; all others owe us something: a handshake, a
 * request, or the rest of one. Where there are too many, the one that owes longest is closed for the new one.
 */
export class ConnectionLimiter {
  #bounds: ConnectionBounds;
  readonly #onEvicted: (reason: EvictionReason) => void;
  readonly #lookMs: number;
  readonly #bySocket = new Map<Socket, TrackedConnection>();
  readonly #perClient = new Map<string, number>();
  /** Those that owe us something, the longest first; also such that we are answering, until somebody looks. */
  readonly #owing = new Set<TrackedConnection>();
  #timer: NodeJS.Timeout | undefined;
  #count = 0;

  /** `lookMs` is the time of one look at the bodies that arrive: the second of `minBodyRate`. */
  constructor(bounds: ConnectionBounds, onEvicted: (reason: EvictionReason) => void, lookMs = LOOK_MS) {
    this.#bounds = bounds;
    this.#onEvicted = onEvicted;
    this.#lookMs = lookMs;
  }

  /** Open connections. */
  get count(): number {
    return this.#count;
  }

  /** Other bounds count for connections that come from now on. */
  protected adoptBounds(bounds: ConnectionBounds): void {
    this.#bounds = bounds;
  }

  /** Counts an accepted connection; false when it was closed instead. */
  admit(socket: Socket): boolean {
    const client = clientKey(socket.remoteAddress);
    const { maxConnections, maxConnectionsPerClient } = this.#bounds;
    if (client === undefined) return refuse(socket);
    const ofClient = this.#perClient.get(client) ?? 0;
    if (maxConnectionsPerClient > 0 && ofClient >= maxConnectionsPerClient) {
      this.#onEvicted('max_connections_per_client');
      return refuse(socket);
    }
    if (this.#count >= maxConnections) {
      this.#onEvicted('max_connections');
      if (!this.#closeOne()) return refuse(socket);
    }
    this.#add({ socket, client, arrival: undefined, looks: 0, bytes: 0, isRefused: false }, ofClient);
    return true;
  }

  /** Another socket of the same connection: what TLS makes of it. */
  alias(secure: Socket, socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    this.#bySocket.set(secure, connection);
    secure.once('close', () => this.#bySocket.delete(secure));
  }

  /** Its client sends something, and has an answer to come. */
  requestStarted(socket: Socket, arrival: IncomingMessageState): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    connection.arrival = arrival;
    connection.looks = 0;
    connection.isRefused = false;
  }

  /** The answer to what it sent is out, or is no longer waited for. */
  requestEnded(socket: Socket, arrival: IncomingMessageState): void {
    const connection = this.#bySocket.get(socket);
    // What TLS made of a connection may outlive it by a moment.
    if (connection === undefined || !this.#bySocket.has(connection.socket)) return;
    // Another one may have begun before (pipelining).
    if (connection.arrival === arrival) connection.arrival = undefined;
    this.#owing.delete(connection);
    this.#owing.add(connection);
  }

  /** By whom the requests of a connection are counted. */
  clientOf(socket: Socket): string {
    return this.#bySocket.get(socket)?.client ?? '';
  }

  /** Closes every connection at once, also those in their handshake, of which no server knows. */
  closeConnections(): void {
    for (const socket of this.#bySocket.keys()) socket.destroy();
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #add(connection: TrackedConnection, ofClient: number): void {
    const { socket, client } = connection;
    this.#timer ??= setInterval(() => this.#look(), this.#lookMs).unref();
    this.#count++;
    this.#bySocket.set(socket, connection);
    this.#perClient.set(client, ofClient + 1);
    this.#owing.add(connection);
    socket.once('close', () => this.#forget(connection));
  }

  #forget(connection: TrackedConnection): void {
    const { socket, client } = connection;
    if (!this.#bySocket.delete(socket)) return;
    this.#count--;
    this.#owing.delete(connection);
    const left = (this.#perClient.get(client) ?? 0) - 1;
    if (left > 0) this.#perClient.set(client, left);
    else this.#perClient.delete(client);
  }

  #closeOne(): boolean {
    for (const connection of this.#owing) {
      this.#owing.delete(connection);
      // It owes nothing while we answer; it comes back behind the others when the answer is out.
      if (connection.arrival?.isWhole === true) continue;
      // Its close is told later; the room is there now.
      this.#forget(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #look(): void {
    const { minBodyRate } = this.#bounds;
    if (minBodyRate > 0) lookForSlowBodies(this.#owing, minBodyRate, () => this.#onEvicted('slow_body'));
  }
}

function refuse(socket: Socket): false {
  socket.destroy();
  return false;
}

/**
 * One look, a second after the one before, at connections whose bodies are to come at `minBodyRate` bytes a second. A slow body is refused, and told to `onSlow`; where
 * the connection is as slow a span later, it is closed.
 */
function lookForSlowBodies(connections: Iterable<TrackedConnection>, minBodyRate: number, onSlow: () => void): void {
  for (const connection of connections) {
    const { arrival, socket } = connection;
    // What we do not take is held back by us.
    if (arrival === undefined || arrival.isWhole || !arrival.isTaken) continue;
    if (connection.looks === 0) connection.bytes = socket.bytesRead;
    connection.looks++;
    if (connection.looks % LOOKS_OF_SPAN !== 0) continue;
    const arrived = socket.bytesRead - connection.bytes;
    connection.bytes = socket.bytesRead;
    if (connection.looks === LOOKS_OF_SPAN || arrived >= minBodyRate * LOOKS_OF_SPAN) continue;
    if (connection.isRefused) {
      socket.destroy();
      continue;
    }
    connection.isRefused = true;
    onSlow();
    arrival.refuse(bodyTooSlow(minBodyRate));
  }
}

function bodyTooSlow(minBodyRate: number): Fault {
  const sentence = `the body came slower than ${minBodyRate} bytes a second for ${LOOKS_OF_SPAN} s: send it faster, or less at a time`;
  return new Fault('BODY_TOO_SLOW', sentence);
}
