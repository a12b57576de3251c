import type { IncomingMessage } from 'node:http';
import type { Fault } from '../../../../core/event/fault.js';
import type { HeldBody } from '../../../component/ingest-memory.js';
import { toFault } from '../../../http/messages/problem.js';
import { type BodyLimits, readBody } from '../../../http/messages/read-body.js';
import type { Admission } from '../project-gate.js';
import type { SentryContext } from '../sentry-context.js';
import { EnvelopeParser } from './envelope-parser.js';

/** Item types that the receiver uses; all others are counted and dropped. */
type WantedType = 'event' | 'log' | 'client_report';

/** An item of a wanted type; without payload if it exceeds its bound. */
export interface SentItem {
  readonly type: WantedType;
  readonly payload: Buffer | undefined;
  readonly bytes: number;
}

/** The complete items of one request. */
export interface SentItems {
  readonly context: SentryContext;
  readonly items: readonly SentItem[];
  readonly skipped: number;
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
  readonly pieces: HeldBody;
  readonly admit: Admission;
  /** Milliseconds since the epoch. */
  readonly receivedMs: number;
}

/** The protocol allows 4 KiB, item 41, but reports of a long outage are larger. */
const MAX_CLIENT_REPORT_BYTES = 64 * 1024;

/** Reads an envelope. Does not throw: returns the items before a failure with it. Stores nothing of a sender that is not admitted. */
export async function readEnvelope(request: IncomingMessage, options: SentryReadOptions): Promise<SentryReadResult> {
  const { maxEventBytes, pieces, admit, receivedMs } = options;
  const items: SentItem[] = [];
  let skipped = 0;
  let context: SentryContext | undefined;
  const add = (type: string, payload: Buffer | undefined, bytes: number) => {
    if (isWantedType(type)) items.push({ type, payload, bytes });
  };
  const parser = new EnvelopeParser({
    wanted: new Map([
      ['event', maxEventBytes],
      ['log', maxEventBytes],
      ['client_report', MAX_CLIENT_REPORT_BYTES],
    ]),
    pieces,
    sink: {
      header(header) {
        context = { project: admit(header), envelope: header, receivedMs };
      },
      item: (type, payload) => add(type, payload, payload.length),
      tooLarge: (type, bytes) => add(type, undefined, bytes),
      skipped() {
        skipped++;
      },
    },
  });
  const sent = () => (context === undefined ? {} : { sent: { context, items, skipped } });
  try {
    await readBody(request, options, (chunk) => parser.push(chunk));
    parser.end();
    return sent();
  } catch (error) {
    return { ...sent(), failure: toFault(error) };
  }
}

function isWantedType(type: string): type is WantedType {
  return type === 'event' || type === 'log' || type === 'client_report';
}
