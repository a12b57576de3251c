import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseDuration } from '../../../config/values/duration.js';
import { parseSize } from '../../../config/values/size.js';
import type { Fault } from '../../../core/event/fault.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { SentryReceiverSettings } from '../../../generated/settings.js';
import type { Component, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import { type AccessRule, corsOf, tokenCheck } from '../../http/endpoints/access-rule.js';
import { createCorsPolicy, requestPath } from '../../http/messages/request-guard.js';
import type { HttpMount, RawHandler } from '../../http/server/http-mount.js';
import { IdempotencyCache } from '../intake/idempotency-cache.js';
import { Intake } from '../intake/intake.js';
import { readEnvelope } from './envelope/read-envelope.js';
import { RepeatedReports } from './envelope/repeated-reports.js';
import { createProjectGate } from './project-gate.js';
import { createReleaseAccess } from './release-access.js';
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
/** In the format that SDKs require, item 3; for projects that accept any key. */
const ANY_KEY = hash('sha256', 'faultline', 'hex').slice(0, 32);
const PROJECT_WITHOUT_SETTINGS = '1';
/** Item 40. */
const CORS_PROTOCOL = {
  headers: [
    ...['x-sentry-auth', 'x-requested-with', 'x-forwarded-for', 'origin', 'referer', 'accept', 'authentication'],
    ...['authorization', 'transfer-encoding', 'sentry-trace', 'baggage'],
  ],
  exposed: ['x-sentry-error', 'x-sentry-rate-limits', 'retry-after'],
};

/** Receiver `sentry`: what Sentry's SDKs send. */
export const sentryReceiver: ReceiverFactory<SentryReceiverSettings> = {
  stability: 'beta',
  create: (settings, { id, internal }) => createSentryReceiver({ ...internal, id, settings }),
};

/** Creates receiver `sentry`, whose URLs are one DSN for each project, with the real port after start, and registers its routes. Throws `ROUTE_TAKEN`. */
export function createSentryReceiver(options: SentryReceiverOptions): Component & { readonly urls: readonly string[] } {
  const { id, settings, servers, consumer, account, ingest, logger } = options;
  const { limits } = settings;
  const caller = options.authenticatorOf(settings.auth);
  const cors = createCorsPolicy(settings.cors, CORS_PROTOCOL);
  const mount = servers.mount(settings.endpoint, {
    component: id,
    allowedHosts: settings.allowed_hosts,
    sendFault: sendSentryFault,
    transport: { tls: settings.tls, connections: settings.connections },
  });
  const windowMs = parseDuration(settings.idempotency_window);
  const handle = createSentryHandler({
    gate: createProjectGate(settings.projects),
    hasToken: caller !== undefined,
    maxBodyBytes: parseSize(settings.max_request_body_size),
    stallTimeoutMs: STALL_TIMEOUT_MS,
    ingest,
    intake: new Intake({ receiver: id, consumer, account, defaults: {}, limits }),
    account,
    countSessions: (reports) => options.store.opened().countSessions(reports),
    minLogLevel: settings.min_log_level,
    maxEventBytes: parseSize(limits.max_event_size),
    maxMembers: limits.max_members,
    ...options.keepAcrossReloads(windowMs, () => ({
      recent: new IdempotencyCache<Fault | undefined>({ windowMs, maxEntries: MAX_RECENT_EVENTS }),
      repeated: new RepeatedReports(),
    })),
    logger,
  });
  const sending: AccessRule = { kind: 'dsn_key', refusalOf: tokenCheck(caller), cors };
  addSendingRoutes(mount, settings, sending, handle);
  const { path_prefix: prefix = '' } = settings;
  const root = `${prefix}/api/0`;
  const releases = createReleaseAccess(id, settings, options.authenticatorOf);
  mount.route('*', new RegExp(`^${escapeRegExp(root)}(?:/.*)?$`), releases, async (request, response) => {
    const { serveReleaseApi } = await import('./release-api.js');
    await serveReleaseApi(request, response, { root, releases: options.store.opened() });
  });
  return {
    get urls() {
      const projects = Object.entries(settings.projects);
      if (projects.length === 0) return [dsnOf(mount.url + prefix, PROJECT_WITHOUT_SETTINGS, ANY_KEY)];
      return projects.map(([project, { public_key }]) => dsnOf(mount.url + prefix, project, public_key ?? ANY_KEY));
    },
    async start() {
      await mount.open();
      if (releases.kind === 'closed') logger.info({ code: releases.refusal.code }, releases.refusal.message);
    },
    shutdown: () => mount.close(),
  };
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

/** Item 1. */
function dsnOf(url: string, projectId: string, key: string): string {
  return `${url.replace('://', `://${key}@`)}/${projectId}`;
}
