import type { Socket } from 'node:net';
import { DEFAULT_CONNECTIONS } from '../../generated/default-connections.js';
import type { ConnectionSettings } from '../../generated/settings.js';
import type { Meters } from '../telemetry/meters.js';
import { boundsOf, type ConnectionTimes, timesOf } from './connection-bounds.js';
import type { Arrival } from './connection-guard.js';
import { ConnectionGuard, type EvictionReason } from './connection-guard.js';
import type { RequestFault } from './request-fault.js';
import { RequestRate } from './request-rate.js';

const EVICTION_REASONS: readonly EvictionReason[] = ['max_connections', 'max_connections_per_client', 'slow_body'];

/** The bounds that `connections` sets for one endpoint, and what is counted of them. Until something is adopted the defaults count. */
export class EndpointGuard {
  readonly #guard: ConnectionGuard;
  readonly #count: { evicted(reason: EvictionReason): void; rateLimited(): void; close(): void };
  #rate: RequestRate;
  #times: ConnectionTimes;

  /** `endpoint` is as an operator writes it, for metrics. */
  constructor(endpoint: string, meters: Meters, settings: ConnectionSettings = DEFAULT_CONNECTIONS) {
    const evicted = new Map(
      EVICTION_REASONS.map((reason) => [
        reason,
        meters.counter('faultline_http_evicted_connections', { endpoint, reason }),
      ]),
    );
    const countEvicted = (reason: EvictionReason): void => evicted.get(reason)?.add();
    this.#guard = new ConnectionGuard({ bounds: boundsOf(settings), onEvicted: countEvicted });
    this.#rate = rateOf(settings);
    this.#times = timesOf(settings);
    const limited = meters.counter('faultline_http_rate_limited_requests', { endpoint });
    const close = meters.gauge('faultline_http_connections', { endpoint }, () => this.#guard.count);
    this.#count = { evicted: countEvicted, rateLimited: () => limited.add(), close };
  }

  get times(): ConnectionTimes {
    return this.#times;
  }

  /** Other bounds count for connections and requests from now on. */
  adopt(settings: ConnectionSettings): void {
    this.#guard.adopt(boundsOf(settings));
    this.#rate = rateOf(settings);
    this.#times = timesOf(settings);
  }

  /** Counts an accepted connection; false when it was closed instead. */
  admit(socket: Socket): boolean {
    return this.#guard.admit(socket);
  }

  /** Another socket of the same connection: what TLS makes of it. */
  alias(secure: Socket, socket: Socket): void {
    this.#guard.alias(secure, socket);
  }

  /** Its client sends something, and has an answer to come. */
  sends(socket: Socket, arrival: Arrival): void {
    this.#guard.sends(socket, arrival);
  }

  /** The answer to what it sent is out, or is no longer waited for. */
  rests(socket: Socket, arrival: Arrival): void {
    this.#guard.rests(socket, arrival);
  }

  /** `RATE_LIMITED` where the client of a connection sends too many requests. */
  refusalOf(socket: Socket): RequestFault | undefined {
    const refusal = this.#rate.refusalOf(this.#guard.clientOf(socket));
    if (refusal !== undefined) this.#count.rateLimited();
    return refusal;
  }

  /** Closes every connection at once. */
  closeConnections(): void {
    this.#guard.closeConnections();
  }

  /** Once no connection is left. Safe twice. */
  close(): void {
    this.#guard.close();
    this.#count.close();
  }
}

function rateOf({ requests_per_second: requestsPerSecond, request_burst: burst }: ConnectionSettings): RequestRate {
  return new RequestRate({ requestsPerSecond, burst });
}
