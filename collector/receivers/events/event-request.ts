import { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { toFault } from '../../http/messages/problem.js';
import type { BodyLimits } from '../../http/messages/read-body.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { Intake } from '../intake/intake.js';
import { inTurns, MAX_SYNC_BYTES, parseSteps } from '../intake/parse-in-turns.js';
import { PendingRecords, type RecordOutcome, type Rejection } from '../intake/pending-records.js';
import type { SerialQueue } from '../intake/serial-queue.js';
import { readJsonError, tooManyEvents } from './body-faults.js';

/** What every request of one receiver has in common. */
export interface EventRequestOptions extends BodyLimits {
  readonly intake: Intake;
  readonly account: ReceiverAccount;
  readonly maxEvents: number;
  readonly maxEventBytes: number;
  readonly maxMembers: number;
  /** Batches of all requests are parsed one after the other. */
  readonly turns: SerialQueue;
}

/** Why one event of a request was not taken, design section 6. */
export interface ListedRejection extends Rejection {
  /** Place in the request: of the array's element, or of the line among those that are not blank. */
  readonly index: number;
}

/** Hears of a text that is not JSON. */
type OnMalformed = (error: unknown, text: string) => void;

/** Rejections beyond these are only counted: a request of a hundred thousand bad lines needs no answer of ten megabytes. */
const MAX_LISTED_REJECTIONS = 1_000;

/**
 * The events of one request: takes them one by one, hands them on in batches and writes the answer, in pieces so that a long one is never one string.
 * Order: `take` for at most a batch, then `deliver`, and so on; then `status` and `texts`. After any failure only `fail`.
 */
export class EventRequest {
  readonly #options: EventRequestOptions;
  readonly #pending: PendingRecords;
  readonly #isMinimal: boolean;
  readonly #fromIndex: number;
  /** Index of the first event that has no outcome yet. */
  #nextIndex = 0;
  #accepted = 0;
  #rejections = 0;
  readonly #rejected: ListedRejection[] = [];
  readonly #eventTexts: string[] = [];
  #refusal: RequestFault | undefined;
  #malformedBody: { readonly received: Buffer; readonly bytes: number | null } | undefined;

  /**
   * A minimal answer leaves `events` out (`Prefer: return=minimal`). Events before `fromIndex` were taken when the request came for the first time: they are
   * passed over and count as accepted.
   */
  constructor(options: EventRequestOptions, isMinimal: boolean, fromIndex: number) {
    this.#options = options;
    this.#pending = new PendingRecords(options.intake.payloads, options.intake.options);
    this.#isMinimal = isMinimal;
    this.#fromIndex = fromIndex;
  }

  /**
   * Takes the JSON text of one event, a large one in turns of the event loop. Bad ones are rejections; `onMalformed` hears instead of one that is not JSON.
   * Throws `TOO_MANY_EVENTS`, and what `onMalformed` throws.
   */
  take(bytes: Buffer, onMalformed?: OnMalformed): undefined | Promise<void> {
    const { maxEventBytes, maxMembers } = this.#options;
    if (bytes.length > maxEventBytes) {
      this.takeTooLarge(bytes);
      return undefined;
    }
    if (this.#isPassedOver()) return undefined;
    // Without a promise for what is small.
    if (bytes.length > Math.min(2 * maxMembers, MAX_SYNC_BYTES)) return this.#takeInTurns(bytes, onMalformed);
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString());
    } catch (error) {
      this.#takeMalformed(error, bytes, onMalformed);
      return undefined;
    }
    this.#pending.add(value, bytes);
    return undefined;
  }

  /** Takes one event that is over the bound on its size; without its bytes where they were therefore not kept. */
  takeTooLarge(bytes?: Buffer): void {
    if (this.#isPassedOver()) return;
    const reason = `is larger than ${this.#options.maxEventBytes} bytes`;
    this.#pending.reject({ field: '', code: 'EVENT_TOO_LARGE', reason }, bytes);
  }

  /** Remembers the beginning of a body that is not JSON, with its size where it is known, for `fail`. */
  keepMalformedBody(received: Buffer, bytes: number | null): void {
    this.#malformedBody = { received, bytes };
  }

  /** Hands on what was taken so far. Throws when the line refused it. */
  async deliver(): Promise<void> {
    const { count } = this.#pending;
    try {
      this.#settle(await this.#pending.deliver());
    } catch (error) {
      const fault = toFault(error);
      this.#options.account.count('refused', fault.code, count);
      this.#refusal = this.#interrupted(fault);
      throw this.#refusal;
    }
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
    const { intake, account } = this.#options;
    if (this.#malformedBody === undefined) account.count(fault.retryable ? 'refused' : 'rejected', fault.code);
    else {
      const { code, message: reason } = fault;
      try {
        await intake.reject([{ code, field: '', reason, ...this.#malformedBody }]);
      } catch (refusal) {
        return toFault(refusal);
      }
    }
    return this.#nextIndex === 0 ? fault : this.#interrupted(fault);
  }

  /** 422 when there was something and all of it was bad. */
  get status(): 200 | 422 {
    return this.#accepted === 0 && this.#rejections > 0 ? 422 : 200;
  }

  /** The answer's body: `{accepted, rejected, events}`, and `rejected_count` when `rejected` does not list all. */
  texts(): string[] {
    const isCut = this.#rejections > this.#rejected.length;
    const head = {
      accepted: this.#accepted,
      rejected: this.#rejected,
      ...(isCut && { rejected_count: this.#rejections }),
    };
    if (this.#isMinimal) return [JSON.stringify(head)];
    const events = this.#eventTexts.map((text, index) => (index === 0 ? text : `,${text}`));
    return [`${JSON.stringify(head).slice(0, -1)},"events":[`, ...events, ']}'];
  }

  async #takeInTurns(bytes: Buffer, onMalformed?: OnMalformed): Promise<void> {
    let value: unknown;
    try {
      value = await inTurns(parseSteps(bytes, this.#options.maxMembers));
    } catch (error) {
      this.#takeMalformed(error, bytes, onMalformed);
      return;
    }
    this.#pending.add(value, bytes);
  }

  #takeMalformed(error: unknown, bytes: Buffer, onMalformed?: OnMalformed): void {
    if (error instanceof Fault) {
      this.#pending.reject({ field: '', code: error.code, reason: error.message }, bytes);
    } else if (onMalformed !== undefined) {
      onMalformed(error, bytes.toString());
    } else {
      const { reason } = readJsonError(error, bytes.toString());
      this.#pending.reject({ field: '', code: 'MALFORMED_JSON', reason }, bytes);
    }
  }

  #isPassedOver(): boolean {
    const { maxEvents } = this.#options;
    if (this.#nextIndex < this.#fromIndex) {
      this.#nextIndex++;
      this.#accepted++;
      return true;
    }
    if (this.#nextIndex + this.#pending.count >= maxEvents) throw tooManyEvents(maxEvents);
    return false;
  }

  #settle(outcomes: readonly RecordOutcome[]): void {
    const entries: object[] = [];
    for (const outcome of outcomes) {
      const index = this.#nextIndex++;
      if (outcome.kind === 'rejected') {
        this.#rejections++;
        if (this.#rejected.length < MAX_LISTED_REJECTIONS) this.#rejected.push({ index, ...outcome.rejection });
        continue;
      }
      this.#accepted++;
      if (this.#isMinimal || outcome.kind === 'dropped') continue;
      const { stored, notes } = outcome;
      entries.push({ index, ...stored, ...(notes && { notes }) });
    }
    if (entries.length > 0) this.#eventTexts.push(JSON.stringify(entries).slice(1, -1));
  }

  #interrupted(fault: Fault): RequestFault {
    const rejected = this.#rejected.map((rejection) => ({ ...rejection }));
    const members: JsonObject = { accepted: this.#accepted, rejected, next_index: this.#nextIndex };
    return new RequestFault(fault.code, fault.message, { cause: fault, retryable: fault.retryable, members });
  }
}
