import { parseDuration } from '../../../config/values/duration.js';
import { parseSize } from '../../../config/values/size.js';
import type { ConnectionSettings } from '../../../generated/settings.js';

/** Limits on the connections of one endpoint. */
export interface ConnectionBounds {
  readonly maxConnections: number;
  /** 0: unlimited. */
  readonly maxConnectionsPerClient: number;
  /** Bytes per second of a body, after its first ten seconds; 0: unlimited. */
  readonly minBodyRate: number;
}

/** Timeouts for clients of an endpoint, milliseconds. */
export interface ConnectionTimes {
  /** For a TLS handshake, and for the headers of a request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Between requests. */
  readonly idleMs: number;
}

export function boundsOf(settings: ConnectionSettings): ConnectionBounds {
  return {
    maxConnections: settings.max_connections,
    maxConnectionsPerClient: settings.max_connections_per_client,
    minBodyRate: parseSize(settings.min_body_rate),
  };
}

export function timesOf(settings: ConnectionSettings): ConnectionTimes {
  const requestMs = parseDuration(settings.read_timeout);
  return {
    requestMs,
    // node:http requires that the headers' timeout is not above the request's.
    headersMs: Math.min(parseDuration(settings.read_header_timeout), requestMs),
    idleMs: parseDuration(settings.idle_timeout),
  };
}
