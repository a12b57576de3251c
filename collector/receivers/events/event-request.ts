import type { SenderOrigin } from '../../../core/contract/stages.js';
import { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';
import { parseSentJson, type SentJson } from '../../../core/event/sent-json.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { toFault } from '../../http/messages/problem.js';
import type { BodyLimits } from '../../http/messages/read-body.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { Intake, PendingRecords, RecordOutcome, Rejection } from '../intake/intake.js';
import { isSmallText, parseThinned, runSteps } from '../intake/parse-steps.js';
import type { SerialQueue } from '../intake/serial-queue.js';
import { describeJsonError, notJson, tooManyEvents } from './body-faults.js';

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

/** What one request asks for. */
interface RequestWishes {
  /** Whether the response leaves out `events`. */
  readonly isMinimal: boolean;
  /** Events before this index were accepted by an earlier attempt and are skipped. */
  readonly fromIndex: number;
  readonly origin: SenderOrigin;
}

/** The response to a request whose events were accepted. */
export interface EventsResponse {
  /** 422 if there were events and all were rejected. */
  readonly status: 200 | 422;
  /** The number of accepted events. */
  readonly accepted: number;
  /** The body `{accepted, rejected, events}` in pieces, with `rejected_count` if `rejected` is incomplete. */
  readonly pieces: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Why one event of a request was rejected. */
export interface ListedRejection extends Rejection {
  /** Index of the array's element, or of the line among those that are not blank. */
  readonly index: number;
}

/** The start of a body that is not JSON, for its dead letter. */
export interface MalformedBody {
  readonly received: Buffer;
  /** The size of the whole body; null: unknown. */
  readonly bytes: number | null;
}

/** Further rejections are only counted, so that the response to a large bad request stays small. */
const MAX_LISTED_REJECTIONS = 1_000;

/** The events of one request. Order: `acceptBody` once or `acceptBatch` repeatedly; then `response`, or `fail`. */
export class EventRequest {
  readonly #options: EventRequestOptions;
  readonly #wishes: RequestWishes;
  readonly #pending: PendingRecords;
  /** Index of the first event that has no outcome yet. */
  #nextIndex = 0;
  #accepted = 0;
  #rejections = 0;
  readonly #listedRejections: ListedRejection[] = [];
  /** The members of `events` in the response, as JSON. */
  readonly #eventTexts: string[] = [];
  /** The fault of a consumer that refused events. */
  #refusal: RequestFault | undefined;
  #malformedBody: MalformedBody | undefined;

  constructor(options: EventRequestOptions, wishes: RequestWishes) {
    this.#options = options;
    this.#wishes = wishes;
    this.#pending = options.intake.begin(wishes.origin);
  }

  /** Accepts a body that is one event. Throws `MALFORMED_JSON`, and if the consumer refuses. */
  async acceptBody(body: Buffer): Promise<void> {
    await this.#accept(body, (error) => {
      throw notJson(error, body.toString());
    });
    await this.#deliver();
  }

  /** Accepts or rejects texts of one event each; undefined stands for one that exceeds its bound. Throws `TOO_MANY_EVENTS`, and if the consumer refuses. */
  async acceptBatch(texts: readonly (Buffer | undefined)[]): Promise<void> {
    await this.#options.parseQueue.run(async () => {
      const slice = beginTimeSlice();
      for (const text of texts) {
        await this.#accept(text, (error, bytes) => {
          const { reason } = describeJsonError(error, bytes.toString());
          this.#pending.reject({ field: '', code: 'MALFORMED_JSON', reason }, bytes);
        });
        if (slice.isOver) await slice.next();
      }
    });
    await this.#deliver();
  }

  /** Sets what `fail` writes to the dead letters. */
  setMalformedBody(body: MalformedBody): void {
    this.#malformedBody = body;
  }

  /** Ends a failed request: forwards the complete events and returns the fault to respond with, which names what was accepted and the next index to send. */
  async fail(error: unknown): Promise<Fault> {
    // A refusal is already in `#refusal`.
    if (this.#refusal === undefined) await this.#deliver().catch(() => undefined);
    if (this.#refusal !== undefined) return this.#refusal;
    const fault = toFault(error);
    if (this.#malformedBody === undefined) {
      this.#options.account.count(fault.retryable ? 'refused' : 'rejected', fault.code);
    } else {
      const { code, message: reason } = fault;
      try {
        await this.#options.intake.reject([{ code, field: '', reason, ...this.#malformedBody }]);
      } catch (refused) {
        return toFault(refused);
      }
    }
    return this.#nextIndex === 0 ? fault : this.#interrupted(fault);
  }

  response(): EventsResponse {
    const accepted = this.#accepted;
    const rejected = this.#listedRejections;
    const isCut = this.#rejections > rejected.length;
    const head = JSON.stringify({ accepted, rejected, ...(isCut && { rejected_count: this.#rejections }) });
    const status = accepted === 0 && this.#rejections > 0 ? 422 : 200;
    if (this.#wishes.isMinimal) {
      return { status, accepted, pieces: [head], headers: { 'preference-applied': 'return=minimal' } };
    }
    const events = this.#eventTexts.map((text, index) => (index === 0 ? text : `,${text}`));
    return { status, accepted, pieces: [`${head.slice(0, -1)},"events":[`, ...events, ']}'], headers: {} };
  }

  /** Accepts or rejects the text of one event; `onMalformed` decides about one that is not JSON. */
  async #accept(text: Buffer | undefined, onMalformed: (error: unknown, text: Buffer) => void): Promise<void> {
    if (this.#skipsNext()) return;
    const { maxEventBytes, maxMembers } = this.#options;
    if (text === undefined || text.length > maxEventBytes) {
      const reason = `is larger than ${maxEventBytes} bytes`;
      this.#pending.reject({ field: '', code: 'EVENT_TOO_LARGE', reason }, text);
      return;
    }
    let sent: SentJson;
    try {
      sent = isSmallText(text, maxMembers)
        ? parseSentJson(text.toString())
        : await runSteps(parseThinned(text, maxMembers));
    } catch (error) {
      if (error instanceof Fault) {
        this.#pending.reject({ field: '', code: error.code, reason: error.message }, text);
      } else onMalformed(error, text);
      return;
    }
    this.#pending.addText(sent, text);
  }

  #skipsNext(): boolean {
    if (this.#nextIndex < this.#wishes.fromIndex) {
      this.#nextIndex++;
      this.#accepted++;
      return true;
    }
    const { maxEvents } = this.#options;
    if (this.#nextIndex + this.#pending.count >= maxEvents) throw tooManyEvents(maxEvents);
    return false;
  }

  /** Forwards the accepted events. Throws if the consumer refuses them. */
  async #deliver(): Promise<void> {
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

  #settle(outcomes: readonly RecordOutcome[]): void {
    const entries: object[] = [];
    for (const outcome of outcomes) {
      const index = this.#nextIndex++;
      if (outcome.kind === 'rejected') {
        this.#rejections++;
        if (this.#listedRejections.length < MAX_LISTED_REJECTIONS) {
          this.#listedRejections.push({ index, ...outcome.rejection });
        }
        continue;
      }
      this.#accepted++;
      if (this.#wishes.isMinimal || outcome.kind === 'dropped') continue;
      const { stored, notes } = outcome;
      entries.push({ index, ...stored, ...(notes && { notes }) });
    }
    if (entries.length > 0) this.#eventTexts.push(JSON.stringify(entries).slice(1, -1));
  }

  #interrupted(fault: Fault): RequestFault {
    const rejected = this.#listedRejections.map((rejection) => ({ ...rejection }));
    const members: JsonObject = { accepted: this.#accepted, rejected, next_index: this.#nextIndex };
    return new RequestFault(fault.code, fault.message, { cause: fault, retryable: fault.retryable, members });
  }
}
