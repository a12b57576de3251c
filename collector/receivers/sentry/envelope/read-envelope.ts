import type { IncomingMessage } from 'node:http';
import type { Fault } from '../../../../core/event/fault.js';
import type { HeldBody } from '../../../component/ingest-memory.js';
import { toFault } from '../../../http/messages/problem.js';
import { type BodyLimits, readBody } from '../../../http/messages/read-body.js';
import type { Admission } from '../admission.js';
import type { SentryContext } from '../sentry-context.js';
import { EnvelopeParser } from './envelope-parser.js';

/** Types of items that something is made of; all others are counted and dropped. */
export type WantedType = 'event' | 'log' | 'client_report';

/** One item of a wanted type; without payload when it was over its bound. */
export interface SentItem {
  readonly type: WantedType;
  readonly payload: Buffer | undefined;
  readonly bytes: number;
}

/** What arrived whole of one request. */
export interface SentItems {
  readonly context: SentryContext;
  readonly items: readonly SentItem[];
  /** Items of other types. */
  readonly skipped: number;
}

/** How the reading of a request ended. */
export interface SentryReadResult {
  /** Absent when nobody was admitted. */
  readonly sent?: SentItems;
  /** Why the rest could not be read; what arrived whole before it counts nevertheless. */
  readonly failure?: Fault;
}

/** Bounds of one request, and who sends it. */
export interface SentryReadOptions extends BodyLimits {
  readonly maxEventBytes: number;
  readonly pieces: HeldBody;
  readonly admit: Admission;
  /** Milliseconds since 1970. */
  readonly receivedMs: number;
}

/** The protocol says 4 KiB, item 41; the reports of a long outage are larger, and are counted all the same. */
const MAX_CLIENT_REPORT_BYTES = 64 * 1024;

/** Reads an envelope. Does not throw: what was whole before a failure is there beside it. Nothing is kept of who is not admitted. */
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
