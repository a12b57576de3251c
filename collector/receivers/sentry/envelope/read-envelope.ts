import type { IncomingMessage } from 'node:http';
import { Fault } from '../../../../core/event/fault.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import type { HeldBody, RequestMemory } from '../../../component/ingest-memory.js';
import { toFault } from '../../../http/messages/problem.js';
import { type BodyLimits, readBody } from '../../../http/messages/read-body.js';
import type { SentryContext } from '../sentry-context.js';
import { decodedBody } from './decoded-body.js';
import { EnvelopeParser, type EnvelopeRest, type EnvelopeSink } from './envelope-parser.js';
import type { SentItem, WantedItems } from './item-types.js';
import { LooseEnvelope } from './loose-envelope.js';

/** The complete items of one request. */
export interface SentItems {
  readonly context: SentryContext;
  readonly items: readonly SentItem[];
  readonly skipped: { items: number; minidumps: number };
}

/** The result of reading a request. */
export interface SentryReadResult {
  /** Absent if the sender was not admitted. */
  readonly sent?: SentItems;
  /** Why the rest is missing; complete items before it count. */
  readonly failure?: Fault;
}

/** Bounds and admission of one request. */
export interface SentryReadOptions extends BodyLimits {
  readonly maxEventBytes: number;
  readonly wanted: WantedItems;
  readonly held: RequestMemory;
  readonly pieces: HeldBody;
  /** Admits a request by the header of its envelope, if it has one. Throws as `ProjectGate`. */
  readonly admit: (header: JsonObject) => SentryContext;
}

/** Reads an envelope. Does not throw: returns the items before a failure with it. Stores nothing of a sender that is not admitted. */
export function readEnvelope(request: IncomingMessage, options: SentryReadOptions): Promise<SentryReadResult> {
  return collectItems(options, (push) => readBody(request, options, push, { ...options, isSniffed: true }));
}

/** Collects the items of an envelope that `feed` pushes in pieces; as `readEnvelope`. */
export async function collectItems(
  options: SentryReadOptions,
  feed: (push: (chunk: Buffer) => void) => Promise<unknown>,
): Promise<SentryReadResult> {
  const { wanted, pieces, held, admit } = options;
  const items: SentItem[] = [];
  const skipped = { items: 0, minidumps: 0 };
  let context: SentryContext | undefined;
  const sink: EnvelopeSink = {
    header(header) {
      context = admit(header);
    },
    item: (type, payload, bytes) => void items.push({ type, payload, bytes }),
    skipped: (isMinidump) => void skipped[isMinidump ? 'minidumps' : 'items']++,
  };
  const sent = () => (context === undefined ? {} : { sent: { context, items, skipped } });
  const parser = new EnvelopeParser(wanted, pieces, held, sink);
  try {
    await feed((chunk) => parser.push(chunk));
    const rest = parser.end();
    if (rest !== undefined) await readRest(rest, options, sink);
    return sent();
  } catch (error) {
    parser.abort();
    return { ...sent(), failure: toFault(error) };
  }
}

/** Reads what is not a well-formed envelope. Throws `ENVELOPE_MALFORMED` if a part of it is not understood. */
async function readRest(rest: EnvelopeRest, options: SentryReadOptions, sink: EnvelopeSink): Promise<void> {
  const bytes = rest.offset === 0 ? await decodedBody(rest.bytes, options) : rest.bytes;
  const steps = new LooseEnvelope({ ...rest, bytes }, options.wanted, sink).read();
  const slice = beginTimeSlice();
  let step = steps.next();
  while (step.done !== true) {
    if (slice.isOver) await slice.next();
    step = steps.next();
  }
  if (step.value !== undefined) {
    throw new Fault('ENVELOPE_MALFORMED', `the body is not a Sentry envelope: ${step.value}`);
  }
}
