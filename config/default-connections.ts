// Generated from schema.json by `npm run schema`. Change the schema, not this file.
import type { ConnectionSettings } from './settings.js';

/** The defaults of ConnectionSettings. */
export const DEFAULT_CONNECTIONS: ConnectionSettings = {
  max_connections: 2048,
  max_connections_per_client: 0,
  read_header_timeout: '15s',
  read_timeout: '5m',
  min_body_rate: '256B',
  idle_timeout: '65s',
  requests_per_second: 0,
  request_burst: 100,
};
