import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler, type Router } from 'express';
import { parseDuration } from '../../../config/values/duration.js';
import { parseEndpoint } from '../../../config/values/endpoint.js';
import { parseSize } from '../../../config/values/size.js';
import type { Fault } from '../../../core/event/fault.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { SentryReceiverSettings } from '../../../generated/settings.js';
import type { Internal, Receiver, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import type { EndpointRoutes } from '../../http/endpoint-routes.js';
import { type AccessRule, corsOf, tokenCheck } from '../../http/endpoints/access-rule.js';
import { createCorsPolicy } from '../../http/endpoints/cors-policy.js';
import { isLoopbackHost } from '../../http/endpoints/hosts.js';
import { literalPath, pathBelow } from '../../http/endpoints/served-path.js';
import { methodNotAllowed, RequestFault } from '../../http/messages/http-fault.js';
import { allow } from '../../http/middleware/allow.js';
import { answerFaults } from '../../http/middleware/send-problem.js';
import { IdempotencyCache } from '../intake/idempotency-cache.js';
import { Intake } from '../intake/intake.js';
import { FailureReports } from './envelope/failure-reports.js';
import { readEnvelope } from './envelope/read-envelope.js';
import { readStore } from './envelope/read-store.js';
import { RepeatedReports } from './envelope/repeated-reports.js';
import { createProjectGate, DEFAULT_PROJECT } from './project-gate.js';
import { createReleaseRouter } from './release-api.js';
import { createSentryHandler, READERS, type SentryHandler, sendSentryFault } from './sentry-handler.js';

interface SentryReceiverOptions
  extends Pick<
    ReceiverInternal,
    'servers' | 'authenticatorOf' | 'ingest' | 'logger' | 'consumer' | 'keepAcrossReloads' | 'account'
  > {
  readonly id: string;
  readonly settings: SentryReceiverSettings;
  /** Where releases and sessions are counted. */
  readonly store: { opened(): Pick<EventStore, 'recordRelease' | 'countSessions' | 'reader'> };
}

/** Maximum pause within a body. */
const STALL_TIMEOUT_MS = 30_000;
const MAX_RECENT_EVENTS = 100_000;
/** In the format that SDKs require; for projects that accept any key. */
const ANY_KEY = hash('sha256', 'faultline', 'hex').slice(0, 32);
/** The headers of browser SDKs, and those that they read. */
const CORS_PROTOCOL = {
  headers: [
    'x-sentry-auth',
    'x-requested-with',
    'x-forwarded-for',
    'origin',
    'referer',
    'accept',
    'authentication',
    'authorization',
    'transfer-encoding',
    'sentry-trace',
    'baggage',
  ],
  exposed: ['x-sentry-error', 'x-sentry-rate-limits', 'retry-after'],
};

/** Receiver `sentry`: what Sentry's SDKs send. */
export const sentryReceiver: ReceiverFactory<SentryReceiverSettings> = {
  stability: 'beta',
  create: (settings, { id, internal }) => new SentryReceiver({ ...internal, id, settings }),
};

/** Answers the SDKs and release tools of Sentry. */
export class SentryReceiver implements Receiver {
  readonly routes: readonly [EndpointRoutes];
  readonly #options: SentryReceiverOptions;
  /** Who may record releases. */
  readonly #releaseAccess: AccessRule;

  /** Throws `PAYLOAD_LIMIT_INVALID`. */
  constructor(options: SentryReceiverOptions) {
    const { id, settings, store } = options;
    const { endpoint, allowed_hosts: allowedHosts, tls, connections, path_prefix: prefix = '' } = settings;
    const authenticator = options.authenticatorOf(settings.auth);
    const cors = createCorsPolicy(settings.cors, CORS_PROTOCOL);
    this.#options = options;
    this.#releaseAccess = createReleaseAccess(id, settings, options.authenticatorOf);

    const router = express.Router({ caseSensitive: true, strict: true });
    const sending: AccessRule = { kind: 'dsn_key', refusalOf: tokenCheck(authenticator), cors };
    addSendingRoutes(router, settings, sending, createHandler(options, authenticator !== undefined));
    const releases = createReleaseRouter(`${prefix}/api/0`, () => store.opened());
    router.all(pathBelow(`${prefix}/api/0`), ...allow(this.#releaseAccess), releases);
    router.use(answerFaults(sendSentryFault));
    this.routes = [{ endpoint, router, allowedHosts, transport: { tls, connections } }];
  }

  /** One DSN for each project; empty unless its endpoint listens. */
  get urls(): readonly string[] {
    const { servers, settings } = this.#options;
    const { endpoint, projects, path_prefix: prefix = '' } = settings;
    const url = servers.urlOf(endpoint);
    if (url === undefined) return [];
    const ids = Object.entries(projects);
    if (ids.length === 0) return [dsnOf(url + prefix, DEFAULT_PROJECT, ANY_KEY)];
    return ids.map(([project, { public_key }]) => dsnOf(url + prefix, project, public_key ?? ANY_KEY));
  }

  async start(): Promise<void> {
    const access = this.#releaseAccess;
    if (access.kind === 'closed') {
      this.#options.logger.info({ code: access.refusal.code }, access.refusal.message);
    }
  }
}

function createHandler(options: SentryReceiverOptions, hasToken: boolean): SentryHandler {
  const { id, settings, consumer, account, ingest, logger, store } = options;
  const { limits } = settings;
  const windowMs = parseDuration(settings.idempotency_window);
  const memory = options.keepAcrossReloads(windowMs, () => ({
    recent: new IdempotencyCache<Fault | undefined>({ windowMs, maxEntries: MAX_RECENT_EVENTS }),
    repeated: new RepeatedReports(),
    failures: new FailureReports(),
  }));
  return createSentryHandler({
    gate: createProjectGate(settings.projects),
    hasToken,
    maxBodyBytes: parseSize(settings.max_request_body_size),
    stallTimeoutMs: STALL_TIMEOUT_MS,
    ingest,
    intake: new Intake({ receiver: id, consumer, account, defaults: {}, limits }),
    account,
    countSessions: (reports) => store.opened().countSessions(reports),
    minLogLevel: settings.min_log_level,
    maxEventBytes: parseSize(limits.max_event_size),
    maxMembers: limits.max_members,
    ...memory,
    logger,
  });
}

/** The id of a project; others are not served. */
const PROJECT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Adds the routes of SDKs and browsers, with and without the slash at the end. */
function addSendingRoutes(
  router: Router,
  { path_prefix: prefix = '', tunnel_path: tunnelPath }: SentryReceiverSettings,
  access: AccessRule,
  handle: SentryHandler,
): void {
  for (const [name, reader] of Object.entries(READERS)) {
    const serve: RequestHandler<{ project: string }> = (request, response, next) => {
      const { project: projectId } = request.params;
      return PROJECT_ID.test(projectId) ? handle(request, response, { reader, projectId }) : next('route');
    };
    const path = `${literalPath(prefix)}/api/:project/${name}{/}` as const;
    router.post(path, ...allow(access), serve);
    if (name === 'store') router.get(path, ...allow(access), checkImage(access), serve);
  }
  // Protocol 2 names no project.
  const store = `${literalPath(prefix)}/api/store{/}` as const;
  router.post(store, ...allow(access), (request, response) => handle(request, response, { reader: readStore }));
  if (tunnelPath === undefined) return;
  router.post(literalPath(tunnelPath), ...allow(access), (request, response) =>
    handle(request, response, { reader: readEnvelope }),
  );
}

/** Refuses an image of a page that may not send, as `allow` refuses a request that names its origin. */
function checkImage(access: AccessRule): RequestHandler {
  return (request, response, next) => {
    // Express answers HEAD like GET, which stores an event.
    if (request.method === 'HEAD') throw methodNotAllowed(request.method, ['POST', 'GET']);
    request.headers.origin ??= originOfImage(request);
    corsOf(access)?.check(request, response);
    next();
  };
}

/** Browsers name the page of an image only in `Referer`; undefined for a program. */
function originOfImage({ headers: { referer = '', 'sec-fetch-site': site } }: IncomingMessage): string | undefined {
  if (URL.canParse(referer)) return new URL(referer).origin;
  return site === undefined || site === 'none' ? undefined : 'null';
}

function dsnOf(url: string, projectId: string, key: string): string {
  return `${url.replace('://', `://${key}@`)}/${projectId}`;
}

/** Creates the rule of routes that record releases: a token of `releases.auth`. Without it only programs on this machine call an endpoint on localhost, and nobody a receiver that asks for tokens. */
function createReleaseAccess(
  receiver: string,
  settings: SentryReceiverSettings,
  authenticatorOf: Internal['authenticatorOf'],
): AccessRule {
  const authenticator = authenticatorOf(settings.releases.auth);
  if (authenticator !== undefined) return { kind: 'token', scope: 'releases', refusalOf: tokenCheck(authenticator) };
  const isLocal = isLoopbackHost(parseEndpoint(settings.endpoint).host) && settings.auth.authenticator === undefined;
  const sentence = `release calls need a token of their own: name an extension bearertokenauth in receivers.${receiver}.releases.auth.authenticator`;
  const headers = { 'www-authenticate': 'Bearer realm="faultline"' };
  return { kind: isLocal ? 'local' : 'closed', refusal: new RequestFault('RELEASES_CLOSED', sentence, { headers }) };
}
