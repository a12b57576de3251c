import type { SenderOrigin } from '../../../core/contract/stages.js';
import { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { toFault } from '../../http/messages/problem.js';
import type { BodyLimits } from '../../http/messages/read-body.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { Intake } from '../intake/intake.js';
import { MAX_SYNC_BYTES, parseSteps, runSteps } from '../intake/parse-steps.js';
import { PendingRecords, type RecordOutcome, type Rejection } from '../intake/pending-records.js';
import type { SerialQueue } from '../intake/serial-queue.js';
import { describeJsonError, tooManyEvents } from './body-faults.js';

/** Options that all requests of one receiver share. */
export interface EventRequestOptions extends BodyLimits {
  readonly intake: Intake;
  readonly account: ReceiverAccount;
  readonly maxEvents: number;
  readonly maxEventBytes: number;
  readonly maxMembers: number;
  /** Parses the batches of all requests one after another. */
  readonly parseQueue: SerialQueue;
}

/** Why one event of a request was rejected. */
export interface ListedRejection extends Rejection {
  /** Index of the array's element, or of the line among those that are not blank. */
  readonly index: number;
}

/** Called for a text that is not JSON. */
type OnMalformed = (error: unknown, text: string) => void;

/** Further rejections are only counted, so that the response to a large bad request stays small. */
const MAX_LISTED_REJECTIONS = 1_000;

/**
 * The events of one request: accepts them one by one, forwards them in batches and builds the response.
 * Order: `accept` for at most a batch, then `deliver`, repeatedly; then `status` and `bodyPieces`. After a failure only `fail`.
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
   * A minimal response omits `events` (`Prefer: return=minimal`). Events before `fromIndex` were accepted by an earlier attempt: they are skipped and
   * count as accepted.
   */
  constructor(options: EventRequestOptions, isMinimal: boolean, fromIndex: number, origin: SenderOrigin) {
    this.#options = options;
    this.#pending = new PendingRecords(options.intake.payloads, options.intake.options, origin);
    this.#isMinimal = isMinimal;
    this.#fromIndex = fromIndex;
  }

  /**
   * Accepts the JSON text of one event, a large one in steps. An invalid event is rejected; `onMalformed`, if set, is called instead if the text is not
   * JSON. Throws `TOO_MANY_EVENTS`, and what `onMalformed` throws.
   */
  accept(bytes: Buffer, onMalformed?: OnMalformed): undefined | Promise<void> {
    const { maxEventBytes, maxMembers } = this.#options;
    if (bytes.length > maxEventBytes) {
      this.rejectTooLarge(bytes);
      return undefined;
    }
    if (this.#skipsNext()) return undefined;
    // Avoids a promise for small events.
    if (bytes.length > Math.min(2 * maxMembers, MAX_SYNC_BYTES)) return this.#acceptInSteps(bytes, onMalformed);
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString());
    } catch (error) {
      this.#rejectMalformed(error, bytes, onMalformed);
      return undefined;
    }
    this.#pending.add(value, bytes);
    return undefined;
  }

  /** Rejects one event over the size bound; `bytes` is missing if they were dropped. */
  rejectTooLarge(bytes?: Buffer): void {
    if (this.#skipsNext()) return;
    const reason = `is larger than ${this.#options.maxEventBytes} bytes`;
    this.#pending.reject({ field: '', code: 'EVENT_TOO_LARGE', reason }, bytes);
  }

  /** Sets the start of a body that is not JSON, and its size if known, for the dead letter that `fail` writes. */
  setMalformedBody(received: Buffer, bytes: number | null): void {
    this.#malformedBody = { received, bytes };
  }

  /** Forwards the accepted events. Throws if the consumer refuses them. */
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

  /** Ends a failed request: forwards the complete events and returns the fault to respond with, which names what was accepted and the next index to send. */
  async fail(error: unknown): Promise<Fault> {
    try {
      if (this.#refusal === undefined) await this.deliver();
    } catch {
      // `deliver` has set `#refusal`.
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

  /** 422 if there were events and all were rejected. */
  get status(): 200 | 422 {
    return this.#accepted === 0 && this.#rejections > 0 ? 422 : 200;
  }

  /** The response body `{accepted, rejected, events}` in pieces, with `rejected_count` if `rejected` is incomplete. */
  bodyPieces(): string[] {
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

  async #acceptInSteps(bytes: Buffer, onMalformed?: OnMalformed): Promise<void> {
    let value: unknown;
    try {
      value = await runSteps(parseSteps(bytes, this.#options.maxMembers));
    } catch (error) {
      this.#rejectMalformed(error, bytes, onMalformed);
      return;
    }
    this.#pending.add(value, bytes);
  }

  #rejectMalformed(error: unknown, bytes: Buffer, onMalformed?: OnMalformed): void {
    if (error instanceof Fault) {
      this.#pending.reject({ field: '', code: error.code, reason: error.message }, bytes);
    } else if (onMalformed !== undefined) {
      onMalformed(error, bytes.toString());
    } else {
      const { reason } = describeJsonError(error, bytes.toString());
      this.#pending.reject({ field: '', code: 'MALFORMED_JSON', reason }, bytes);
    }
  }

  #skipsNext(): boolean {
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
