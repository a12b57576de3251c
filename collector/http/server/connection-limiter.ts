import { isIPv6, type Socket } from 'node:net';
import { parseSize } from '../../../config/values/size.js';
import { Fault } from '../../../core/event/fault.js';
import type { ConnectionSettings } from '../../../generated/settings.js';

/** The /64 network of an IPv6 address, which usually belongs to one subscriber. */
const NETWORK_GROUPS = 4;
const MAPPED = '::ffff:';

/** Why the limiter closed a connection, for the counter. */
export type EvictionReason = 'max_connections' | 'max_connections_per_client' | 'slow_body';

/** The state of an incoming message, in any protocol. */
export interface IncomingMessageState {
  /** True when the message is complete, so that the response is due. */
  isComplete(): boolean;
  /** False while we apply backpressure. */
  isReading(): boolean;
  /** Responds with the fault instead of waiting for the rest. */
  respondWithFault(fault: Fault): void;
}

interface TrackedConnection {
  /** The accepted socket, below TLS. */
  readonly socket: Socket;
  readonly client: string;
  /** The message being received or processed; undefined between requests. */
  message: IncomingMessageState | undefined;
  /** Checks since the message began. */
  checks: number;
  /** Bytes read from the socket at the last measurement. */
  bytes: number;
  /** Whether its body was refused as too slow; the client has one more span to read the response. */
  isRefused: boolean;
}

const CHECK_INTERVAL_MS = 1_000;

/** Checks over which a body's rate is averaged; the first span is not judged. */
const CHECKS_PER_SPAN = 10;

/** The connections of one endpoint. At the limit the oldest is evicted that has no response in progress. */
export class ConnectionLimiter {
  /** They apply to future connections. */
  protected settings: ConnectionSettings;
  readonly #onEvicted: (reason: EvictionReason) => void;
  readonly #checkIntervalMs: number;
  readonly #bySocket = new Map<Socket, TrackedConnection>();
  readonly #perClient = new Map<string, number>();
  /** Evictable connections, oldest first; those with a response in progress are skipped when found. */
  readonly #evictable = new Set<TrackedConnection>();
  #timer: NodeJS.Timeout | undefined;
  /** The number of open connections. */
  count = 0;

  /** `checkIntervalMs` is the interval of body rate checks: the second of `min_body_rate`. */
  constructor(
    settings: ConnectionSettings,
    onEvicted: (reason: EvictionReason) => void,
    checkIntervalMs = CHECK_INTERVAL_MS,
  ) {
    this.settings = settings;
    this.#onEvicted = onEvicted;
    this.#checkIntervalMs = checkIntervalMs;
  }

