import type { Socket } from 'node:net';
import { DEFAULT_CONNECTIONS } from '../../generated/default-connections.js';
import type { ConnectionSettings } from '../../generated/settings.js';
import type { Counter, Meters } from '../telemetry/meters.js';
import { boundsOf, type ConnectionTimes, timesOf } from './connection-bounds.js';
import { ConnectionGuard, type EvictionReason } from './connection-guard.js';
import type { RequestFault } from './request-fault.js';
import { RequestRate } from './request-rate.js';

const EVICTION_REASONS: readonly EvictionReason[] = ['max_connections', 'max_connections_per_client', 'slow_body'];

/** The connections of one endpoint within the bounds that `connections` sets, and what is counted of them. Until something is adopted the defaults count. */
export class EndpointGuard extends ConnectionGuard {
  readonly #rateLimited: Counter;
  readonly #removeGauge: () => void;
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
    super(boundsOf(settings), (reason) => evicted.get(reason)?.add());
    this.#rate = rateOf(settings);
    this.#times = timesOf(settings);
    this.#rateLimited = meters.counter('faultline_http_rate_limited_requests', { endpoint });
    this.#removeGauge = meters.gauge('faultline_http_connections', { endpoint }, () => this.count);
  }

  get times(): ConnectionTimes {
    return this.#times;
  }

  /** Other bounds count for connections and requests from now on. */
  adopt(settings: ConnectionSettings): void {
    this.adoptBounds(boundsOf(settings));
    this.#rate = rateOf(settings);
    this.#times = timesOf(settings);
  }

  /** `RATE_LIMITED` where the client of a connection sends too many requests. */
  refusalOf(socket: Socket): RequestFault | undefined {
    const refusal = this.#rate.refusalOf(this.clientOf(socket));
    if (refusal !== undefined) this.#rateLimited.add();
    return refusal;
  }

  /** Once no connection is left. Safe twice. */
  override close(): void {
    super.close();
    this.#removeGauge();
  }
}

function rateOf({ requests_per_second: requestsPerSecond, request_burst: burst }: ConnectionSettings): RequestRate {
  return new RequestRate(requestsPerSecond, burst);
}
