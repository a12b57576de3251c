import { DEFAULT_CONNECTIONS } from '../../generated/default-connections.js';
import type { AuthSettings, CorsSettings } from '../../generated/settings.js';

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