  /** Adds an accepted connection; returns false if it was closed instead. */
  admit(socket: Socket): boolean {
    const client = clientKey(socket.remoteAddress);
    const { max_connections: most, max_connections_per_client: mostOfClient } = this.settings;
    if (client === undefined) return refuse(socket);
    const ofClient = this.#perClient.get(client) ?? 0;
    if (mostOfClient > 0 && ofClient >= mostOfClient) {
      this.#onEvicted('max_connections_per_client');
      return refuse(socket);
    }
    if (this.count >= most) {
      this.#onEvicted('max_connections');
      if (!this.#evictOldest()) return refuse(socket);
    }
    this.#add({ socket, client, message: undefined, checks: 0, bytes: 0, isRefused: false }, ofClient);
    return true;
  }

  /** Adds the TLS socket of a connection. */
  alias(secure: Socket, socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    this.#bySocket.set(secure, connection);
    secure.once('close', () => this.#bySocket.delete(secure));
  }

  /** Called when a message begins. */
  requestStarted(socket: Socket, arrival: IncomingMessageState): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    connection.message = arrival;
    connection.checks = 0;
    connection.isRefused = false;
  }

  /** Called when the response is sent or its connection closed. */
  requestEnded(socket: Socket, arrival: IncomingMessageState): void {
    const connection = this.#bySocket.get(socket);
    // A TLS socket may outlive its connection briefly.
    if (connection === undefined || !this.#bySocket.has(connection.socket)) return;
    // With pipelining another request may have begun.
    if (connection.message === arrival) connection.message = undefined;
    this.#evictable.delete(connection);
    this.#evictable.add(connection);
  }

  /** The client key of a connection. */
  clientOf(socket: Socket): string {
    return this.#bySocket.get(socket)?.client ?? '';
  }

  /** Closes every connection, also those in a TLS handshake. */
  closeConnections(): void {
    for (const socket of this.#bySocket.keys()) socket.destroy();
  }

  /** Stops the body rate checks. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #add(connection: TrackedConnection, ofClient: number): void {
    const { socket, client } = connection;
    this.#timer ??= setInterval(() => this.#checkBodyRates(), this.#checkIntervalMs).unref();
    this.count++;
    this.#bySocket.set(socket, connection);
    this.#perClient.set(client, ofClient + 1);
    this.#evictable.add(connection);
    socket.once('close', () => this.#forget(connection));
  }

  #forget(connection: TrackedConnection): void {
    const { socket, client } = connection;
    if (!this.#bySocket.delete(socket)) return;
    this.count--;
    this.#evictable.delete(connection);
    const left = (this.#perClient.get(client) ?? 0) - 1;
    if (left > 0) this.#perClient.set(client, left);
    else this.#perClient.delete(client);
  }

  #evictOldest(): boolean {
    for (const connection of this.#evictable) {
      this.#evictable.delete(connection);
      // A response is in progress; `requestEnded` puts it back at the end.
      if (connection.message?.isComplete() === true) continue;
      // The close event comes later, but the slot is free now.
      this.#forget(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #checkBodyRates(): void {
    const minBodyRate = parseSize(this.settings.min_body_rate);
    if (minBodyRate > 0) checkBodyRate(this.#evictable, minBodyRate, () => this.#onEvicted('slow_body'));
  }
}

function refuse(socket: Socket): false {
  socket.destroy();
  return false;
}

/** Refuses bodies slower than `minBodyRate` bytes a second, and closes connections that are still as slow one span later. Call once a second. */
function checkBodyRate(connections: Iterable<TrackedConnection>, minBodyRate: number, onSlow: () => void): void {
  for (const connection of connections) {
    const { message: arrival, socket } = connection;
    // Not reading is our backpressure, not a slow sender.
    if (arrival === undefined || arrival.isComplete() || !arrival.isReading()) continue;
    if (connection.checks === 0) connection.bytes = socket.bytesRead;
    connection.checks++;
    if (connection.checks % CHECKS_PER_SPAN !== 0) continue;
    const arrived = socket.bytesRead - connection.bytes;
    connection.bytes = socket.bytesRead;
    if (connection.checks === CHECKS_PER_SPAN || arrived >= minBodyRate * CHECKS_PER_SPAN) continue;
    if (connection.isRefused) {
      socket.destroy();
      continue;
    }
    connection.isRefused = true;
    onSlow();
    const sentence = `the body arrived slower than ${minBodyRate} bytes a second for ${CHECKS_PER_SPAN} s: send it faster, or less at a time`;
    arrival.respondWithFault(new Fault('BODY_TOO_SLOW', sentence));
  }
}

/** The key of a client: its IPv4 address or the first 64 bits of its IPv6 address; undefined if the connection is closed. */
export function clientKey(remoteAddress: string | undefined): string | undefined {
  if (remoteAddress === undefined) return undefined;
  if (remoteAddress.startsWith(MAPPED)) return remoteAddress.slice(MAPPED.length);
  if (!isIPv6(remoteAddress)) return remoteAddress;
  const [head = '', tail] = (remoteAddress.split('%', 1)[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...new Array<string>(Math.max(0, missing)).fill('0'), ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
