import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { parseDuration } from '../../../config/values/duration.js';
import { DEFAULT_CONNECTIONS } from '../../../generated/default-connections.js';
import type { ConnectionSettings } from '../../../generated/settings.js';
import type { Counter, Meters } from '../../telemetry/meters.js';
import { RequestFault } from '../messages/http-fault.js';
import { ConnectionLimiter, type EvictionReason } from './connection-limiter.js';

/** Timeouts for clients of an endpoint, milliseconds. */
interface ConnectionTimes {
  /** For a TLS handshake, and for the headers of a request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Between requests. */
  readonly idleMs: number;
}

const EVICTION_REASONS: readonly EvictionReason[] = ['max_connections', 'max_connections_per_client', 'slow_body'];
/** Clients with a bucket; beyond it the least recently active one is forgotten, and starts with a full bucket. */
const MAX_CLIENTS = 10_000;

/** Limits connections and request rates of one endpoint by its `connections` settings, and counts evictions. Uses the defaults until `adopt`. */
export class EndpointLimits extends ConnectionLimiter {
  readonly #rateLimited: Counter;
  readonly #removeGauge: () => void;
  #rateRefusalOf;
  times: ConnectionTimes;

  /** `endpoint` is the configured text, for metrics. */
  constructor(endpoint: string, meters: Meters, settings: ConnectionSettings = DEFAULT_CONNECTIONS) {
    const evicted = (reason: EvictionReason) =>
      meters.counter('faultline_http_evicted_connections', { endpoint, reason });
    // Created up front, so that the first eviction shows as an increase.
    for (const reason of EVICTION_REASONS) evicted(reason);
    super(settings, (reason) => evicted(reason).add());
    this.#rateRefusalOf = createRequestRate(settings);
    this.times = timesOf(settings);
    this.#rateLimited = meters.counter('faultline_http_rate_limited_requests', { endpoint });
    this.#removeGauge = meters.gauge('faultline_http_connections', { endpoint }, () => this.count);
  }

  /** Applies new settings to future connections and requests. */
  adopt(settings: ConnectionSettings): void {
    this.settings = settings;
    this.#rateRefusalOf = createRequestRate(settings);
    this.times = timesOf(settings);
  }

  /** `RATE_LIMITED` if the client exceeds its request rate. */
  refusalOf(socket: Socket): RequestFault | undefined {
    const refusal = this.#rateRefusalOf(this.clientOf(socket));
    if (refusal !== undefined) this.#rateLimited.add();
    return refusal;
  }

  /** Call when no connection is left. Idempotent. */
  override close(): void {
    super.close();
    this.#removeGauge();
  }
}

function timesOf(settings: ConnectionSettings): ConnectionTimes {
  const requestMs = parseDuration(settings.read_timeout);
  return {
    requestMs,
    // node:http requires that the headers' timeout is not above the request's.
    headersMs: Math.min(parseDuration(settings.read_header_timeout), requestMs),
    idleMs: parseDuration(settings.idle_timeout),
  };
}

/** Creates a token bucket for each client; `nowMs` is monotonic. */
export function createRequestRate(
  settings: Pick<ConnectionSettings, 'requests_per_second' | 'request_burst'>,
  nowMs = () => performance.now(),
) {
  const { requests_per_second: perSecond, request_burst: burst } = settings;
  const buckets = new LRUCache<string, { tokens: number; filledAtMs: number }>({
    maxSize: MAX_CLIENTS,
    sizeCalculation: () => 1,
  });

  /** Consumes a token of a client: undefined, or `RATE_LIMITED` with the seconds until the next token. */
  return (client: string): RequestFault | undefined => {
    if (perSecond === 0) return undefined;
    const now = nowMs();
    const bucket = buckets.get(client) ?? { tokens: burst, filledAtMs: now };
    buckets.set(client, bucket);
    const filled = bucket.tokens + ((now - bucket.filledAtMs) / 1_000) * perSecond;
    bucket.tokens = Math.min(burst, filled);
    bucket.filledAtMs = now;
    if (bucket.tokens < 1) return rateLimited(Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= 1;
    return undefined;
  };
}

function rateLimited(seconds: number): RequestFault {
  const sentence = `this address exceeds its request rate; send again in ${seconds} s, and more events in each request`;
  return new RequestFault('RATE_LIMITED', sentence, { retryable: true, headers: { 'retry-after': String(seconds) } });
}
