import type { JsonObject } from '../../../core/event/json.js';
import { createPayloadReader, type PayloadReader } from '../../../core/event/validate/payload-reader.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/rejected-payload.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { toFault } from '../../http/messages/problem.js';
import { type IntakeOptions, PendingRecords, type RecordOutcome } from './pending-records.js';

/** One failure as a receiver has mapped it from its protocol. */
export interface MappedRecord {
  /** A raw payload as far as the protocol gives one: `error_name`, `message` and `route` always, other keys of the specification where it has them; all else lies under `extra`. */
  readonly value: JsonObject;
  /** What the sender sent of it, for the dead letters; called when it is rejected. */
  readonly received: () => Buffer;
}

/** Records in their order, an array for example. Each is asked for once, so that a caller that hands none in again may let go of it then. */
export interface MappedRecords {
  readonly length: number;
  at(place: number): MappedRecord | undefined;
}

/** Takes the decoded records of one receiver: checks them as payloads, hands them on in batches, and keeps the account of what became of each. */
export class Intake {
  /** Checks payloads as they are checked here. */
  readonly payloads: PayloadReader;
  readonly options: IntakeOptions;

  /** Throws Fault `PAYLOAD_LIMIT_INVALID`. */
  constructor(options: IntakeOptions) {
    const { defaults, limits, keepsWeight = false } = options;
    this.options = options;
    this.payloads = createPayloadReader({
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

  /**
   * Appends the outcome of every record to `outcomes`, beginning with the record after those that have one. Resolves when all have. When the line
   * refuses, throws a Fault: what was appended is done and must not be handed in again, the rest is as if it had never come (it was counted as refused).
   * Holds no record while it waits for the line.
   */
  async take(records: MappedRecords, outcomes: RecordOutcome[]): Promise<void> {
    const pending = new PendingRecords(this.payloads, this.options);
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

  /** Hands what never became a record to the dead letters and counts it, each as one event unless told. Throws when the line refuses it, which is then counted instead. */
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

/** Adds as many records, from a place on, as are handed on together. */
async function addUntilFull(pending: PendingRecords, records: MappedRecords, from: number): Promise<void> {
  const slice = beginTimeSlice();
  for (let place = from; place < records.length && !pending.isFull; place++) {
    const record = records.at(place);
    if (record === undefined) throw new RangeError(`record ${place} of ${records.length} is missing`);
    pending.add(record.value, record.received);
    if (slice.isOver) await slice.next();
  }
}
