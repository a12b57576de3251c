import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Fault } from '../../../core/event/fault.js';
import { MAX_KEPT_BYTES } from '../../../core/storage/dead-letters/kept-content.js';
import { HeldBody, type IngestMemory } from '../../component/ingest-memory.js';
import { toFault } from '../../http/messages/problem.js';
import type { BodyLimits } from '../../http/messages/read-body.js';
import { beginAdmission } from './admission.js';
import { createKeyReader } from './credentials.js';
import { acceptEnvelopeItems } from './envelope/accept-items.js';
import { readEnvelope, type SentryReadResult } from './envelope/read-envelope.js';
import { readStore } from './envelope/read-store.js';
import type { ProjectGate } from './project-gate.js';
import type { SentryReceiverContext } from './sentry-context.js';
import { sendAccepted } from './sentry-response.js';

/** What all requests of one receiver have in common. */
export interface SentryHandlerOptions extends SentryReceiverContext, BodyLimits {
  readonly gate: ProjectGate;
  readonly ingest: IngestMemory;
  readonly logger: Logger;
}

/** Where a request was sent: `/api/<project>/<kind>/`, or the tunnel, which names no project. */
export interface SentryTarget {
  readonly kind: 'envelope' | 'store';
  readonly projectId?: string | undefined;
}

/** Answers a request, or throws the fault to answer. */
export type SentryHandler = (request: IncomingMessage, response: ServerResponse, target: SentryTarget) => Promise<void>;

const READERS = { envelope: readEnvelope, store: readStore } as const;

/** Builds the handler. */
export function createSentryHandler(options: SentryHandlerOptions): SentryHandler {
  const { gate, ingest, logger, maxBodyBytes, stallTimeoutMs, maxEventBytes } = options;
  const warnedOf = new Set<string>();
  const readKeys = createKeyReader();

  /** SDKs keep our answers to themselves, so the first fault of each kind is told here; the ledger counts them all. */
  function warnOnce({ code, retryable }: Fault): void {
    if (retryable || warnedOf.has(code)) return;
    warnedOf.add(code);
    // Not the fault's words: they quote what was sent.
    logger.warn({ code }, 'a Sentry SDK sent what was not taken; later ones are only counted');
  }

  async function read(request: IncomingMessage, pieces: HeldBody, target: SentryTarget): Promise<SentryReadResult> {
    const receivedMs = Date.now();
    try {
      const admit = beginAdmission(readKeys(request), target.projectId, gate);
      const bounds = { maxBodyBytes, stallTimeoutMs, maxEventBytes };
      return await READERS[target.kind](request, { ...bounds, pieces, admit, receivedMs });
    } catch (error) {
      return { failure: toFault(error) };
    }
  }

  return async (request, response, target) => {
    const held = ingest.begin();
    const pieces = new HeldBody(held);
    try {
      const { sent, failure } = await read(request, pieces, target);
      // What arrived whole counts, whatever became of the rest: most SDKs never send anything twice.
      const taken = sent && (await acceptEnvelopeItems(sent, options));
      if (failure !== undefined) await countFailure(failure, sent === undefined ? undefined : pieces, options);
      const fault = failure ?? taken?.rejection;
      if (fault !== undefined) {
        warnOnce(fault);
        throw fault;
      }
      sendAccepted(response, taken?.eventId);
    } finally {
      held.release();
    }
  };
}

/** Counts a body that could not be read to its end as one; what was left of a malformed envelope goes to the dead letters if its sender was admitted. */
async function countFailure(failure: Fault, pieces: HeldBody | undefined, line: SentryReceiverContext): Promise<void> {
  const { code, message, retryable } = failure;
  if (code !== 'ENVELOPE_MALFORMED' || pieces === undefined) {
    line.account.count(retryable ? 'refused' : 'rejected', code);
    return;
  }
  const received = pieces.copy().subarray(0, MAX_KEPT_BYTES);
  await line.intake.reject([
    { code, field: '', reason: message, ...(received.length > 0 && { received }), bytes: null },
  ]);
}
