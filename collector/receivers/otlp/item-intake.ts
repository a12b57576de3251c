import type { JsonObject } from '../../../core/event/json.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { toFault } from '../../http/problem.js';
import type { Consumer } from '../../pipeline.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { MappedRecord, RecordIntake, RecordOutcome } from '../record-intake.js';
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

/** A failure that nobody has reported before. */
interface NewFailure {
  readonly place: number;
  readonly mapped: MappedRecord;
  readonly claim: Extract<Claim, { kind: 'new' }>;
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
 * Takes some items of a request, the first of which stands at `firstPlace`. Resolves when each that was not done is; throws when the line refuses,
 * with the progress saying how far it came.
 */
export async function takeItems(
  items: readonly RequestItem[],
  firstPlace: number,
  options: RequestOptions,
): Promise<void> {
  const bad: BadItem[] = [];
  const mapped: MappedFailure[] = [];
  const slice = beginTimeSlice();
  for (const [index, item] of items.entries()) {
    const place = firstPlace + index;
    if (options.progress.isDone(place)) continue;
    if (item.kind === 'bad') bad.push({ place, bad: item.bad });
    else mapped.push({ place, failure: item.failure, value: options.map(item.failure, item.joined) });
    if (slice.isOver) await slice.next();
  }
  const { fresh, repeated } = claimAll(mapped, options.occurrences);
  await store(fresh, options);
  await reject(bad, options);
  await finishRepeated(repeated, options);
}

/** All are mapped by now: nothing may go wrong between a claim and its end, because others wait for it. */
function claimAll(
  mapped: readonly MappedFailure[],
  occurrences: OccurrenceMemory,
): { fresh: NewFailure[]; repeated: RepeatedFailure[] } {
  const fresh: NewFailure[] = [];
  const repeated: RepeatedFailure[] = [];
  for (const { place, failure, value } of mapped) {
    const claim = occurrences.claim(failure);
    if (claim.kind === 'repeated') repeated.push({ place, settled: claim.settled });
    else fresh.push({ place, mapped: { value, received: () => Buffer.from(JSON.stringify(value)) }, claim });
  }
  return { fresh, repeated };
}

async function store(failures: readonly NewFailure[], { records, progress }: RequestOptions): Promise<void> {
  const outcomes: RecordOutcome[] = [];
  try {
    await records.take(
      failures.map(({ mapped }) => mapped),
      outcomes,
    );
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
