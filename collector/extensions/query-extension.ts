import type { IncomingMessage } from 'node:http';
import express from 'express';
import { ForwardingReader } from '../../core/contract/forwarding-reader.js';
import type { FailureActions } from '../../core/contract/reader.js';
import { createSuspectCommits } from '../../core/source-code/suspect-commits.js';
import type { CorsSettings, QueryExtensionSettings } from '../../generated/settings.js';
import type { Extension, ExtensionFactory, ExtensionInternal } from '../component/built-in.js';
import type { AccessRule, Authenticator, TokenCheck } from '../http/endpoints/access-rule.js';
import { type CorsPolicy, createCorsPolicy } from '../http/endpoints/cors-policy.js';
import { pathBelow } from '../http/endpoints/served-path.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { allow } from '../http/middleware/allow.js';
import { expressMembers } from '../http/middleware/express-members.js';
import { INCOMPLETE } from '../query/api-route.js';
import { ChangeStreams, type StreamBounds } from '../query/change-streams.js';
import type { GroupReader } from '../query/group-reader.js';
import { API_ROOT, createReadingRouter } from '../query/reading-router.js';

/** What an extension that reads needs. */
type QuerySources = Pick<
  ExtensionInternal,
  'reader' | 'actions' | 'releases' | 'changes' | 'regroupings' | 'serviceStats' | 'ledger'
>;

/** Extension `query`: the reading API. */
export const queryExtension: ExtensionFactory<QueryExtensionSettings> = {
  stability: 'beta',
  create: (settings, { id, internal }) => createQueryExtension(id, settings, internal),
};

/** Creates extension `query`, the reading API, whose base address has the actual port once it listens. */
export function createQueryExtension(
  id: string,
  settings: QueryExtensionSettings,
  sources: QuerySources &
    Pick<ExtensionInternal, 'servers' | 'authenticatorOf'> &
    Partial<Pick<ExtensionInternal, 'logger' | 'meters'>>,
  streamBounds: StreamBounds = {},
): Extension {
  const onProblem = (sentence: string) => sources.logger?.warn(sentence);
  const withSuspects = createSuspectCommits({ repositories: settings.repositories, onProblem });
  const context = { ...sources, reader: () => withSuspects(sources.reader()) };
  const { servers, authenticatorOf, changes, regroupings } = context;
  const streams = new ChangeStreams({ feed: changes, component: id, meters: sources.meters, ...streamBounds });
  const callers = createReadingAccess(authenticatorOf(settings.auth), authenticatorOf(settings.actions_auth));
  let group: GroupReader | undefined;
  const cors = createReadingCors(settings.cors);
  const access: AccessRule = { kind: 'token', scope: 'reading', refusalOf: callers.refusalOf, cors };
  const router = express.Router({ caseSensitive: true, strict: true });
  const reading = createReadingRouter({ ...context, streams, mayAct: callers.mayAct }, () => group);
  router.all(pathBelow(API_ROOT), ...allow(access), expressMembers(), reading);
  const { endpoint, allowed_hosts: allowedHosts, tls, connections } = settings;
  return {
    routes: [{ endpoint, router, allowedHosts, transport: { tls, connections } }],
    get url() {
      return servers.urlOf(endpoint);
    },
    async start() {
      if (settings.peers.length > 0) group = await createGroup(settings, context);
    },
    async drain() {
      streams.close();
      await regroupings.close();
    },
    async shutdown() {
      await group?.close();
    },
  };
}

/** Creates the group of a collector and its peers. */
export async function createGroup(settings: QueryExtensionSettings, sources: QuerySources): Promise<GroupReader> {
  const [{ createGroupReader }, { ownStats }] = await Promise.all([
    import('../query/group-reader.js'),
    import('../query/reading-routes.js'),
  ]);
  return createGroupReader(settings, () =>
    Object.assign(new ForwardingReader(sources.reader()), {
      stats: () => ownStats(sources),
      act: (...action: Parameters<FailureActions['act']>) => sources.actions().act(...action),
      close: async () => {},
    }),
  );
}

/** What the token of a request allows. */
interface ReadingAccess {
  /** `TOKEN_MISSING` or `TOKEN_WRONG` for one that may not even read. */
  readonly readingRefusalOf: TokenCheck;
  /** `TOKEN_MISSING`, `TOKEN_WRONG`, or `TOKEN_MAY_NOT_ACT` for an action with a reading token. */
  readonly refusalOf: TokenCheck;
  /** Whether the token of a request also allows actions. */
  readonly mayAct: (request: Pick<IncomingMessage, 'headers'>) => boolean;
}

const READING: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** `reading` allows reading, and acting if `acting` is missing; `acting` allows both. What has no authenticator is open to all. */
export function createReadingAccess(
  reading: Authenticator | undefined,
  acting: Authenticator | undefined,
): ReadingAccess {
  const readingRefusal = (authorization: string | undefined): RequestFault | undefined => {
    const refusal = reading?.refusalOf(authorization);
    const isAllowed = refusal === undefined || (acting !== undefined && acting.refusalOf(authorization) === undefined);
    return isAllowed ? undefined : refusal;
  };
  const actingRefusal = (authorization: string | undefined): RequestFault | undefined => {
    if (acting === undefined) return readingRefusal(authorization);
    const refusal = acting.refusalOf(authorization);
    if (refusal === undefined) return undefined;
    const isReader = reading !== undefined && reading.refusalOf(authorization) === undefined;
    if (!isReader) return refusal;
    return new RequestFault('TOKEN_MAY_NOT_ACT', 'this token allows reading only: use a token of actions_auth');
  };
  return {
    readingRefusalOf: ({ headers }) => readingRefusal(headers.authorization),
    refusalOf: ({ method, headers }) =>
      READING.has(method) ? readingRefusal(headers.authorization) : actingRefusal(headers.authorization),
    mayAct: ({ headers }) => actingRefusal(headers.authorization) === undefined,
  };
}

/** Request headers that web pages may send, and response headers that they may read. */
const PROTOCOL = {
  headers: ['authorization', 'last-event-id'],
  exposed: ['retry-after', 'www-authenticate', INCOMPLETE],
};

/** The CORS policy of the reading endpoint, with further request headers: its own origin is always allowed. */
export function createReadingCors(settings: CorsSettings, headers: readonly string[] = []): CorsPolicy {
  const others = createCorsPolicy(settings, { ...PROTOCOL, headers: [...PROTOCOL.headers, ...headers] });
  return {
    check(request, response) {
      if (!isOwnOrigin(request)) others.check(request, response);
    },
    sendPreflight: others.sendPreflight,
  };
}

function isOwnOrigin({ headers: { origin, host }, socket }: IncomingMessage): boolean {
  if (origin === undefined || host === undefined) return false;
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  return origin.toLowerCase() === `${scheme}://${host.toLowerCase()}`;
}
