import type { JsonObject } from '../../../../core/event/json.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import { toFault } from '../../../http/messages/problem.js';
import { MAX_HOPS } from '../../../otlp/faultline-record.js';
import type { OtlpBadRecord } from '../../../otlp/otlp-records.js';
import type { ReceiverAccount } from '../../../telemetry/ledger.js';
import type { Intake, MappedRecords } from '../../intake/intake.js';
import type { RecordOutcome } from '../../intake/pending-records.js';
import { hopsOfFailure, type OtlpFailure } from '../decode/otlp-failure.js';
import type { JoinedFailure, RequestItem } from '../decode/read-failures.js';
import type { FailureMapper } from '../mapping/map-failure.js';
import type { ExceptionDedup, NewOccurrence } from './exception-dedup.js';
import type { RecordIdDedup } from './record-id-dedup.js';
import type { RequestProgress } from './request-progress.js';

/** Where the items of a request go, and what is known of it. */
export interface ItemIntakeOptions {
  readonly account: ReceiverAccount;
  readonly intake: Intake;
  readonly progress: RequestProgress;
  readonly map: FailureMapper;
  readonly occurrences: ExceptionDedup;
  readonly recordIds: RecordIdDedup;
  /** Told of records that came over too many Faultlines, after they were rejected. */
  readonly onLoop: (records: number) => void;
}

/** A failure for which an earlier report stands. */
interface RepeatedFailure {
  readonly place: number;
  readonly settled: Promise<void>;
}

/** A failure that was not reported before, and its payload until it is handed on. */
interface NewFailure {
  readonly place: number;
  readonly claim: NewOccurrence;
  value: JsonObject | undefined;
}

/** A failure in the form of a raw payload. */
interface MappedFailure {
  readonly place: number;
  readonly failure: OtlpFailure;
  readonly value: JsonObject;
}

/** A record that is not taken. */
interface BadItem {
  readonly place: number;
  readonly bad: OtlpBadRecord;
}

const TOO_MANY_HOPS = 'OTLP_TOO_MANY_HOPS';

/**
 * Takes some items of a request, the first of which stands at `firstPlace`, and empties the list: nothing holds a record while the disk is waited for.
 * Resolves when each that was not done is; throws when the line refuses, with the progress saying how far it came.
 */
export async function acceptItems(items: RequestItem[], firstPlace: number, options: ItemIntakeOptions): Promise<void> {
  const bad: BadItem[] = [];
  const mapped: MappedFailure[] = [];
  const slice = beginTimeSlice();
  let place = firstPlace;
  for (const item of items) {
    const at = place++;
    if (options.progress.isDone(at)) continue;
    if ('reason' in item) bad.push({ place: at, bad: item });
    else if (hopsOfFailure(item.failure) > MAX_HOPS) bad.push({ place: at, bad: loopRecord(item, options.map) });
    else mapped.push({ place: at, failure: item.failure, value: options.map(item.failure, item.joined) });
    if (slice.isOver) await slice.next();
  }
  items.length = 0;
  const { fresh, repeated } = claimAll(mapped, options);
  mapped.length = 0;
  await storeNew(fresh, options);
  await reject(bad, options);
  await finishRepeated(repeated, options);
}

/** Sending it again does not help: exporters of Faultlines lead back to where it was. */
function loopRecord({ failure, joined }: JoinedFailure, map: FailureMapper): OtlpBadRecord {
  const reason = `came over more than ${MAX_HOPS} Faultlines: the exporters of some of them form a loop`;
  return { code: TOO_MANY_HOPS, reason, received: Buffer.from(JSON.stringify(map(failure, joined))) };
}

/** All are mapped by now: nothing may fail between a claim and its end, because other requests wait for it. */
function claimAll(
  mapped: readonly MappedFailure[],
  { occurrences, recordIds }: ItemIntakeOptions,
): { fresh: NewFailure[]; repeated: RepeatedFailure[] } {
  const fresh: NewFailure[] = [];
  const repeated: RepeatedFailure[] = [];
  for (const { place, failure, value } of mapped) {
    const claim = recordIds.claim(failure) ?? occurrences.claim(failure);
    if (claim.kind === 'repeated') repeated.push({ place, settled: claim.settled });
    else fresh.push({ place, claim, value });
  }
  return { fresh, repeated };
}

async function reject(bad: readonly BadItem[], options: ItemIntakeOptions): Promise<void> {
  if (bad.length === 0) return;
  const { intake, progress, onLoop } = options;
  await intake.reject(bad.map(({ bad: one }) => ({ ...one, field: '', bytes: one.received.length })));
  for (const { place, bad: one } of bad) progress.reject(place, one.reason);
  const loops = bad.filter(({ bad: { code } }) => code === TOO_MANY_HOPS).length;
  if (loops > 0) onLoop(loops);
}

/**
 * Waits for the reports that stand for repeated failures, because an answer says that they are durable. It begins when the claims of these items have
 * ended: no two requests wait for each other. Throws what such a report was refused with.
 */
async function finishRepeated(
  repeated: readonly RepeatedFailure[],
  { account, progress }: ItemIntakeOptions,
): Promise<void> {
  for (const [index, { place, settled }] of repeated.entries()) {
    try {
      await settled;
    } catch (error) {
      account.count('refused', toFault(error).code, repeated.length - index);
      throw error;
    }
    account.count('filtered', 'OTLP_DUPLICATE');
    progress.finish(place);
  }
}

/** Stores new failures and ends the claim of each, also when the line refuses, which it throws. */
async function storeNew(failures: readonly NewFailure[], { intake, progress }: ItemIntakeOptions): Promise<void> {
  const outcomes: RecordOutcome[] = [];
  try {
    await intake.accept(releasedOnRead(failures), outcomes);
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

/** Lets go of each payload as it is given away. */
function releasedOnRead(failures: readonly NewFailure[]): MappedRecords {
  return {
    length: failures.length,
    at(place) {
      const failure = failures[place];
      const value = failure?.value;
      if (failure !== undefined) failure.value = undefined;
      return value && { value, received: () => Buffer.from(JSON.stringify(value)) };
    },
  };
}
