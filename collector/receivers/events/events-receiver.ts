import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { parseDuration } from '../../../config/values/duration.js';
import { parseSize } from '../../../config/values/size.js';
import { Fault } from '../../../core/event/fault.js';
import type { EventsReceiverSettings } from '../../../generated/settings.js';
import type { Receiver, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import type { IngestMemory } from '../../component/ingest-memory.js';
import type { EndpointRoutes } from '../../http/endpoint-routes.js';
import { type TokenAccess, tokenCheck } from '../../http/endpoints/access-rule.js';
import { createCorsPolicy } from '../../http/endpoints/cors-policy.js';
import { senderOrigin } from '../../http/endpoints/sender-origin.js';
import { sendJsonPieces } from '../../http/messages/respond.js';
import { allow } from '../../http/middleware/allow.js';
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
  create: (settings, { id, internal }) => new EventsReceiver({ ...internal, id, settings }),
};

/** Answers `POST /v1/events`. */
export class EventsReceiver implements Receiver {
  readonly routes: readonly [EndpointRoutes];
  readonly #urlOf: (endpoint: string) => string | undefined;
  readonly #ingest: IngestMemory;
  /** Whether the endpoint asks for a token. */
  readonly #hasToken: boolean;
  readonly #requestOptions: EventRequestOptions;
  /** Undefined if the settings say not to remember keys. */
  readonly #repeated: RepeatedRequests | undefined;

  /** Throws `PAYLOAD_LIMIT_INVALID`. */
  constructor(options: EventsReceiverOptions) {
    const { settings, servers, ingest } = options;
    const authenticator = options.authenticatorOf(settings.auth);
    const windowMs = parseDuration(settings.idempotency_window);
    const repeated = options.keepAcrossReloads(windowMs, () => new RepeatedRequests(windowMs));
    this.#ingest = ingest;
    this.#hasToken = authenticator !== undefined;
    this.#requestOptions = requestOptionsOf(options);
    this.#repeated = windowMs === 0 ? undefined : repeated;
    this.#urlOf = (endpoint) => servers.urlOf(endpoint);
    const cors = createCorsPolicy(settings.cors, { headers: PAGE_HEADERS, exposed: ['retry-after'] });
    const access: TokenAccess = { kind: 'token', scope: 'ingest', refusalOf: tokenCheck(authenticator), cors };
    const router = express.Router({ caseSensitive: true, strict: true });
    router.post(PATH, ...allow(access), (request, response) => this.#handle(request, response));
    const { endpoint, allowed_hosts: allowedHosts, tls, connections } = settings;
    this.routes = [{ endpoint, router, allowedHosts, transport: { tls, connections } }];
  }

  /** Of its route; empty unless its endpoint listens. */
  get urls(): readonly string[] {
    const url = this.#urlOf(this.routes[0].endpoint);
    return url === undefined ? [] : [url + PATH];
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = this.#repeated === undefined ? undefined : idempotencyKeyOf(request);
    const accept = (fromIndex: number): Promise<EventsResponse> => this.#accept(request, fromIndex);
    const reply =
      key === undefined || this.#repeated === undefined
        ? await accept(0)
        : await this.#repeated.respondOnce(key, request, this.#requestOptions, accept);
    await sendJsonPieces(response, reply.status, reply.pieces, reply.headers);
  }

  /** Reads the body, stores its events and returns the response. Events before `fromIndex` were accepted by an earlier attempt. */
  async #accept(request: IncomingMessage, fromIndex: number): Promise<EventsResponse> {
    const events = new EventRequest(this.#requestOptions, {
      isMinimal: prefersMinimal(request.headers['prefer']),
      fromIndex,
      origin: senderOrigin(request.headers, request.socket.remoteAddress, this.#hasToken),
    });
    const held = this.#ingest.begin();
    try {
      await readEvents(request, events, held, this.#requestOptions);
    } catch (error) {
      throw await events.fail(error);
    } finally {
      held.releaseAll();
    }
    return events.response();
  }
}

function requestOptionsOf(options: EventsReceiverOptions): EventRequestOptions {
  const { id, settings, consumer, account, stallTimeoutMs = DEFAULT_STALL_TIMEOUT_MS } = options;
  const { defaults, limits } = settings;
  return {
    intake: new Intake({ receiver: id, consumer, account, defaults, limits }),
    account,
    maxBodyBytes: parseSize(settings.max_request_body_size),
    maxEvents: settings.max_events_per_request,
    maxEventBytes: parseSize(limits.max_event_size),
    maxMembers: limits.max_members,
    stallTimeoutMs,
    parseQueue: new SerialQueue(),
  };
}

/** A member of `Prefer`, RFC 7240. */
const MINIMAL = /(?:^|,)[ \t]*return *= *"?minimal"?[ \t]*(?:[;,]|$)/i;

function prefersMinimal(prefer: string | string[] | undefined): boolean {
  return prefer !== undefined && MINIMAL.test(String(prefer));
}

/** The UUID that RFC 9562 calls nil: of a sender that made no key. */
const NIL_KEY = /^0{8}-?(?:0{4}-?){3}0{12}$/;

/** Parses `Idempotency-Key` (IETF draft-ietf-httpapi-idempotency-key-header); undefined if missing or nil. Throws `IDEMPOTENCY_KEY_INVALID`. */
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  // A structured header's string is quoted; many senders omit the quotes.
  const key = [header]
    .flat()
    .join(',')
    .replace(/^"(.*)"$/, '$1');
  if (NIL_KEY.test(key)) return undefined;
  if (key.length > 0 && key.length <= MAX_KEY_LENGTH) return key;
  throw new Fault(
    'IDEMPOTENCY_KEY_INVALID',
    `the Idempotency-Key has ${key.length} characters; it must have 1 to ${MAX_KEY_LENGTH}`,
  );
}
