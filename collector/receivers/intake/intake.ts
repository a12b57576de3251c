import { isUtf8 } from 'node:buffer';
import type { ReceivedEvent, SenderOrigin, StoredEvent } from '../../../core/contract/stages.js';
import type { EventId } from '../../../core/event/ids.js';
import type { JsonObject } from '../../../core/event/json.js';
import { trimJsonSpace } from '../../../core/event/json-bytes.js';
import type { EventNote } from '../../../core/event/note.js';
import { type RawPayload, withRepeats } from '../../../core/event/raw-payload.js';
import type { SentJson } from '../../../core/event/sent-json.js';
import { tooManyMembers } from '../../../core/event/validate/payload-check.js';
import { type PayloadDefaults, PayloadParser } from '../../../core/event/validate/payload-reader.js';
import type { CutCounts, LeftOut } from '../../../core/event/validate/repairs.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { MAX_CONTENT_BYTES } from '../../../core/storage/dead-letters/encode-content.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { EventLimits } from '../../../generated/settings.js';
import { type Consumer, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, type Outcome } from '../../component/consumer.js';
import { toFault } from '../../http/messages/problem.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import { approximateSize } from './approximate-size.js';

/** Options of one receiver's intake. */
export interface IntakeOptions {
  /** Component id of the receiver. */
  readonly receiver: string;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  readonly defaults: PayloadDefaults;
  readonly limits: EventLimits;
  /** Approximate bound of a mapped payload, in characters of its JSON; default: unbounded, because the protocol's decoder has bounds. */
  readonly maxEventSize?: number;
  /** Whether a record may set its weight, see `PayloadParser`; default false. */
  readonly keepsWeight?: boolean;
}

/** One failure as a receiver has mapped it from its protocol. */
export interface MappedRecord {
  /** A raw payload: always `error_name`, `message` and `route`, other keys of a payload if the protocol has them, all else under `extra`. */
  readonly value: JsonObject;
  /** What the received text had besides, with paths in `value`; default: nothing. */
  readonly leftOut?: readonly LeftOut[] | undefined;
  /** Returns the received bytes for the dead letters; called if the record is rejected. */
  readonly received: () => Buffer;
  /** The event that counts its occurrence. */
  readonly repeats?: EventId | undefined;
}

/** Records in order, for example an array. Each index is read once, so the owner may free the record afterwards. */
export interface MappedRecords {
  readonly length: number;
  at(index: number): MappedRecord | undefined;
}

/** Why a record was rejected. */
export type Rejection = Pick<RejectedPayload, 'field' | 'code' | 'reason'>;

interface RejectedRecord {
  readonly kind: 'rejected';
  readonly rejection: Rejection;
}

/** The outcome of one record. */
export type RecordOutcome =
  /** Without notes if nothing was changed. */
  | { readonly kind: 'stored'; readonly stored: StoredEvent; readonly notes?: readonly EventNote[] }
  /** By a processor. */
  | { readonly kind: 'dropped'; readonly as: 'filtered' | 'sampled' }
  | RejectedRecord;

/** What became of a report: its event, or only counted; undefined: rejected, filtered or refused, so that another report counts. */
export type Settlement = EventId | 'sampled' | undefined;

/** `outcome`: undefined if the record was refused. */
export function settlementOf(outcome: RecordOutcome | undefined): Settlement {
  if (outcome?.kind === 'stored') return outcome.stored.event_id;
  return outcome?.kind === 'dropped' && outcome.as === 'sampled' ? 'sampled' : undefined;
}

/** Where the records of all protocols meet: validates the records of one receiver as payloads, forwards them in batches and counts the outcome of each. */
export class Intake {
  readonly payloads: PayloadParser;
  readonly options: IntakeOptions;

  /** Throws Fault `PAYLOAD_LIMIT_INVALID`. */
  constructor(options: IntakeOptions) {
    const { defaults, limits, keepsWeight = false } = options;
    this.options = options;
    this.payloads = new PayloadParser({
      defaults,
      keepsWeight,
      limits: {
        maxStringLength: limits.max_string_length,
        maxStackLength: limits.max_stack_length,
        maxDepth: limits.max_depth,
        maxTags: limits.max_tags,
      },
    });
  }

