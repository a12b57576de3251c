import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseDuration } from '../../../config/values/duration.js';
import { parseEndpoint } from '../../../config/values/endpoint.js';
import { parseSize } from '../../../config/values/size.js';
import type { Fault } from '../../../core/event/fault.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { SentryReceiverSettings } from '../../../generated/settings.js';
import type { Component, Internal, Receiver, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import { type AccessRule, corsOf, tokenCheck } from '../../http/endpoints/access-rule.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { createCorsPolicy, isLoopbackHost, requestPath } from '../../http/messages/request-guard.js';
import type { HttpMount, RawHandler } from '../../http/server/http-mount.js';
import { IdempotencyCache } from '../intake/idempotency-cache.js';
import { Intake } from '../intake/intake.js';
import { readEnvelope } from './envelope/read-envelope.js';
import { RepeatedReports } from './envelope/repeated-reports.js';
import { createProjectGate } from './project-gate.js';
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
const PROJECT_WITHOUT_SETTINGS = '1';
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
export class SentryReceiver implements Component, Receiver {
  readonly #options: SentryReceiverOptions;
  readonly #mount: HttpMount;
  /** Who may record releases. */
  readonly #releaseAccess: AccessRule;

  /** Registers its routes. Throws `ROUTE_TAKEN` and `PAYLOAD_LIMIT_INVALID`. */
  constructor(options: SentryReceiverOptions) {
    const { id, settings, servers } = options;
    const authenticator = options.authenticatorOf(settings.auth);
    const cors = createCorsPolicy(settings.cors, CORS_PROTOCOL);
    this.#options = options;
    this.#releaseAccess = createReleaseAccess(id, settings, options.authenticatorOf);
    this.#mount = servers.mount(settings.endpoint, {
      component: id,
      allowedHosts: settings.allowed_hosts,
      sendFault: sendSentryFault,
      transport: { tls: settings.tls, connections: settings.connections },
    });
    const sending: AccessRule = { kind: 'dsn_key', refusalOf: tokenCheck(authenticator), cors };
    addSendingRoutes(this.#mount, settings, sending, createHandler(options, authenticator !== undefined));
    this.#addReleaseRoutes();
  }

  /** One DSN for each project, with the real port after start. */
  get urls(): readonly string[] {
    const { projects, path_prefix: prefix = '' } = this.#options.settings;
    const url = this.#mount.url + prefix;
    const ids = Object.entries(projects);
    if (ids.length === 0) return [dsnOf(url, PROJECT_WITHOUT_SETTINGS, ANY_KEY)];
    return ids.map(([project, { public_key }]) => dsnOf(url, project, public_key ?? ANY_KEY));
  }

  async start(): Promise<void> {
    const access = this.#releaseAccess;
    await this.#mount.open();
    if (access.kind === 'closed') {
      this.#options.logger.info({ code: access.refusal.code }, access.refusal.message);
    }
  }

  async shutdown(): Promise<void> {
    await this.#mount.close();
  }

  #addReleaseRoutes(): void {
    const { settings, store } = this.#options;
    const root = `${settings.path_prefix ?? ''}/api/0`;
    const paths = new RegExp(`^${escapeRegExp(root)}(?:/.*)?$`);
    this.#mount.route('*', paths, this.#releaseAccess, async (request, response) => {
      const { serveReleaseApi } = await import('./release-api.js');
      await serveReleaseApi(request, response, { root, releases: store.opened() });
    });
  }
}

function createHandler(options: SentryReceiverOptions, hasToken: boolean): SentryHandler {
  const { id, settings, consumer, account, ingest, logger, store } = options;
  const { limits } = settings;
  const windowMs = parseDuration(settings.idempotency_window);
  const { recent, repeated } = options.keepAcrossReloads(windowMs, () => ({
    recent: new IdempotencyCache<Fault | undefined>({ windowMs, maxEntries: MAX_RECENT_EVENTS }),
    repeated: new RepeatedReports(),
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
    recent,
    repeated,
    logger,
  });
}

/** Adds the routes of SDKs and browsers. */
function addSendingRoutes(
  mount: HttpMount,
  { path_prefix: prefix = '', tunnel_path: tunnelPath }: SentryReceiverSettings,
  access: AccessRule,
  handle: SentryHandler,
): void {
  for (const [name, reader] of Object.entries(READERS)) {
    const paths = pathPattern(prefix, name);
    const serve: RawHandler = (request, response) =>
      handle(request, response, { reader, projectId: paths.exec(requestPath(request))?.[1] });
    mount.route('POST', paths, access, serve);
    if (name !== 'store') continue;
    mount.route('GET', paths, access, async (request, response) => {
      request.headers.origin ??= originOfImage(request);
      corsOf(access)?.check(request, response);
      await serve(request, response);
    });
  }
  if (tunnelPath === undefined) return;
  mount.route('POST', tunnelPath, access, (request, response) => handle(request, response, { reader: readEnvelope }));
}

/** With and without the slash at the end. */
function pathPattern(prefix: string, name: string): RegExp {
  return new RegExp(`^${escapeRegExp(prefix)}/api/([A-Za-z0-9_-]{1,64})/${name}/?$`);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
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
