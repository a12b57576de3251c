import type { PayloadDefaults } from '../../core/event/complete-payload.js';
import type { JsonObject } from '../../core/event/json.js';
import type { PayloadLimits } from '../../core/event/payload-limits.js';
import { createPayloadReader, type PayloadReader, type PayloadReading } from '../../core/event/payload-reader.js';
import type { PayloadRejection } from '../../core/event/payload-rejection.js';
import type { CutCounts } from '../../core/event/repairs.js';
import type { ReceivedEvent, StoredEvent } from '../../core/event/stages.js';
import type { RejectedPayload } from '../../core/storage/rejected/rejected-payload.js';
import { beginTimeSlice } from '../../core/time-slice.js';
import { toFault } from '../http/problem.js';
import type { Consumer } from '../pipeline.js';
import type { ReceiverAccount } from '../telemetry/ledger.js';
import { approximateSize } from './approximate-size.js';

/** One failure as a receiver has mapped it from its protocol. */
export interface MappedRecord {
  /** A raw payload as far as the protocol gives one: `error_name`, `message` and `route` always, other keys of the specification where it has them; all else lies under `extra`. */
  readonly value: JsonObject;
  /** What the sender sent of it, for the dead letters; called when it is rejected. */
  readonly received: () => Buffer;
}

/** What became of one record. */
export type RecordOutcome =
  | { readonly kind: 'stored'; readonly stored: StoredEvent }
  /** By a processor, because an operator wanted so. */
  | { readonly kind: 'dropped' }
  | { readonly kind: 'rejected'; readonly rejection: PayloadRejection };

/** What all requests of one receiver have in common. */
export interface RecordIntakeOptions {
  /** Component id of the receiver. */
  readonly receiver: string;
  readonly defaults: PayloadDefaults;
  readonly limits: PayloadLimits;
  /** Largest payload, about, in characters of its JSON; default: what the protocol's reader lets through. */
  readonly maxEventSize?: number;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
}

/** Takes the records that a receiver has mapped, validates and hands them on, and keeps the account of what became of each. */
export interface RecordIntake {
  /**
   * Appends the outcome of every record to `outcomes`, beginning with the record after those that have one. Resolves when all have. When the line
   * refuses, throws a Fault: what was appended is done and must not be handed in again, the rest is as if it had never come (it was counted as refused).
   */
  take(records: readonly MappedRecord[], outcomes: RecordOutcome[]): Promise<void>;
}

const MAX_BATCH_EVENTS = 500;
/** Records may share what their sender says of itself: a small request can be many large events. */
const MAX_BATCH_SIZE = 1024 * 1024;

/** The part of the records that is handed on together. */
interface Part {
  readonly outcomes: (RecordOutcome | undefined)[];
  /** The cuts of each event, in the order of `events`. */
  readonly cuts: CutCounts[];
  readonly events: ReceivedEvent[];
  readonly rejected: RejectedPayload[];
}

/** Builds the intake of one receiver. Throws Fault `PAYLOAD_LIMIT_INVALID`. */
export function createRecordIntake({
  receiver,
  defaults,
  limits,
  consumer,
  account,
  maxEventSize = Number.POSITIVE_INFINITY,
}: RecordIntakeOptions): RecordIntake {
  const payloads = createPayloadReader({ defaults, limits });
  const reader: SizedReader = { read: (value) => readSized(payloads, value, maxEventSize) };

  async function handOn(part: Part): Promise<void> {
    const { events, rejected } = part;
    if (events.length === 0 && rejected.length === 0) return;
    const batch = rejected.length === 0 ? { receiver, events } : { receiver, events, rejected };
    const results = await consumer.consume(batch);
    let place = 0;
    for (const [index, outcome] of part.outcomes.entries()) {
      if (outcome !== undefined) continue;
      const result = results[place];
      if (result?.kind === 'stored') account.stored(part.cuts[place] ?? {});
      else account.lost(result?.as ?? 'refused', result?.reason ?? 'OUTCOME_MISSING');
      part.outcomes[index] = result?.kind === 'stored' ? result : { kind: 'dropped' };
      place++;
    }
  }

  return {
    async take(records, outcomes) {
      while (outcomes.length < records.length) {
        const part = await read(reader, records, outcomes.length);
        try {
          await handOn(part);
        } catch (error) {
          const fault = toFault(error);
          const rest = records.length - outcomes.length;
          account.lost('refused', fault.code, rest);
          throw fault;
        }
        for (const outcome of part.outcomes) {
          if (outcome === undefined) continue;
          if (outcome.kind === 'rejected') account.lost('rejected', outcome.rejection.code);
          outcomes.push(outcome);
        }
      }
    },
  };
}

type SizedReading =
  | (Extract<PayloadReading, { ok: true }> & { readonly size: number })
  | Extract<PayloadReading, { ok: false }>;

interface SizedReader {
  read(value: JsonObject): SizedReading;
}

function readSized(payloads: PayloadReader, value: JsonObject, maxEventSize: number): SizedReading {
  const reading = payloads.read(value);
  if (!reading.ok) return reading;
  const size = approximateSize(reading.payload);
  if (size <= maxEventSize) return { ...reading, size };
  const reason = `is larger than ${maxEventSize} bytes`;
  return { ok: false, rejection: { field: '', code: 'EVENT_TOO_LARGE', reason } };
}

/** Reads as many records, from a place on, as are handed on together. */
async function read(reader: SizedReader, records: readonly MappedRecord[], from: number): Promise<Part> {
  const part: Part = { outcomes: [], cuts: [], events: [], rejected: [] };
  const slice = beginTimeSlice();
  let size = 0;
  for (let place = from; place < records.length; place++) {
    const record = records[place];
    if (record === undefined || place - from === MAX_BATCH_EVENTS || size >= MAX_BATCH_SIZE) break;
    const { value, received } = record;
    const reading = reader.read(value);
    if (reading.ok) {
      size += reading.size;
      part.events.push({ payload: reading.payload });
      part.cuts.push(reading.cuts);
      part.outcomes.push(undefined);
    } else {
      const { field, code, reason } = reading.rejection;
      const bytes = received();
      size += bytes.length;
      part.rejected.push({ code, field, reason, received: bytes, bytes: bytes.length });
      part.outcomes.push({ kind: 'rejected', rejection: reading.rejection });
    }
    if (slice.isOver) await slice.next();
  }
  return part;
}