  /** Begins with no record. `origin`: who sent all of them; undefined: unknown. */
  begin(origin: SenderOrigin | undefined): PendingRecords {
    return new PendingRecords(this.payloads, this.options, origin);
  }

  /** Appends the outcome of each record without one to `outcomes`; if the consumer refuses, throws a Fault and counts those without as refused. */
  async accept(records: MappedRecords, outcomes: RecordOutcome[], origin?: SenderOrigin): Promise<void> {
    const pending = this.begin(origin);
    while (outcomes.length < records.length) {
      try {
        await addUntilFull(pending, records, outcomes.length);
        for (const outcome of await pending.deliver()) outcomes.push(outcome);
      } catch (error) {
        const fault = toFault(error);
        this.options.account.count('refused', fault.code, records.length - outcomes.length);
        throw fault;
      }
    }
  }

  /** Forwards payloads that did not become records to the dead letters and counts each as `eventsOfEach` events. Throws if the consumer refuses, and counts that instead. */
  async reject(payloads: readonly RejectedPayload[], eventsOfEach = 1): Promise<void> {
    const { receiver, consumer, account } = this.options;
    try {
      await consumer.consume({ receiver, events: [], rejected: payloads });
    } catch (error) {
      const fault = toFault(error);
      account.count('refused', fault.code, payloads.length * eventsOfEach);
      throw fault;
    }
    for (const { code } of payloads) account.count('rejected', code, eventsOfEach);
  }
}

async function addUntilFull(pending: PendingRecords, records: MappedRecords, from: number): Promise<void> {
  const slice = beginTimeSlice();
  for (let index = from; index < records.length && !pending.isFull; index++) {
    const record = records.at(index);
    if (record === undefined) throw new RangeError(`record ${index} of ${records.length} is missing`);
    pending.addMapped(record.value, record.received, record.repeats, record.leftOut);
    if (slice.isOver) await slice.next();
  }
}

/** An event without an outcome yet. */
interface PendingEvent {
  readonly kind: 'pending';
  readonly notes: readonly EventNote[];
  readonly cuts: CutCounts;
}

/** Larger events are prepared in time slices, when their batch is stored. */
const MAX_PREPARED_BYTES = 64 * 1024;
/** Smaller than MAX_BATCH_BYTES: rejected payloads are encoded in one turn of the event loop. */
const MAX_REJECTED_BYTES = 256 * 1024;
const INVALID_UTF8: EventNote = {
  code: 'INVALID_UTF8',
  field: '',
  reason: 'bytes that are not UTF-8 were replaced by U+FFFD',
};

/** Records without an outcome yet. Order: `addText`, `addMapped` or `reject`…, with `deliver` whenever `isFull`, then `deliver`. */
export class PendingRecords {
  readonly #payloads: PayloadParser;
  readonly #options: IntakeOptions;
  readonly #origin: SenderOrigin | undefined;
  #records: (PendingEvent | RejectedRecord)[] = [];
  #events: ReceivedEvent[] = [];
  #bytes = 0;
  #rejected: RejectedPayload[] = [];
  #rejectedBytes = 0;

  constructor(payloads: PayloadParser, options: IntakeOptions, origin: SenderOrigin | undefined) {
    this.#payloads = payloads;
    this.#options = options;
    this.#origin = origin;
  }

  get count(): number {
    return this.#records.length;
  }

  /** Whether to call `deliver` before the next record. */
  get isFull(): boolean {
    const isFull = this.#records.length >= MAX_BATCH_EVENTS || this.#bytes >= MAX_BATCH_BYTES;
    return isFull || this.#rejectedBytes >= MAX_REJECTED_BYTES;
  }

  /** Adds or rejects one record as its sender wrote it: `sent` is the JSON of the text `received`, or of what was not left out. The text becomes the raw line if no value of it changes. */
  addText(sent: SentJson, received: Buffer): void {
    const reading = this.#payloads.parse(sent.value, sent.leftOut);
    if (!reading.ok) {
      this.reject(reading.rejection, received);
      return;
    }
    const { payload, cuts, added } = reading;
    const changes = isUtf8(received) ? sent.notes : [...sent.notes, INVALID_UTF8];
    const line = added !== undefined && changes.length === 0 ? asRawLine(received, payload, added) : undefined;
    const event = line === undefined ? { payload } : { payload, encoded: line };
    const notes = changes.length === 0 ? reading.notes : [...reading.notes, ...changes];
    this.#add(event, { kind: 'pending', notes, cuts }, received.length);
  }

