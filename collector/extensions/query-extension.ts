import type { FailureChanges } from '../../core/reader.js';
import type { QueryExtensionSettings } from '../../generated/settings.js';
import type { Component } from '../component.js';
import type { FindAuthenticator } from '../http/authenticator.js';
import type { ServerPool } from '../http/server-pool.js';
import { ChangeStreams, type ChangeStreamsOptions } from '../query/change-streams.js';
import { createReadingCallers } from '../query/reading-callers.js';
import { createReadingPages } from '../query/reading-pages.js';
import type { ReadingSources } from '../query/reading-router.js';

/** What a query extension is built from. */
export interface QueryExtensionOptions extends Omit<ReadingSources, 'streams' | 'mayAct'> {
  /** Component id, `query` or `query/name`. */
  readonly id: string;
  readonly settings: QueryExtensionSettings;
  readonly servers: ServerPool;
  readonly authenticatorOf: FindAuthenticator;
  readonly changes: () => FailureChanges;
  /** Bounds of streams, default: those of the product. */
  readonly streamBounds?: Omit<ChangeStreamsOptions, 'changes'>;
}

/** Extension `query`: serves what was collected, design section 6 "Reading". */
export interface QueryExtension extends Component {
  /** Base address with the real port once started, for example `http://localhost:4319`. */
  readonly url: string;
}

/** Builds the extension and takes its paths. Throws `ROUTE_TAKEN`. */
export function createQueryExtension(options: QueryExtensionOptions): QueryExtension {
  const { id, settings, servers, authenticatorOf, changes, regroupings, streamBounds } = options;
  const streams = new ChangeStreams({ ...streamBounds, changes });
  const callers = createReadingCallers(authenticatorOf(settings.auth), authenticatorOf(settings.actions_auth));
  const door = servers.door(settings.endpoint, {
    component: id,
    allowedHosts: settings.allowed_hosts,
    cors: createReadingPages(settings.cors),
    transport: { tls: settings.tls, connections: settings.connections },
    auth: callers.refusalOf,
  });
  door.mount('/api/v1', async () => {
    const { createReadingRouter } = await import('../query/reading-router.js');
    return createReadingRouter({ ...options, streams, mayAct: callers.mayAct });
  });
  return {
    get url() {
      return door.url;
    },
    start: () => door.open(),
    shutdown: async () => {
      streams.close();
      await Promise.all([regroupings.close(), door.close()]);
    },
  };
}
