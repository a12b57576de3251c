import type { FailureChanges } from '../../core/reader.js';
import type { QueryExtensionSettings } from '../../generated/settings.js';
import type { Component, ComponentContext } from '../component.js';
import { ChangeStreams, type StreamBounds } from '../query/change-streams.js';
import { createReadingCallers } from '../query/reading-callers.js';
import { createReadingPages } from '../query/reading-pages.js';
import type { ReadingSources } from '../query/reading-router.js';

/** What a query extension serves. */
export interface QueriedSources extends Omit<ReadingSources, 'streams' | 'mayAct'> {
  readonly changes: () => FailureChanges;
}

/** Extension `query`: serves what was collected, design section 6 "Reading". */
export interface QueryExtension extends Component {
  /** Base address with the real port once started, for example `http://localhost:4319`. */
  readonly url: string;
}

/** Builds the extension and takes its paths. Throws `ROUTE_TAKEN`. */
export function createQueryExtension(
  id: string,
  settings: QueryExtensionSettings,
  context: QueriedSources & Pick<ComponentContext, 'servers' | 'authenticatorOf'>,
  streamBounds: StreamBounds = {},
): QueryExtension {
  const { servers, authenticatorOf, changes, regroupings } = context;
  const streams = new ChangeStreams(changes, streamBounds);
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
    return createReadingRouter({ ...context, streams, mayAct: callers.mayAct });
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
