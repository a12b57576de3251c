import { DEFAULT_CONNECTIONS } from '../../generated/default-connections.js';
import type { AuthSettings, CorsSettings } from '../../generated/settings.js';

const NO_AUTH: AuthSettings = {};

/** The schema's defaults of an endpoint, without a token. */
export const OPEN_ENDPOINT = { auth: NO_AUTH, allow_without_token: false, connections: DEFAULT_CONNECTIONS };

const NO_ORIGINS: CorsSettings = { allowed_origins: [], allowed_headers: [], max_age: '2h' };

/** The schema's defaults of the query endpoint, on a free port. */
export const OPEN_QUERY = {
  endpoint: '127.0.0.1:0',
  allowed_hosts: [],
  ...OPEN_ENDPOINT,
  actions_auth: NO_AUTH,
  cors: NO_ORIGINS,
  peers: [],
  repositories: [],
};
