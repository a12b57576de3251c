import type { QueryExtensionSettings } from '../../config/settings.js';
import type { Component } from '../component.js';
import type { ServerPool } from '../http/server-pool.js';
import type { ReadingSources } from '../query/reading-router.js';

/** What a query extension is built from. */
export interface QueryExtensionOptions extends ReadingSources {
  /** Component id, `query` or `query/name`. */
  readonly id: string;
  readonly settings: QueryExtensionSettings;
  readonly servers: ServerPool;
}

/** Extension `query`: serves what was collected, design section 6 "Reading". */
export interface QueryExtension extends Component {
  /** Base address with the real port once started, for example `http://localhost:4319`. */
  readonly url: string;
}

/** Builds the extension and takes its paths. Throws `ROUTE_TAKEN`. */
export function createQueryExtension(options: QueryExtensionOptions): QueryExtension {
  const { id, settings, servers } = options;
  const door = servers.door(settings.endpoint, { component: id, allowedHosts: settings.allowed_hosts });
  door.mount('/api/v1', async () => {
    const { createReadingRouter } = await import('../query/reading-router.js');
    return createReadingRouter(options);
  });
  return {
    get url() {
      return door.url;
    },
    start: () => door.open(),
    shutdown: () => door.close(),
  };
}