  /** Adds or rejects one record that was mapped from another protocol. `received` returns its bytes for the dead letters; `repeats`: the event that counts its occurrence. */
  addMapped(value: JsonObject, received: () => Buffer, repeats?: EventId, leftOut?: readonly LeftOut[]): void {
    const reading = this.#payloads.parse(value, leftOut);
    if (!reading.ok) {
      this.reject(reading.rejection, received());
      return;
    }
    const { limits, maxEventSize = Number.POSITIVE_INFINITY } = this.#options;
    const { payload, notes, cuts } = reading;
    const { characters, members } = approximateSize(payload);
    if (members > limits.max_members) {
      const reason = tooManyMembers(limits.max_members);
      this.reject({ field: '', code: 'EVENT_TOO_MANY_MEMBERS', reason }, received());
    } else if (characters > maxEventSize) {
      this.reject({ field: '', code: 'EVENT_TOO_LARGE', reason: `is larger than ${maxEventSize} bytes` }, received());
    } else {
      const event = { payload: repeats === undefined ? payload : withRepeats(payload, repeats) };
      this.#add(event, { kind: 'pending', notes, cuts }, characters);
    }
  }

  /** Adds one rejected record; without `received` the dead letter has no content. */
  reject({ field, code, reason }: Rejection, received?: Buffer): void {
    this.#records.push({ kind: 'rejected', rejection: { field, code, reason } });
    this.#bytes += received?.length ?? 0;
    this.#rejectedBytes += Math.min(received?.length ?? 0, MAX_CONTENT_BYTES);
    const content = received === undefined ? { bytes: null } : { received, bytes: received.length };
    this.#rejected.push({ code, field, reason, ...content });
  }

  /** Forwards the records and returns their outcomes in order. Throws if the consumer refuses: the records are then dropped, and the caller counts them. */
  async deliver(): Promise<readonly RecordOutcome[]> {
    const records = this.#records;
    if (records.length === 0) return [];
    this.#records = [];
    return settleOutcomes(records, await this.#forward(), this.#options.account);
  }

  #add(event: ReceivedEvent, record: PendingEvent, bytes: number): void {
    const { consumer } = this.#options;
    const isSmall = bytes <= MAX_PREPARED_BYTES;
    this.#events.push((isSmall && consumer.prepare?.(event)) || event);
    this.#records.push(record);
    this.#bytes += bytes;
  }

  /** Not async, so that no frame holds the payloads while the batch waits for the disk. */
  #forward(): Promise<readonly Outcome[]> {
    const { receiver, consumer } = this.#options;
    const events = this.#events;
    const rejected = this.#rejected;
    this.#events = [];
    this.#rejected = [];
    this.#bytes = 0;
    this.#rejectedBytes = 0;
    const batch = { receiver, events, origin: this.#origin };
    return consumer.consume(rejected.length === 0 ? batch : { ...batch, rejected });
  }
}

function settleOutcomes(
  records: readonly (PendingEvent | RejectedRecord)[],
  results: readonly Outcome[],
  account: ReceiverAccount,
): readonly RecordOutcome[] {
  let index = 0;
  return records.map((record) => {
    if (record.kind === 'rejected') {
      account.count('rejected', record.rejection.code);
      return record;
    }
    const result = results[index++];
    if (result?.kind === 'stored') {
      account.stored(record.cuts);
      return record.notes.length === 0 ? result : { ...result, notes: record.notes };
    }
    account.count(result?.as ?? 'refused', result?.reason ?? 'OUTCOME_MISSING');
    return { kind: 'dropped', as: result?.as ?? 'filtered' };
  });
}

/** Returns the bytes with the added members as a raw line; undefined if they span several lines. */
function asRawLine(bytes: Buffer, payload: RawPayload, added: readonly (keyof RawPayload)[]): Buffer | undefined {
  const line = trimJsonSpace(bytes);
  if (line.includes(0x0a) || line.includes(0x0d)) return undefined;
  if (added.length === 0) return line;
  const members = added.map((key) => `"${key}":${JSON.stringify(payload[key])}`);
  return Buffer.concat([line.subarray(0, -1), Buffer.from(`,${members.join()}}`)]);
}
