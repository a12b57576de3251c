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

/** The events of one request. Order: `accept` for at most a batch, then `deliver`, repeatedly; then `status` and `bodyPieces`, or `fail`. */
export type EventRequest = ReturnType<typeof createEventRequest>;

/** Begins a request. A minimal response omits `events`; those before `fromIndex` were accepted by an earlier attempt and are skipped. */
export function createEventRequest(
  options: EventRequestOptions,
  isMinimal: boolean,
  fromIndex: number,
  origin: SenderOrigin,
) {
  const { intake, account, maxEvents, maxEventBytes, maxMembers } = options;
  const pending = new PendingRecords(intake.payloads, intake.options, origin);
  /** Index of the first event that has no outcome yet. */
  let nextIndex = 0;
  let accepted = 0;
  let rejections = 0;
  const rejected: ListedRejection[] = [];
  const eventTexts: string[] = [];
  let refusal: RequestFault | undefined;
  let malformedBody: { readonly received: Buffer; readonly bytes: number | null } | undefined;

  async function acceptInSteps(bytes: Buffer, onMalformed?: OnMalformed): Promise<void> {
    let value: unknown;
    try {
      value = await runSteps(parseSteps(bytes, maxMembers));
    } catch (error) {
      rejectMalformed(error, bytes, onMalformed);
      return;
    }
    pending.add(value, bytes);
  }

  function rejectMalformed(error: unknown, bytes: Buffer, onMalformed?: OnMalformed): void {
    if (error instanceof Fault) {
      pending.reject({ field: '', code: error.code, reason: error.message }, bytes);
    } else if (onMalformed !== undefined) {
      onMalformed(error, bytes.toString());
    } else {
      const { reason } = describeJsonError(error, bytes.toString());
      pending.reject({ field: '', code: 'MALFORMED_JSON', reason }, bytes);
    }
  }

  function skipsNext(): boolean {
    if (nextIndex < fromIndex) {
      nextIndex++;
      accepted++;
      return true;
    }
    if (nextIndex + pending.count >= maxEvents) throw tooManyEvents(maxEvents);
    return false;
  }

  function settle(outcomes: readonly RecordOutcome[]): void {
    const entries: object[] = [];
    for (const outcome of outcomes) {
      const index = nextIndex++;
      if (outcome.kind === 'rejected') {
        rejections++;
        if (rejected.length < MAX_LISTED_REJECTIONS) rejected.push({ index, ...outcome.rejection });
        continue;
      }
      accepted++;
      if (isMinimal || outcome.kind === 'dropped') continue;
      const { stored, notes } = outcome;
      entries.push({ index, ...stored, ...(notes && { notes }) });
    }
    if (entries.length > 0) eventTexts.push(JSON.stringify(entries).slice(1, -1));
  }

  function interrupted(fault: Fault): RequestFault {
    const listed = rejected.map((rejection) => ({ ...rejection }));
    const members: JsonObject = { accepted, rejected: listed, next_index: nextIndex };
    return new RequestFault(fault.code, fault.message, { cause: fault, retryable: fault.retryable, members });
  }

  /** Rejects one event over the size bound; `bytes` is missing if they were dropped. */
  function rejectTooLarge(bytes?: Buffer): void {
    if (skipsNext()) return;
    const reason = `is larger than ${maxEventBytes} bytes`;
    pending.reject({ field: '', code: 'EVENT_TOO_LARGE', reason }, bytes);
  }

  /** Forwards the accepted events. Throws if the consumer refuses them. */
  async function deliver(): Promise<void> {
    const { count } = pending;
    try {
      settle(await pending.deliver());
    } catch (error) {
      const fault = toFault(error);
      account.count('refused', fault.code, count);
      refusal = interrupted(fault);
      throw refusal;
    }
  }

  return {
    rejectTooLarge,
    deliver,

    /** Accepts or rejects the JSON text of one event; `onMalformed` gets a text that is not JSON instead. Throws `TOO_MANY_EVENTS`, and as it does. */
    accept(bytes: Buffer, onMalformed?: OnMalformed): undefined | Promise<void> {
      if (bytes.length > maxEventBytes) {
        rejectTooLarge(bytes);
        return undefined;
      }
      if (skipsNext()) return undefined;
      // Avoids a promise for small events.
      if (bytes.length > Math.min(2 * maxMembers, MAX_SYNC_BYTES)) return acceptInSteps(bytes, onMalformed);
      let value: unknown;
      try {
        value = JSON.parse(bytes.toString());
      } catch (error) {
        rejectMalformed(error, bytes, onMalformed);
        return undefined;
      }
      pending.add(value, bytes);
      return undefined;
    },

    /** Sets the start of a body that is not JSON, and its size if known, for the dead letter that `fail` writes. */
    setMalformedBody(received: Buffer, bytes: number | null): void {
      malformedBody = { received, bytes };
    },

    /** Ends a failed request: forwards the complete events and returns the fault to respond with, which names what was accepted and the next index to send. */
    async fail(error: unknown): Promise<Fault> {
      // `deliver` sets `refusal`.
      if (refusal === undefined) await deliver().catch(() => undefined);
      if (refusal !== undefined) return refusal;
      const fault = toFault(error);
      if (malformedBody === undefined) account.count(fault.retryable ? 'refused' : 'rejected', fault.code);
      else {
        const { code, message: reason } = fault;
        try {
          await intake.reject([{ code, field: '', reason, ...malformedBody }]);
        } catch (refused) {
          return toFault(refused);
        }
      }
      return nextIndex === 0 ? fault : interrupted(fault);
    },

    /** 422 if there were events and all were rejected. */
    status: (): 200 | 422 => (accepted === 0 && rejections > 0 ? 422 : 200),

    /** The response body `{accepted, rejected, events}` in pieces, with `rejected_count` if `rejected` is incomplete. */
    bodyPieces(): string[] {
      const isCut = rejections > rejected.length;
      const head = { accepted, rejected, ...(isCut && { rejected_count: rejections }) };
      if (isMinimal) return [JSON.stringify(head)];
      const events = eventTexts.map((text, index) => (index === 0 ? text : `,${text}`));
      return [`${JSON.stringify(head).slice(0, -1)},"events":[`, ...events, ']}'];
    },
  };
}
