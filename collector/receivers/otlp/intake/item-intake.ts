import type { EventId } from '../../../../core/event/ids.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import { toFault } from '../../../http/messages/problem.js';
import { MAX_HOPS } from '../../../otlp/faultline-record.js';
import type { OtlpBadRecord } from '../../../otlp/otlp-records.js';
import type { ReceiverAccount } from '../../../telemetry/ledger.js';
import type { Intake, MappedRecords } from '../../intake/intake.js';
import { type RecordOutcome, type Settlement, settlementOf } from '../../intake/pending-records.js';
import { hopsOfFailure, type OtlpFailure } from '../decode/otlp-failure.js';
import type { JoinedFailure, RequestItem } from '../decode/read-failures.js';
import type { FailureMapper } from '../mapping/map-failure.js';
import type { ExceptionDedup } from './exception-dedup.js';
import type { NewOccurrence } from './new-occurrence.js';
import type { RecordIdDedup } from './record-id-dedup.js';
import type { RequestProgress } from './request-progress.js';

/** Dependencies and state of one request's intake. */
export interface ItemIntakeOptions {
  readonly account: ReceiverAccount;
  readonly intake: Intake;
  readonly progress: RequestProgress;
  readonly map: FailureMapper;
  readonly occurrences: ExceptionDedup;
  readonly recordIds: RecordIdDedup;
  /** Called with the number of records rejected for too many hops. */
  readonly onLoop: (records: number) => void;
}

/** A failure that was reported before. */
interface RepeatedFailure {
  readonly position: number;
  readonly settled: Promise<Settlement>;
}

/** A failure that was not reported before; its payload is released when it is forwarded. */
interface NewFailure {
  readonly position: number;
  readonly claim: NewOccurrence;
  value: JsonObject | undefined;
  /** The event that counts its occurrence. */
  readonly repeats?: EventId | undefined;
}

/** A failure and its raw payload. */
interface MappedFailure {
  readonly position: number;
  readonly failure: OtlpFailure;
  readonly value: JsonObject;
}

/** A rejected record. */
interface BadItem {
  readonly position: number;
  readonly bad: OtlpBadRecord;
}

const TOO_MANY_HOPS = 'OTLP_TOO_MANY_HOPS';

/**
 * Stores or rejects items of a request, starting at `firstPosition`, and empties the list so that no record is held during disk waits.
 * Throws if the pipeline refuses; `progress` then holds the finished items.
 */
export async function acceptItems(
  items: RequestItem[],
  firstPosition: number,
  options: ItemIntakeOptions,
): Promise<void> {
  const bad: BadItem[] = [];
  const mapped: MappedFailure[] = [];
  const slice = beginTimeSlice();
  let position = firstPosition;
  for (const item of items) {
    const at = position++;
    if (options.progress.isDone(at)) continue;
    if ('reason' in item) bad.push({ position: at, bad: item });
    else if (hopsOfFailure(item.failure) > MAX_HOPS) bad.push({ position: at, bad: loopRecord(item, options.map) });
    else mapped.push({ position: at, failure: item.failure, value: options.map(item.failure, item.joined) });
    if (slice.isOver) await slice.next();
  }
  items.length = 0;
  const { fresh, paired, repeated } = claimAll(mapped, options);
  mapped.length = 0;
  try {
    await storeNew(fresh, options);
    await reject(bad, options);
    await storePaired(paired, options);
  } catch (error) {
    for (const { claim } of paired) claim.refuse(toFault(error));
    throw error;
  }
  await finishRepeated(repeated, options);
}

/** A retry does not help: the exporters form a loop. */
function loopRecord({ failure, joined }: JoinedFailure, map: FailureMapper): OtlpBadRecord {
  const reason = `passed more than ${MAX_HOPS} Faultlines: the exporters of some of them form a loop`;
  return { code: TOO_MANY_HOPS, reason, received: Buffer.from(JSON.stringify(map(failure, joined))) };
}

/** Must not throw: other requests wait for the end of each claim. */
function claimAll(
  mapped: readonly MappedFailure[],
  { occurrences, recordIds }: ItemIntakeOptions,
): { fresh: NewFailure[]; paired: NewFailure[]; repeated: RepeatedFailure[] } {
  const fresh: NewFailure[] = [];
  const paired: NewFailure[] = [];
  const repeated: RepeatedFailure[] = [];
  for (const { position, failure, value } of mapped) {
    const claim = recordIds.claim(failure) ?? occurrences.claim(failure);
    if (claim.kind === 'repeated') repeated.push({ position, settled: claim.settled });
    else (claim.countedBy === undefined ? fresh : paired).push({ position, claim, value });
  }
  return { fresh, paired, repeated };
}

async function reject(items: readonly BadItem[], options: ItemIntakeOptions): Promise<void> {
  if (items.length === 0) return;
  const { intake, progress, onLoop } = options;
  await intake.reject(items.map(({ bad }) => ({ ...bad, field: '', bytes: bad.received.length })));
  for (const { position, bad } of items) progress.reject(position, bad.reason);
  const loops = items.filter(({ bad }) => bad.code === TOO_MANY_HOPS).length;
  if (loops > 0) onLoop(loops);
}

/**
 * Waits until the first reports of repeated failures are durable; throws their refusal. It runs after the claims of these items ended, so
 * that no two requests wait for each other.
 */
async function finishRepeated(
  repeated: readonly RepeatedFailure[],
  { account, progress }: ItemIntakeOptions,
): Promise<void> {
  for (const [index, { position, settled }] of repeated.entries()) {
    try {
      await settled;
    } catch (error) {
      account.count('refused', toFault(error).code, repeated.length - index);
      throw error;
    }
    account.count('filtered', 'OTLP_DUPLICATE');
    progress.finish(position);
  }
}

/**
 * Stores failures whose occurrence was reported by another signal, once that report is durable; it counts the occurrence unless it was
 * dropped. Throws its refusal.
 */
async function storePaired(paired: readonly NewFailure[], options: ItemIntakeOptions): Promise<void> {
  const { account, progress } = options;
  const storable: NewFailure[] = [];
  for (const failure of paired) {
    const { claim, position, value } = failure;
    const counted = await claim.countedBy?.settled.catch((error: unknown) => {
      account.count('refused', toFault(error).code, paired.length);
      throw error;
    });
    if (counted === 'sampled') {
      // The event that carries its count is not stored yet.
      claim.settle(counted);
      account.count('filtered', 'OTLP_DUPLICATE');
      progress.finish(position);
    } else storable.push({ position, claim, value, repeats: counted });
    failure.value = undefined;
  }
  await storeNew(storable, options);
}

/** Stores new failures and ends every claim, even if the pipeline refuses. */
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
      failure.claim.settle(settlementOf(outcome));
      if (outcome.kind === 'rejected') {
        const { field, reason } = outcome.rejection;
        progress.reject(failure.position, `${field} ${reason}`.trim());
      } else progress.finish(failure.position);
    }
  }
}

/** Releases each payload when it is read. */
function releasedOnRead(failures: readonly NewFailure[]): MappedRecords {
  return {
    length: failures.length,
    at(position) {
      const failure = failures[position];
      const value = failure?.value;
      if (failure !== undefined) failure.value = undefined;
      return value && { value, received: () => Buffer.from(JSON.stringify(value)), repeats: failure?.repeats };
    },
  };
}
