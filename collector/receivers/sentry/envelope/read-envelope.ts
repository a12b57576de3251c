import type { IncomingMessage } from 'node:http';
import type { Fault } from '../../../../core/event/fault.js';
import type { JsonObject } from '../../../../core/event/json.js';
import type { HeldBody, RequestMemory } from '../../../component/ingest-memory.js';
import { toFault } from '../../../http/messages/problem.js';
import { type BodyLimits, readBody } from '../../../http/messages/read-body.js';
import type { SentryContext } from '../sentry-context.js';
import { EnvelopeParser } from './envelope-parser.js';

/** Item types that the receiver uses; all others are counted and dropped. `raw_security` has reports of browsers. */
const WANTED = ['event', 'log', 'raw_security', 'client_report', 'session', 'sessions'] as const;
type WantedType = (typeof WANTED)[number];

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
  /** See `wantedItems`. */
  readonly wanted: ReadonlyMap<WantedType, number>;
  readonly held: RequestMemory;
  readonly pieces: HeldBody;
  /** Admits a request by the header of its envelope, if it has one. Throws as `ProjectGate`. */
  readonly admit: (header: JsonObject) => SentryContext;
}

/** The protocol allows 4 KiB, but reports of a long outage are larger. */
const MAX_CLIENT_REPORT_BYTES = 64 * 1024;
const MAX_SESSIONS_BYTES = 256 * 1024;
const BYTES_OF: Readonly<Partial<Record<WantedType, number>>> = {
  client_report: MAX_CLIENT_REPORT_BYTES,
  session: MAX_SESSIONS_BYTES,
  sessions: MAX_SESSIONS_BYTES,
};

/** The wanted types with their most bytes. */
export function wantedItems(maxEventBytes: number): ReadonlyMap<WantedType, number> {
  return new Map(WANTED.map((type) => [type, BYTES_OF[type] ?? maxEventBytes]));
}

/** Reads an envelope. Does not throw: returns the items before a failure with it. Stores nothing of a sender that is not admitted. */
export async function readEnvelope(request: IncomingMessage, options: SentryReadOptions): Promise<SentryReadResult> {
  const { wanted, pieces, admit } = options;
  const items: SentItem[] = [];
  const skipped = { items: 0, minidumps: 0 };
  let context: SentryContext | undefined;
  const parser = new EnvelopeParser(wanted, pieces, {
    header(header) {
      context = admit(header);
    },
    item: (type, payload, bytes) => void items.push({ type, payload, bytes }),
    skipped: (isMinidump) => void skipped[isMinidump ? 'minidumps' : 'items']++,
  });
  const sent = () => (context === undefined ? {} : { sent: { context, items, skipped } });
  try {
    await readBody(request, options, (chunk) => parser.push(chunk), options);
    parser.end();
    return sent();
  } catch (error) {
    return { ...sent(), failure: toFault(error) };
  }
}
