import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { printable } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';
import { MAX_CONTENT_BYTES } from '../../../core/storage/dead-letters/encode-content.js';
import { HeldBody, type IngestMemory, type RequestMemory } from '../../component/ingest-memory.js';
import { senderOrigin } from '../../http/endpoints/sender-origin.js';
import { RequestFault, statusOf } from '../../http/messages/http-fault.js';
import { faultHeaders, toFault } from '../../http/messages/problem.js';
import type { BodyLimits } from '../../http/messages/read-body.js';
import { sendEarly, sendJson } from '../../http/messages/respond.js';
import { acceptEnvelopeItems } from './envelope/accept-items.js';
import { wantedItems } from './envelope/item-types.js';
import { readEnvelope, type SentryReadOptions, type SentryReadResult } from './envelope/read-envelope.js';
import { readSecurity, readStore, refuseMinidump } from './envelope/read-store.js';
import { beginAdmission, type ProjectGate, readKeys } from './project-gate.js';
import type { SentryReceiverContext } from './receiver-context.js';
import type { SentryContext } from './sentry-context.js';

interface SentryHandlerOptions extends SentryReceiverContext, BodyLimits {
  readonly gate: ProjectGate;
  /** Whether the endpoint asks for a token. */
  readonly hasToken: boolean;
  readonly ingest: IngestMemory;
  readonly logger: Logger;
}

/** Categories that are dropped anyway (https://develop.sentry.dev/sdk/rate-limiting/). Retry-After would silence errors too. */
const DROPPED_CATEGORIES = 'transaction;span;profile;profile_chunk;replay;trace_metric;monitor;feedback';
const RATE_LIMITS = `86400:${DROPPED_CATEGORIES}:organization`;
const MAX_HEADER_LENGTH = 500;

/** A transparent image for a page that sends by one. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Reads the body of a request that `read` admits. */
type SentryReader = (request: IncomingMessage, options: SentryReadOptions) => Promise<SentryReadResult>;

/** What a path `/api/<project>/<name>/` reads, by its name. */
export const READERS: Readonly<Record<string, SentryReader>> = {
  envelope: readEnvelope,
  store: readStore,
  security: readSecurity,
  'csp-report': readSecurity,
  minidump: refuseMinidump,
  unreal: refuseMinidump,
};

/** The path of a request; the tunnel and `/api/store/` have no project. */
interface SentryTarget {
  readonly reader: SentryReader;
  readonly projectId?: string | undefined;
}

/** Sends the response to a request, or throws its fault. */
export type SentryHandler = (request: IncomingMessage, response: ServerResponse, target: SentryTarget) => Promise<void>;

/** Creates the handler. */
export function createSentryHandler(options: SentryHandlerOptions): SentryHandler {
  const { gate, hasToken, ingest, logger, maxBodyBytes, stallTimeoutMs, maxEventBytes } = options;
  const warnedOf = new Set<string>();
  const wanted = wantedItems(maxEventBytes);

  /** SDKs do not show our responses, so the first fault of each code is logged; the ledger counts all. */
  function warnOnce({ code, retryable }: Fault): void {
    if (retryable || warnedOf.has(code)) return;
    warnedOf.add(code);
    // Without the fault's message, which quotes the request.
    logger.warn({ code }, 'rejected a request of a Sentry SDK; further ones with this code are only counted');
  }

  async function read(
    request: IncomingMessage,
    held: RequestMemory,
    pieces: HeldBody,
    target: SentryTarget,
  ): Promise<SentryReadResult> {
    const receivedMs = Date.now();
    try {
      const admission = beginAdmission(readKeys(request), target.projectId, gate);
      const origin = senderOrigin(request.headers, request.socket.remoteAddress, hasToken);
      const admit = (envelope: JsonObject): SentryContext => {
        const project = admission(envelope);
        return { project, origin: project.origin ?? origin, envelope, receivedMs };
      };
      const reading = { maxBodyBytes, stallTimeoutMs, maxEventBytes, wanted, held, pieces, admit };
      return await target.reader(request, reading);
    } catch (error) {
      return { failure: toFault(error) };
    }
  }

  return async (request, response, target) => {
    const held = ingest.begin();
    const pieces = new HeldBody(held);
    try {
      const { sent, failure } = await read(request, held, pieces, target);
      // Complete items are accepted even if the rest failed: most SDKs never retry.
      const accepted = sent && (await acceptEnvelopeItems(sent, options));
      if (failure !== undefined) await countFailure(failure, sent === undefined ? undefined : pieces, options);
      const fault = failure ?? accepted?.rejection;
      if (fault !== undefined) {
        warnOnce(fault);
        throw fault;
      }
      sendAccepted(request, response, accepted?.eventId);
    } finally {
      held.releaseAll();
    }
  };
}

/** Faults of bodies whose rest is not lost. */
const KEPT_FAULTS = ['ENVELOPE_MALFORMED', 'BODY_COMPRESSION_INVALID'];

/** Counts a failed body as one; what was not understood of it, or not decompressed, goes to the dead letters if its sender was admitted. */
async function countFailure(
  failure: Fault,
  pieces: HeldBody | undefined,
  receiver: SentryReceiverContext,
): Promise<void> {
  const { code, message, retryable } = failure;
  const received = pieces?.slice(0, Math.min(pieces.bytes, MAX_CONTENT_BYTES));
  if (received === undefined || !KEPT_FAULTS.includes(code)) {
    receiver.account.count(retryable ? 'refused' : 'rejected', code);
    return;
  }
  await receiver.intake.reject([
    { code, field: '', reason: message, ...(received.length > 0 && { received }), bytes: null },
  ]);
}

/** Sends 200 with the id of the event, if any. */
function sendAccepted({ method }: IncomingMessage, response: ServerResponse, eventId: string | undefined): void {
  const headers = { 'x-sentry-rate-limits': RATE_LIMITS };
  if (method === 'GET') sendJson(response, 200, PIXEL, { ...headers, 'content-type': 'image/gif' });
  else sendJson(response, 200, JSON.stringify(eventId === undefined ? {} : { id: eventId }), headers);
}

/** Sends a fault in Sentry's format, with the fault's `code`. */
export function sendSentryFault(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const { code, message, cause } = fault;
  const causes = cause instanceof Fault && cause.message !== message ? [cause.message] : [];
  const members = fault instanceof RequestFault ? fault.members : {};
  sendEarly(request, response, statusOf(fault), JSON.stringify({ detail: message, causes, code, ...members }), {
    // Header values must be ASCII.
    'x-sentry-error': printable(message.slice(0, MAX_HEADER_LENGTH)).replace(/[^\x20-\x7e]/g, '?'),
    ...faultHeaders(fault),
  });
}
