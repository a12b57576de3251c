import { isUtf8 } from 'node:buffer';
import type { ReceivedEvent, StoredEvent } from '../../../core/contract/stages.js';
import type { EventNote } from '../../../core/event/note.js';
import type { PayloadDefaults } from '../../../core/event/validate/complete-payload.js';
import { tooManyMembers } from '../../../core/event/validate/payload-check.js';
import type { PayloadReader, PayloadReading } from '../../../core/event/validate/payload-reader.js';
import type { CutCounts } from '../../../core/event/validate/repairs.js';
import { MAX_KEPT_BYTES } from '../../../core/storage/dead-letters/kept-content.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/rejected-payload.js';
import type { EventLimits } from '../../../generated/settings.js';
import { type Consumer, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, type Outcome } from '../../component/consumer.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import { approximateSize } from './approximate-size.js';
import { trimJsonSpace } from './json-bytes.js';

/** What all requests of one receiver have in common. */
export interface IntakeOptions {
  /** Component id of the receiver. */
  readonly receiver: string;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  readonly defaults: PayloadDefaults;
  readonly limits: EventLimits;
  /** Largest payload that a protocol was mapped to, about, in characters of its JSON; default: what the protocol's reader lets through. */
  readonly maxEventSize?: number;
  /** Whether a record may say for how many events it counts, as for `createPayloadReader`; default false. */
  readonly keepsWeight?: boolean;
}

/** Why a record is among the dead letters. */
export type Rejection = Pick<RejectedPayload, 'field' | 'code' | 'reason'>;

/** What became of one record. */
export type RecordOutcome =
  /** Without notes when nothing was changed. */
  | { readonly kind: 'stored'; readonly stored: StoredEvent; readonly notes?: readonly EventNote[] }
  /** By a processor, because an operator wanted so. */
  | { readonly kind: 'dropped' }
  | RejectedRecord;

interface RejectedRecord {
  readonly kind: 'rejected';
  readonly rejection: Rejection;
}

/** What was changed in an event that has no outcome yet. */
interface PendingEvent {
  readonly kind: 'pending';
  readonly notes?: readonly EventNote[];
  readonly cuts: CutCounts;
}

type AcceptedReading = Extract<PayloadReading, { ok: true }>;

/** Shared by all events in which nothing was changed. */
const UNCHANGED: PendingEvent = { kind: 'pending', cuts: {} };
/** Smaller than a batch of events: rejected payloads are encoded in one turn of the event loop. */
const MAX_REJECTED_BYTES = 256 * 1024;
const INVALID_UTF8: EventNote = {
  code: 'INVALID_UTF8',
  field: '',
  reason: 'bytes that are not UTF-8 were replaced by U+FFFD',
};

/** Records that have no outcome yet. Order: `add` or `reject`…, with `deliver` whenever `isFull`, then `deliver`. */
export class PendingRecords {
  readonly #payloads: PayloadReader;
  readonly #options: IntakeOptions;
  /** All of them in their order. */
  #records: (PendingEvent | RejectedRecord)[] = [];
  #events: ReceivedEvent[] = [];
  #bytes = 0;
  #rejected: RejectedPayload[] = [];
  #rejectedBytes = 0;

  constructor(payloads: PayloadReader, options: IntakeOptions) {
    this.#payloads = payloads;
    this.#options = options;
  }

  get count(): number {
    return this.#records.length;
  }

  /** True when they should be handed on. */
  get isFull(): boolean {
    const isFull = this.#records.length >= MAX_BATCH_EVENTS || this.#bytes >= MAX_BATCH_BYTES;
    return isFull || this.#rejectedBytes >= MAX_REJECTED_BYTES;
  }

  /**
   * Takes one record, or rejects it where it is not a payload. `sent` is the text that the value was parsed from, whose size and members the caller has bounded;
   * for a record that was mapped it gives what was sent of it.
   */
  add(value: unknown, sent: Buffer | (() => Buffer)): void {
    const reading = this.#payloads.read(value);
    if (!reading.ok) this.reject(reading.rejection, typeof sent === 'function' ? sent() : sent);
    else if (typeof sent === 'function') this.#addMapped(reading, sent);
    else this.#addSent(reading, sent);
  }

  /** Takes one record that is rejected; without its bytes where they were not kept. */
  reject({ field, code, reason }: Rejection, received?: Buffer): void {
    this.#records.push({ kind: 'rejected', rejection: { field, code, reason } });
    this.#bytes += received?.length ?? 0;
    this.#rejectedBytes += Math.min(received?.length ?? 0, MAX_KEPT_BYTES);
    const payload = received === undefined ? { bytes: null } : { received, bytes: received.length };
    this.#rejected.push({ code, field, reason, ...payload });
  }

  /**
   * Hands on what was taken so far and resolves with its outcomes, in their order. Throws when the line refuses: all of it is then as if it had never come, and
   * the caller counts it.
   */
  async deliver(): Promise<readonly RecordOutcome[]> {
    const records = this.#records;
    if (records.length === 0) return [];
    this.#records = [];
    return settle(records, await this.#handOn(), this.#options.account);
  }

  /** Not async, so that no frame holds the payloads while the batch waits for the disk. */
  #handOn(): Promise<readonly Outcome[]> {
    const { receiver, consumer } = this.#options;
    const events = this.#events;
    const rejected = this.#rejected;
    this.#events = [];
    this.#rejected = [];
    this.#bytes = 0;
    this.#rejectedBytes = 0;
    return consumer.consume(rejected.length === 0 ? { receiver, events } : { receiver, events, rejected });
  }

  #addSent({ payload, notes, cuts, isCanonical }: AcceptedReading, sent: Buffer): void {
    const isValid = isUtf8(sent);
    const line = isCanonical && isValid ? asLine(sent) : undefined;
    this.#push(isValid ? notes : [...notes, INVALID_UTF8], cuts, sent.length);
    this.#events.push(line === undefined ? { payload } : { payload, encoded: line });
  }

  #addMapped({ payload, notes, cuts }: AcceptedReading, received: () => Buffer): void {
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
      this.#events.push({ payload });
    }
  }

  #push(notes: readonly EventNote[], cuts: CutCounts, bytes: number): void {
    this.#records.push(notes.length === 0 ? UNCHANGED : { kind: 'pending', notes, cuts });
    this.#bytes += bytes;
  }
}

function settle(
  records: readonly (PendingEvent | RejectedRecord)[],
  results: readonly Outcome[],
  account: ReceiverAccount,
): readonly RecordOutcome[] {
  let place = 0;
  return records.map((record) => {
    if (record.kind === 'rejected') {
      account.count('rejected', record.rejection.code);
      return record;
    }
    const result = results[place++];
    if (result?.kind === 'stored') {
      account.stored(record.cuts);
      return record.notes === undefined ? result : { ...result, notes: record.notes };
    }
    account.count(result?.as ?? 'refused', result?.reason ?? 'OUTCOME_MISSING');
    return { kind: 'dropped' };
  });
}

/** The bytes as a raw line; undefined when they are more than one line. */
function asLine(bytes: Buffer): Buffer | undefined {
  const line = trimJsonSpace(bytes);
  return line.includes(0x0a) || line.includes(0x0d) ? undefined : line;
}
