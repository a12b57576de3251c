import type { IncomingMessage } from 'node:http';
import type { FailureChanges } from '../../core/contract/reader.js';
import type { CorsSettings, QueryExtensionSettings } from '../../generated/settings.js';
import type { Component, ComponentContext } from '../component/component.js';
import type { Authenticator } from '../http/messages/authenticator.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { type CorsPolicy, createCorsPolicy } from '../http/messages/request-guard.js';
import { ChangeStreams, type StreamBounds } from '../query/change-streams.js';
import type { ReadingSources } from '../query/reading-router.js';

/** What a query extension serves. */
export interface QuerySources extends Omit<ReadingSources, 'streams' | 'mayAct'> {
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
  context: QuerySources & Pick<ComponentContext, 'servers' | 'authenticatorOf'>,
  streamBounds: StreamBounds = {},
): QueryExtension {
  const { servers, authenticatorOf, changes, regroupings } = context;
  const streams = new ChangeStreams(changes, streamBounds);
  const callers = createReadingAccess(authenticatorOf(settings.auth), authenticatorOf(settings.actions_auth));
  const mount = servers.mount(settings.endpoint, {
    component: id,
    allowedHosts: settings.allowed_hosts,
    cors: createReadingPages(settings.cors),
    transport: { tls: settings.tls, connections: settings.connections },
    auth: callers.refusalOf,
  });
  mount.addRouter('/api/v1', async () => {
    const { createReadingRouter } = await import('../query/reading-router.js');
    return createReadingRouter({ ...context, streams, mayAct: callers.mayAct });
  });
  return {
    get url() {
      return mount.url;
    },
    start: () => mount.open(),
    shutdown: async () => {
      streams.close();
      await Promise.all([regroupings.close(), mount.close()]);
    },
  };
}

/** Who may read and who may act. */
interface ReadingAccess {
  /** Undefined for a request that may pass. `TOKEN_MISSING`, `TOKEN_WRONG`, and `TOKEN_MAY_NOT_ACT` for one that acts with a token for reading. */
  refusalOf(request: IncomingMessage): RequestFault | undefined;
  /** Whether the sender of a request could act too. */
  mayAct(request: IncomingMessage): boolean;
}

/** Methods that change nothing. */
const READING: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/**
 * Judges by two authenticators: `reading` lets read, and act where there is no `acting`; `acting` lets do both. Where neither is there anybody may do everything,
 * and where only `acting` is there anybody may read.
 */
function createReadingAccess(reading: Authenticator | undefined, acting: Authenticator | undefined): ReadingAccess {
  const readingRefusal = (authorization: string | undefined): RequestFault | undefined => {
    const refusal = reading?.refusalOf(authorization);
    const isLetIn = refusal === undefined || (acting !== undefined && acting.refusalOf(authorization) === undefined);
    return isLetIn ? undefined : refusal;
  };
  const actingRefusal = (authorization: string | undefined): RequestFault | undefined => {
    if (acting === undefined) return readingRefusal(authorization);
    const refusal = acting.refusalOf(authorization);
    if (refusal === undefined) return undefined;
    const isReader = reading !== undefined && reading.refusalOf(authorization) === undefined;
    return isReader ? mayNotAct() : refusal;
  };
  return {
    refusalOf: ({ method, headers }) =>
      READING.has(method) ? readingRefusal(headers.authorization) : actingRefusal(headers.authorization),
    mayAct: ({ headers }) => actingRefusal(headers.authorization) === undefined,
  };
}

function mayNotAct(): RequestFault {
  const sentence = 'this token lets read only: act with one of those that actions_auth of this endpoint names';
  return new RequestFault('TOKEN_MAY_NOT_ACT', sentence);
}

/** What pages that read and act set, and what they read. */
const PROTOCOL = { headers: ['authorization', 'last-event-id'], exposed: ['retry-after', 'www-authenticate'] };

/** The CORS policy of the reading endpoint: as settings say, and pages of its own address, which is no other origin. */
function createReadingPages(settings: CorsSettings): CorsPolicy {
  const others = createCorsPolicy(settings, PROTOCOL);
  return {
    judge(request, response) {
      if (!isOwnOrigin(request)) others.judge(request, response);
    },
    answerPreflight: others.answerPreflight,
  };
}

/** Whether a page of this very address sends the request. */
function isOwnOrigin({ headers: { origin, host }, socket }: IncomingMessage): boolean {
  if (origin === undefined || host === undefined) return false;
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  return origin.toLowerCase() === `${scheme}://${host.toLowerCase()}`;
}
