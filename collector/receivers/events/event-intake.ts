import { isUtf8 } from 'node:buffer';
import { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';
import type { EventNote } from '../../../core/event/note.js';
import type { PayloadReader } from '../../../core/event/payload-reader.js';
import type { CutCounts } from '../../../core/event/repairs.js';
import type { ReceivedEvent } from '../../../core/event/stages.js';
import type { RejectedPayload } from '../../../core/storage/rejected/rejected-payload.js';
import { toFault } from '../../http/problem.js';
import { RequestFault } from '../../http/request-fault.js';
import { type Consumer, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, type Outcome } from '../../pipeline.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import { trimJsonSpace } from '../json-bytes.js';
import { MAX_SYNC_BYTES, parseSteps } from '../parse-in-turns.js';
import { RejectedBatch } from '../rejected-batch.js';
import { IntakeAnswer, type TakenEvent } from './intake-answer.js';
import { tooManyEvents } from './json-body.js';
import { readJsonError } from './json-fault.js';

/** What every request of one receiver has in common. */
export interface IntakeOptions {
  /** Component id of the receiver. */
  readonly receiver: string;
  readonly reader: PayloadReader;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  readonly maxEvents: number;
  readonly maxEventBytes: number;
  readonly maxMembers: number;
}

/** What the answer says of an event beside what became of it. */
interface Place {
  readonly index: number;
  readonly notes: readonly EventNote[];
  readonly cuts: CutCounts;
}

/** How one request is taken. */
interface RequestOptions {
  /** The answer leaves `events` out. */
  readonly isMinimal: boolean;
  /** Events before this index were taken when the request came for the first time: they are passed over and count as accepted. */
  readonly fromIndex: number;
}

/**
 * Takes the events of one request one by one, hands them on in batches, and keeps the account of what became of them.
 * Order: `take`… with `deliver` whenever `isFull`, then `deliver`; after any failure only `fail`.
 */
export class EventIntake {
  readonly answer: IntakeAnswer;
  readonly #options: IntakeOptions;
  #events: ReceivedEvent[] = [];
  /** Of the events, in their order. */
  #places: Place[] = [];
  #pendingBytes = 0;
  readonly #rejected = new RejectedBatch();
  readonly #fromIndex: number;
  #count = 0;
  #refusal: RequestFault | undefined;

  constructor(options: IntakeOptions, { isMinimal, fromIndex }: RequestOptions) {
    this.#options = options;
    this.#fromIndex = fromIndex;
    this.answer = new IntakeAnswer(isMinimal);
  }

  /** True when what was taken should be handed on. */
  get isFull(): boolean {
    const isFull = this.#events.length >= MAX_BATCH_EVENTS || this.#pendingBytes >= MAX_BATCH_BYTES;
    return isFull || this.#rejected.isFull;
  }

  /**
   * Takes the JSON text of one event; a large one only as the caller goes through the steps that it returns, with a turn of the event loop between
   * them. Bad ones are rejections; `onMalformed` hears instead of one that is not JSON. Throws `TOO_MANY_EVENTS`, and what `onMalformed` throws.
   */
  take(bytes: Buffer, onMalformed?: (error: unknown, text: string) => void): Generator<undefined, void> | undefined {
    const { maxEventBytes, maxMembers } = this.#options;
    if (bytes.length > maxEventBytes) this.takeTooLarge(bytes);
    // Without a generator for what is small.
    else if (bytes.length > Math.min(2 * maxMembers, MAX_SYNC_BYTES)) return this.#takeInSteps(bytes, onMalformed);
    else if (!this.#isPassedOver()) {
      let value: unknown;
      try {
        value = JSON.parse(bytes.toString());
      } catch (error) {
        this.#takeMalformed(error, bytes, onMalformed);
        return undefined;
      }
      this.#takeValue(value, bytes);
    }
    return undefined;
  }

  *#takeInSteps(bytes: Buffer, onMalformed?: (error: unknown, text: string) => void): Generator<undefined, void> {
    if (this.#isPassedOver()) return;
    let value: unknown;
    try {
      value = yield* parseSteps(bytes, this.#options.maxMembers);
    } catch (error) {
      this.#takeMalformed(error, bytes, onMalformed);
      return;
    }
    this.#takeValue(value, bytes);
  }

  #takeMalformed(error: unknown, bytes: Buffer, onMalformed?: (error: unknown, text: string) => void): void {
    if (error instanceof Fault) this.#reject('', error.code, error.message, bytes);
    else if (onMalformed !== undefined) onMalformed(error, bytes.toString());
    else this.#reject('', 'MALFORMED_JSON', readJsonError(error, bytes.toString()).reason, bytes);
  }

  /** Takes one event that is over the bound on its size; without its bytes where they were therefore not kept. */
  takeTooLarge(bytes?: Buffer): void {
    if (this.#isPassedOver()) return;
    this.#reject('', 'EVENT_TOO_LARGE', `is larger than ${this.#options.maxEventBytes} bytes`, bytes);
  }

  /** Keeps the beginning of a body that is none at all, with its size where it is known. It is counted by `fail`. */
  keepMalformedBody({ code, message }: Fault, received: Buffer, bytes: number | null): void {
    this.#rejected.add({ code, field: '', reason: message, received, bytes });
  }

  #takeValue(value: unknown, bytes: Buffer): void {
    const reading = this.#options.reader.read(value);
    if (!reading.ok) {
      const { field, code, reason } = reading.rejection;
      this.#reject(field, code, reason, bytes);
      return;
    }
    const { payload, isCanonical, cuts } = reading;
    const isValid = isUtf8(bytes);
    const line = isCanonical && isValid ? asLine(bytes) : undefined;
    const notes = isValid ? reading.notes : [...reading.notes, INVALID_UTF8];
    this.#places.push({ index: this.#nextIndex(), notes, cuts });
    this.#events.push(line === undefined ? { payload } : { payload, encoded: line });
    this.#pendingBytes += bytes.length;
  }

  /** Hands on what was taken so far. Throws when the consumer refused it. */
  async deliver(): Promise<void> {
    const places = this.#places;
    const rejected = this.#rejected.take();
    if (places.length === 0 && rejected.length === 0) return;
    this.#places = [];
    const { account } = this.#options;
    try {
      this.#settle(places, await this.#handOn(rejected));
    } catch (error) {
      const fault = toFault(error);
      if (places.length > 0) account.lost('refused', fault.code, places.length);
      this.#refusal = this.#interrupted(fault, places[0]?.index ?? this.#count);
      throw this.#refusal;
    }
  }

  /** Not async, so that no frame holds the payloads while the batch waits for the disk. */
  #handOn(rejected: readonly RejectedPayload[]): Promise<readonly Outcome[]> {
    const { receiver, consumer } = this.#options;
    const events = this.#events;
    this.#events = [];
    this.#pendingBytes = 0;
    return consumer.consume(rejected.length === 0 ? { receiver, events } : { receiver, events, rejected });
  }

  /**
   * Ends a request that failed half-way: what had arrived whole is still handed on. Resolves with the fault to answer, which tells the sender
   * what was accepted and from which index to send again.
   */
  async fail(error: unknown): Promise<Fault> {
    try {
      if (this.#refusal === undefined) await this.deliver();
    } catch {
      // The refusal is kept, and is the answer.
    }
    if (this.#refusal !== undefined) return this.#refusal;
    const fault = toFault(error);
    this.#options.account.lost(fault.retryable ? 'refused' : 'rejected', fault.code);
    return this.#count === 0 ? fault : this.#interrupted(fault, this.#count);
  }

  #settle(places: readonly Place[], outcomes: readonly Outcome[]): void {
    const { account } = this.#options;
    const taken: TakenEvent[] = [];
    for (const [place, { index, notes, cuts }] of places.entries()) {
      const outcome = outcomes[place];
      if (outcome?.kind === 'stored') {
        account.stored(cuts);
        taken.push({ index, stored: outcome.stored, notes });
      } else account.lost(outcome?.as ?? 'refused', outcome?.reason ?? 'OUTCOME_MISSING');
    }
    this.answer.accept(places.length, taken);
  }

  #reject(field: string, code: string, reason: string, received?: Buffer): void {
    this.answer.reject({ index: this.#nextIndex(), field, code, reason });
    this.#options.account.lost('rejected', code);
    const payload = received === undefined ? { bytes: null } : { received, bytes: received.length };
    this.#rejected.add({ code, field, reason, ...payload });
  }

  #isPassedOver(): boolean {
    if (this.#count >= this.#fromIndex) return false;
    this.#count++;
    this.answer.accept(1, []);
    return true;
  }

  #nextIndex(): number {
    const { maxEvents } = this.#options;
    if (this.#count >= maxEvents) throw tooManyEvents(maxEvents);
    return this.#count++;
  }

  #interrupted(fault: Fault, nextIndex: number): RequestFault {
    const rejected = this.answer.rejected
      .filter(({ index }) => index < nextIndex)
      .map((rejection) => ({ ...rejection }));
    const members: JsonObject = { accepted: this.answer.accepted, rejected, next_index: nextIndex };
    return new RequestFault(fault.code, fault.message, { cause: fault, retryable: fault.retryable, members });
  }
}

const INVALID_UTF8: EventNote = {
  code: 'INVALID_UTF8',
  field: '',
  reason: 'bytes that are not UTF-8 were replaced by U+FFFD',
};

/** The bytes as a raw line; undefined when they are more than one line. */
function asLine(bytes: Buffer): Buffer | undefined {
  const line = trimJsonSpace(bytes);
  return line.includes(0x0a) || line.includes(0x0d) ? undefined : line;
}
