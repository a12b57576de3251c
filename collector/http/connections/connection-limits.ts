import { parseDuration } from '../../../config/values/duration.js';
import { parseSize } from '../../../config/values/size.js';
import type { ConnectionSettings } from '../../../generated/settings.js';

/** Bounds on the connections of one endpoint. */
export interface ConnectionBounds {
  readonly maxConnections: number;
  /** 0: no bound. */
  readonly maxConnectionsPerClient: number;
  /** Bytes of a body in a second, after its first ten; 0: no bound. */
  readonly minBodyRate: number;
}

/** How long clients of an endpoint may take, milliseconds. */
export interface ConnectionTimes {
  /** For a handshake, and for the headers of a request. */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** Between requests. */
  readonly idleMs: number;
}

/** How many connections an endpoint takes, and how slow a body may be. */
export function boundsOf(settings: ConnectionSettings): ConnectionBounds {
  return {
    maxConnections: settings.max_connections,
    maxConnectionsPerClient: settings.max_connections_per_client,
    minBodyRate: parseSize(settings.min_body_rate),
  };
}

/** How long its clients may take. */
export function timesOf(settings: ConnectionSettings): ConnectionTimes {
  const requestMs = parseDuration(settings.read_timeout);
  return {
    requestMs,
    // node:http judges a whole request no earlier than its headers.
    headersMs: Math.min(parseDuration(settings.read_header_timeout), requestMs),
    idleMs: parseDuration(settings.idle_timeout),
  };
}
