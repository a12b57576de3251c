import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseDuration } from '../../../config/values/duration.js';
import { parseSize } from '../../../config/values/size.js';
import { Fault } from '../../../core/event/fault.js';
import type { EventsReceiverSettings } from '../../../generated/settings.js';
import type { Component, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import { type TokenAccess, tokenCheck } from '../../http/endpoints/access-rule.js';
import { createCorsPolicy, senderOrigin } from '../../http/messages/request-guard.js';
import { sendJsonPieces } from '../../http/messages/respond.js';
import { Intake } from '../intake/intake.js';
import { SerialQueue } from '../intake/serial-queue.js';
import { EventRequest, type EventRequestOptions, type EventsResponse } from './event-request.js';
import { readEvents } from './read-events.js';
import { RepeatedRequests } from './repeated-requests.js';

interface EventsReceiverOptions
  extends Pick<
    ReceiverInternal,
    'servers' | 'authenticatorOf' | 'ingest' | 'consumer' | 'keepAcrossReloads' | 'account'
  > {
  /** Component id, `events` or `events/name`. */
  readonly id: string;
  readonly settings: EventsReceiverSettings;
  /** Longest pause inside a body, milliseconds; default 30,000. */
  readonly stallTimeoutMs?: number;
}

const PATH = '/v1/events';
/** Headers that a page may set beside `content-type`. */
const PAGE_HEADERS = ['authorization', 'idempotency-key', 'prefer'];
const DEFAULT_STALL_TIMEOUT_MS = 30_000;
const MAX_KEY_LENGTH = 255;

/** Receiver `events`: failures as JSON over HTTP. */
export const eventsReceiver: ReceiverFactory<EventsReceiverSettings> = {
  stability: 'stable',
  create: (settings, { id, internal }) => createEventsReceiver({ ...internal, id, settings }),
};

/** Builds the receiver, whose URL has the real port once started, and registers its route. Throws `ROUTE_TAKEN`. */
export function createEventsReceiver(options: EventsReceiverOptions): Component & { readonly urls: readonly [string] } {
  const { id, settings, servers, consumer, account, stallTimeoutMs = DEFAULT_STALL_TIMEOUT_MS } = options;
  const { defaults, limits } = settings;
  const cors = createCorsPolicy(settings.cors, { headers: PAGE_HEADERS, exposed: ['retry-after'] });
  const caller = options.authenticatorOf(settings.auth);
  const mount = servers.mount(settings.endpoint, {
    component: id,
    allowedHosts: settings.allowed_hosts,
    transport: { tls: settings.tls, connections: settings.connections },
  });
  const requestOptions: EventRequestOptions = {
    intake: new Intake({ receiver: id, consumer, account, defaults, limits }),
    account,
    maxBodyBytes: parseSize(settings.max_request_body_size),
    maxEvents: settings.max_events_per_request,
    maxEventBytes: parseSize(limits.max_event_size),
    maxMembers: limits.max_members,
    stallTimeoutMs,
    parseQueue: new SerialQueue(),
  };
  const windowMs = parseDuration(settings.idempotency_window);
  const repeated = options.keepAcrossReloads(windowMs, () => new RepeatedRequests(windowMs));

  async function accept(request: IncomingMessage, fromIndex: number): Promise<EventsResponse> {
    const isMinimal = prefersMinimal(request.headers['prefer']);
    const origin = senderOrigin(request.headers, request.socket.remoteAddress, caller !== undefined);
    const events = new EventRequest(requestOptions, { isMinimal, fromIndex, origin });
    const held = options.ingest.begin();
    try {
      await readEvents(request, events, held, requestOptions);
    } catch (error) {
      throw await events.fail(error);
    } finally {
      held.releaseAll();
    }
    return events.response();
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = windowMs === 0 ? undefined : idempotencyKeyOf(request);
    const reply =
      key === undefined
        ? await accept(request, 0)
        : await repeated.respondOnce(key, request, requestOptions, (fromIndex) => accept(request, fromIndex));
    await sendJsonPieces(response, reply.status, reply.pieces, reply.headers);
  }

  const access: TokenAccess = { kind: 'token', scope: 'ingest', refusalOf: tokenCheck(caller), cors };
  mount.route('POST', PATH, access, handle);
  return {
    get urls(): readonly [string] {
      return [mount.url + PATH];
    },
    start: () => mount.open(),
    shutdown: () => mount.close(),
  };
}

/** A member of `Prefer`, RFC 7240. */
const MINIMAL = /(?:^|,)[ \t]*return *= *"?minimal"?[ \t]*(?:[;,]|$)/i;

function prefersMinimal(prefer: string | string[] | undefined): boolean {
  return prefer !== undefined && MINIMAL.test(String(prefer));
}

/** Parses `Idempotency-Key` (IETF draft-ietf-httpapi-idempotency-key-header); undefined if missing. Throws `IDEMPOTENCY_KEY_INVALID`. */
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  // A structured header's string is quoted; many senders omit the quotes.
  const key = [given]
    .flat()
    .join(',')
    .replace(/^"(.*)"$/, '$1');
  if (key.length > 0 && key.length <= MAX_KEY_LENGTH) return key;
  throw new Fault(
    'IDEMPOTENCY_KEY_INVALID',
    `the Idempotency-Key has ${key.length} characters; it must have 1 to ${MAX_KEY_LENGTH}`,
  );
}
