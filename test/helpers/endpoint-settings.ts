import type { AuthSettings, ConnectionSettings, CorsSettings } from '../../config/settings.js';

/** The defaults of the schema for the bounds of an endpoint. */
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

const NOBODY_ASKED: AuthSettings = {};

/** An endpoint that anybody on this machine may call, as the schema's defaults have it. */
export const OPEN_ENDPOINT = { auth: NOBODY_ASKED, allow_without_token: false, connections: DEFAULT_CONNECTIONS };

const NO_PAGES: CorsSettings = { allowed_origins: [], allowed_headers: [], max_age: '2h' };

/** The same of the reading endpoint, on a free port. */
export const OPEN_QUERY = {
  endpoint: '127.0.0.1:0',
  allowed_hosts: [],
  ...OPEN_ENDPOINT,
  actions_auth: NOBODY_ASKED,
  cors: NO_PAGES,
};
