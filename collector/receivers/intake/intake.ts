import type { SenderOrigin } from '../../../core/contract/stages.js';
import type { JsonObject } from '../../../core/event/json.js';
import { createPayloadParser, type PayloadParser } from '../../../core/event/validate/payload-reader.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { toFault } from '../../http/messages/problem.js';
import { type IntakeOptions, PendingRecords, type RecordOutcome } from './pending-records.js';

/** One failure as a receiver has mapped it from its protocol. */
export interface MappedRecord {
  /** A raw payload: always `error_name`, `message` and `route`, other keys of the specification if the protocol has them, all else under `extra`. */
  readonly value: JsonObject;
  /** Returns the received bytes for the dead letters; called if the record is rejected. */
  readonly received: () => Buffer;
}

/** Records in order, for example an array. Each index is read once, so the owner may free the record afterwards. */
export interface MappedRecords {
  readonly length: number;
  at(index: number): MappedRecord | undefined;
}

/** Accepts the mapped records of one receiver: validates them as payloads, forwards them in batches and counts the outcome of each. */
export class Intake {
  readonly payloads: PayloadParser;
  readonly options: IntakeOptions;

  /** Throws Fault `PAYLOAD_LIMIT_INVALID`. */
  constructor(options: IntakeOptions) {
    const { defaults, limits, keepsWeight = false } = options;
    this.options = options;
    this.payloads = createPayloadParser({
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

  /** Appends the outcome of each record without one to `outcomes`; if the consumer refuses, throws a Fault and counts those without as refused. */
  async accept(records: MappedRecords, outcomes: RecordOutcome[], origin?: SenderOrigin): Promise<void> {
    const pending = new PendingRecords(this.payloads, this.options, origin);
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
    pending.add(record.value, record.received);
    if (slice.isOver) await slice.next();
  }
}
