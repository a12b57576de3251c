import { isUtf8 } from 'node:buffer';
import type { ReceivedEvent, SenderOrigin, StoredEvent } from '../../../core/contract/stages.js';
import type { EventId } from '../../../core/event/ids.js';
import { trimJsonSpace } from '../../../core/event/json-bytes.js';
import type { EventNote } from '../../../core/event/note.js';
import { type RawPayload, withRepeats } from '../../../core/event/raw-payload.js';
import type { PayloadDefaults } from '../../../core/event/validate/complete-payload.js';
import { tooManyMembers } from '../../../core/event/validate/payload-check.js';
import type { PayloadParseResult, PayloadParser } from '../../../core/event/validate/payload-reader.js';
import type { CutCounts } from '../../../core/event/validate/repairs.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { MAX_CONTENT_BYTES } from '../../../core/storage/dead-letters/encode-content.js';
import type { EventLimits } from '../../../generated/settings.js';
import { type Consumer, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, type Outcome } from '../../component/consumer.js';
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
  /** Whether a record may set its weight, see `createPayloadParser`; default false. */
  readonly keepsWeight?: boolean;
}

/** Why a record was rejected. */
export type Rejection = Pick<RejectedPayload, 'field' | 'code' | 'reason'>;

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

interface RejectedRecord {
  readonly kind: 'rejected';
  readonly rejection: Rejection;
}

/** An event without an outcome yet. */
interface PendingEvent {
  readonly kind: 'pending';
  readonly notes?: readonly EventNote[];
  readonly cuts: CutCounts;
}

type AcceptedReading = Extract<PayloadParseResult, { ok: true }>;

/** Shared by all unchanged events. */
const UNCHANGED: PendingEvent = { kind: 'pending', cuts: {} };
/** Larger events are prepared in time slices, when their batch is stored. */
const MAX_PREPARED_BYTES = 64 * 1024;
/** Smaller than MAX_BATCH_BYTES: rejected payloads are encoded in one turn of the event loop. */
const MAX_REJECTED_BYTES = 256 * 1024;
const INVALID_UTF8: EventNote = {
  code: 'INVALID_UTF8',
  field: '',
  reason: 'bytes that are not UTF-8 were replaced by U+FFFD',
};

/** Records without an outcome yet. Order: `add` or `reject`…, with `deliver` whenever `isFull`, then `deliver`. */
export class PendingRecords {
  readonly #payloads: PayloadParser;
  readonly #options: IntakeOptions;
  readonly #origin: SenderOrigin | undefined;
  #records: (PendingEvent | RejectedRecord)[] = [];
  #events: ReceivedEvent[] = [];
  #bytes = 0;
  #rejected: RejectedPayload[] = [];
  #rejectedBytes = 0;

  /** `origin`: who sent all of them; undefined: unknown. */
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

  /** Adds or rejects one record: `received` is the text it was parsed from or returns the bytes it was mapped from; `repeats` counts its occurrence. */
  add(value: unknown, received: Buffer | (() => Buffer), repeats?: EventId): void {
    const reading = this.#payloads.parse(value);
    if (!reading.ok) this.reject(reading.rejection, typeof received === 'function' ? received() : received);
    else if (typeof received === 'function') this.#addMapped(reading, received, repeats);
    else this.#addParsed(reading, received);
  }

  /** Adds one rejected record; without `received` the dead letter has no content. */
  reject({ field, code, reason }: Rejection, received?: Buffer): void {
    this.#records.push({ kind: 'rejected', rejection: { field, code, reason } });
    this.#bytes += received?.length ?? 0;
    this.#rejectedBytes += Math.min(received?.length ?? 0, MAX_CONTENT_BYTES);
    const payload = received === undefined ? { bytes: null } : { received, bytes: received.length };
    this.#rejected.push({ code, field, reason, ...payload });
  }

  /** Forwards the records and returns their outcomes in order. Throws if the consumer refuses: the records are then dropped, and the caller counts them. */
  async deliver(): Promise<readonly RecordOutcome[]> {
    const records = this.#records;
    if (records.length === 0) return [];
    this.#records = [];
    return settleOutcomes(records, await this.#forward(), this.#options.account);
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

  #addParsed({ payload, notes, cuts, added }: AcceptedReading, received: Buffer): void {
    const isValid = isUtf8(received);
    const line = added !== undefined && isValid ? asRawLine(received, payload, added) : undefined;
    this.#push(isValid ? notes : [...notes, INVALID_UTF8], cuts, received.length);
    this.#addEvent(line === undefined ? { payload } : { payload, encoded: line }, received.length);
  }

  #addMapped({ payload, notes, cuts }: AcceptedReading, received: () => Buffer, repeats?: EventId): void {
    const { limits, maxEventSize = Number.POSITIVE_INFINITY } = this.#options;
    const { characters, members } = approximateSize(payload);
    if (members > limits.max_members) {
      this.reject(
        { field: '', code: 'EVENT_TOO_MANY_MEMBERS', reason: tooManyMembers(limits.max_members) },
        received(),
      );
    } else if (characters > maxEventSize) {
      this.reject({ field: '', code: 'EVENT_TOO_LARGE', reason: `is larger than ${maxEventSize} bytes` }, received());
    } else {
      this.#push(notes, cuts, characters);
      this.#addEvent({ payload: repeats === undefined ? payload : withRepeats(payload, repeats) }, characters);
    }
  }

  #addEvent(event: ReceivedEvent, bytes: number): void {
    const { prepare } = this.#options.consumer;
    this.#events.push(prepare === undefined || bytes > MAX_PREPARED_BYTES ? event : prepare(event));
  }

  #push(notes: readonly EventNote[], cuts: CutCounts, bytes: number): void {
    this.#records.push(notes.length === 0 ? UNCHANGED : { kind: 'pending', notes, cuts });
    this.#bytes += bytes;
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
      return record.notes === undefined ? result : { ...result, notes: record.notes };
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
