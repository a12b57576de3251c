import type { PayloadDefaults } from '../../core/event/complete-payload.js';
import type { JsonObject } from '../../core/event/json.js';
import type { PayloadLimits } from '../../core/event/payload-limits.js';
import { createPayloadReader, type PayloadReader, type PayloadReading } from '../../core/event/payload-reader.js';
import { type PayloadRejection, tooManyMembers } from '../../core/event/payload-rejection.js';
import type { CutCounts } from '../../core/event/repairs.js';
import type { ReceivedEvent, StoredEvent } from '../../core/event/stages.js';
import type { RejectedPayload } from '../../core/storage/rejected/rejected-payload.js';
import { beginTimeSlice } from '../../core/time-slice.js';
import { toFault } from '../http/problem.js';
import { type Consumer, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, type Outcome } from '../pipeline.js';
import type { ReceiverAccount } from '../telemetry/ledger.js';
import { approximateSize } from './approximate-size.js';

/** One failure as a receiver has mapped it from its protocol. */
export interface MappedRecord {
  /** A raw payload as far as the protocol gives one: `error_name`, `message` and `route` always, other keys of the specification where it has them; all else lies under `extra`. */
  readonly value: JsonObject;
  /** What the sender sent of it, for the dead letters; called when it is rejected. */
  readonly received: () => Buffer;
}

/** Records in their order, an array for example. `take` asks for each once: whoever does not want to hand a record in again may let go of it then. */
export interface MappedRecords {
  readonly length: number;
  at(place: number): MappedRecord | undefined;
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
  /** Most members of objects and elements of arrays in one payload. */
  readonly maxMembers: number;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  /** Whether a record may say for how many events it counts, as for `createPayloadReader`; default false. */
  readonly keepsWeight?: boolean;
}

/** Takes the records that a receiver has mapped, validates and hands them on, and keeps the account of what became of each. */
export interface RecordIntake {
  /**
   * Appends the outcome of every record to `outcomes`, beginning with the record after those that have one. Resolves when all have. When the line
   * refuses, throws a Fault: what was appended is done and must not be handed in again, the rest is as if it had never come (it was counted as refused).
   * Holds no record while it waits for the line.
   */
  take(records: MappedRecords, outcomes: RecordOutcome[]): Promise<void>;
}

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
  maxMembers,
  keepsWeight = false,
}: RecordIntakeOptions): RecordIntake {
  const payloads = createPayloadReader({ defaults, limits, keepsWeight });
  const reader: SizedReader = { read: (value) => readSized(payloads, value, { maxEventSize, maxMembers }) };

  // Not async: the frame of an async function holds until its end whatever it was given, and the payloads are most of the memory of a busy collector.
  function handOn({ events, rejected, outcomes, cuts }: Part): Promise<readonly RecordOutcome[]> {
    const batch = rejected.length === 0 ? { receiver, events } : { receiver, events, rejected };
    return consumer.consume(batch).then((results) => settle(outcomes, cuts, results));
  }

  function settle(
    outcomes: readonly (RecordOutcome | undefined)[],
    cuts: readonly CutCounts[],
    results: readonly Outcome[],
  ): readonly RecordOutcome[] {
    let place = 0;
    return outcomes.map((outcome) => {
      if (outcome?.kind === 'rejected') account.lost('rejected', outcome.rejection.code);
      if (outcome !== undefined) return outcome;
      const result = results[place];
      const ofEvent = cuts[place] ?? {};
      place++;
      if (result?.kind === 'stored') {
        account.stored(ofEvent);
        return result;
      }
      account.lost(result?.as ?? 'refused', result?.reason ?? 'OUTCOME_MISSING');
      return { kind: 'dropped' };
    });
  }

  return {
    async take(records, outcomes) {
      while (outcomes.length < records.length) {
        try {
          const more = await read(reader, records, outcomes.length).then(handOn);
          for (const outcome of more) outcomes.push(outcome);
        } catch (error) {
          const fault = toFault(error);
          const rest = records.length - outcomes.length;
          account.lost('refused', fault.code, rest);
          throw fault;
        }
      }
    },
  };
}

type SizedReading =
  | (Pick<Extract<PayloadReading, { ok: true }>, 'ok' | 'payload' | 'cuts'> & { readonly size: number })
  | Extract<PayloadReading, { ok: false }>;

interface SizedReader {
  read(value: JsonObject): SizedReading;
}

function readSized(
  payloads: PayloadReader,
  value: JsonObject,
  { maxEventSize, maxMembers }: Required<Pick<RecordIntakeOptions, 'maxEventSize' | 'maxMembers'>>,
): SizedReading {
  const reading = payloads.read(value);
  if (!reading.ok) return reading;
  const { characters: size, members } = approximateSize(reading.payload);
  if (members > maxMembers)
    return {
      ok: false,
      rejection: { field: '', code: 'EVENT_TOO_MANY_MEMBERS', reason: tooManyMembers(maxMembers) },
    };
  if (size <= maxEventSize) return { ok: true, payload: reading.payload, cuts: reading.cuts, size };
  const reason = `is larger than ${maxEventSize} bytes`;
  return { ok: false, rejection: { field: '', code: 'EVENT_TOO_LARGE', reason } };
}

/** Reads as many records, from a place on, as are handed on together. */
async function read(reader: SizedReader, records: MappedRecords, from: number): Promise<Part> {
  const part: Part = { outcomes: [], cuts: [], events: [], rejected: [] };
  const slice = beginTimeSlice();
  let size = 0;
  for (let place = from; place < records.length; place++) {
    if (place - from === MAX_BATCH_EVENTS || size >= MAX_BATCH_BYTES) break;
    const record = records.at(place);
    if (record === undefined) throw new RangeError(`record ${place} of ${records.length} is missing`);
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
