import type { JsonObject } from '../../../core/event/json.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { toFault } from '../../http/problem.js';
import type { Consumer } from '../../pipeline.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { MappedRecords, RecordIntake, RecordOutcome } from '../record-intake.js';
import type { FailureMapper } from './map-failure.js';
import type { Claim, OccurrenceMemory } from './occurrence-memory.js';
import type { OtlpFailure } from './otlp-failure.js';
import type { OtlpBadRecord } from './otlp-records.js';
import type { RequestItem } from './read-failures.js';
import type { RequestProgress } from './request-progress.js';

/** Where the items of requests go. */
export interface ItemIntakeOptions {
  /** Component id of the receiver. */
  readonly receiver: string;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  readonly records: RecordIntake;
  readonly map: FailureMapper;
}

/** And what is known of the request that they are part of. */
interface RequestOptions extends ItemIntakeOptions {
  readonly occurrences: OccurrenceMemory;
  readonly progress: RequestProgress;
}

/** A failure in the form of a raw payload. */
interface MappedFailure {
  readonly place: number;
  readonly failure: OtlpFailure;
  readonly value: JsonObject;
}

/** A failure that nobody has reported before, without its payload. */
interface NewFailure {
  readonly place: number;
  readonly claim: Extract<Claim, { kind: 'new' }>;
}

/** Those of a request, and their payloads at the same places until they are handed on. */
interface NewFailures {
  readonly failures: NewFailure[];
  readonly values: (JsonObject | undefined)[];
}

/** A failure for which an earlier report stands. */
interface RepeatedFailure {
  readonly place: number;
  readonly settled: Promise<void>;
}

/** A record that could not be read. */
interface BadItem {
  readonly place: number;
  readonly bad: OtlpBadRecord;
}

const BAD_RECORD = 'OTLP_RECORD_INVALID';

/**
 * Takes some items of a request, the first of which stands at `firstPlace`, and empties the list: nothing holds a record while the disk is waited for.
 * Resolves when each that was not done is; throws when the line refuses, with the progress saying how far it came.
 */
export async function takeItems(items: RequestItem[], firstPlace: number, options: RequestOptions): Promise<void> {
  const bad: BadItem[] = [];
  const mapped: MappedFailure[] = [];
  const slice = beginTimeSlice();
  let place = firstPlace;
  for (const item of items) {
    const at = place++;
    if (options.progress.isDone(at)) continue;
    if (item.kind === 'bad') bad.push({ place: at, bad: item.bad });
    else mapped.push({ place: at, failure: item.failure, value: options.map(item.failure, item.joined) });
    if (slice.isOver) await slice.next();
  }
  items.length = 0;
  const { fresh, repeated } = claimAll(mapped, options.occurrences);
  mapped.length = 0;
  await store(fresh, options);
  await reject(bad, options);
  await finishRepeated(repeated, options);
}

/** All are mapped by now: nothing may go wrong between a claim and its end, because others wait for it. */
function claimAll(
  mapped: readonly MappedFailure[],
  occurrences: OccurrenceMemory,
): { fresh: NewFailures; repeated: RepeatedFailure[] } {
  const fresh: NewFailures = { failures: [], values: [] };
  const repeated: RepeatedFailure[] = [];
  for (const { place, failure, value } of mapped) {
    const claim = occurrences.claim(failure);
    if (claim.kind === 'repeated') repeated.push({ place, settled: claim.settled });
    else {
      fresh.failures.push({ place, claim });
      fresh.values.push(value);
    }
  }
  return { fresh, repeated };
}

/** Lets go of each payload as it is given away. */
function givenAway(values: (JsonObject | undefined)[]): MappedRecords {
  return {
    length: values.length,
    at(place) {
      const value = values[place];
      values[place] = undefined;
      return value && { value, received: () => Buffer.from(JSON.stringify(value)) };
    },
  };
}

async function store({ failures, values }: NewFailures, { records, progress }: RequestOptions): Promise<void> {
  const outcomes: RecordOutcome[] = [];
  try {
    await records.take(givenAway(values), outcomes);
  } catch (error) {
    for (const { claim } of failures.slice(outcomes.length)) claim.refuse(toFault(error));
    throw error;
  } finally {
    for (const [index, outcome] of outcomes.entries()) {
      const failure = failures[index];
      if (failure === undefined) continue;
      failure.claim.settle();
      if (outcome.kind === 'rejected') {
        const { field, reason } = outcome.rejection;
        progress.reject(failure.place, `${field} ${reason}`.trim());
      } else progress.finish(failure.place);
    }
  }
}

async function reject(bad: readonly BadItem[], options: RequestOptions): Promise<void> {
  if (bad.length === 0) return;
  const { receiver, consumer, account, progress } = options;
  const rejected = bad.map(({ bad: { reason, received } }) => {
    return { code: BAD_RECORD, field: '', reason, received, bytes: received.length };
  });
  try {
    await consumer.consume({ receiver, events: [], rejected });
  } catch (error) {
    account.lost('refused', toFault(error).code, bad.length);
    throw error;
  }
  account.lost('rejected', BAD_RECORD, bad.length);
  for (const { place, bad: one } of bad) progress.reject(place, one.reason);
}

/** Their answer says that they are durable, so it waits for the report that stands for them. */
async function finishRepeated(repeated: readonly RepeatedFailure[], options: RequestOptions): Promise<void> {
  const { account, progress } = options;
  for (const [index, { place, settled }] of repeated.entries()) {
    try {
      await settled;
    } catch (error) {
      account.lost('refused', toFault(error).code, repeated.length - index);
      throw error;
    }
    account.lost('filtered', 'OTLP_DUPLICATE');
    progress.finish(place);
  }
}
