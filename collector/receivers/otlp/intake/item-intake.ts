import type { SenderOrigin } from '../../../../core/contract/stages.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { toFault } from '../../../http/messages/problem.js';
import { MAX_HOPS } from '../../../otlp/faultline-record.js';
import type { OtlpBadRecord } from '../../../otlp/otlp-records.js';
import type { ReceiverAccount } from '../../../telemetry/ledger.js';
import type { Intake } from '../../intake/intake.js';
import { type PendingRecords, type RecordOutcome, type Settlement, settlementOf } from '../../intake/intake.js';
import type { NewReport } from '../../intake/new-report.js';
import { hopsOfFailure } from '../decode/otlp-failure.js';
import type { RequestItem } from '../decode/read-failures.js';
import type { FindSpan } from '../decode/span-cache.js';
import type { FailureMapper } from '../mapping/map-failure.js';
import type { ExceptionDedup } from './exception-dedup.js';
import type { RecordIdDedup } from './record-id-dedup.js';
import type { RequestProgress } from './request-progress.js';

/** Dependencies and state of one request's intake. */
export interface ItemIntakeOptions {
  readonly account: ReceiverAccount;
  readonly intake: Intake;
  readonly progress: RequestProgress;
  readonly origin: SenderOrigin;
  readonly map: FailureMapper;
  readonly occurrences: ExceptionDedup;
  readonly recordIds: RecordIdDedup;
  readonly findSpan: FindSpan;
  /** Called with the number of records rejected for too many hops. */
  readonly onLoop: (records: number) => void;
}

/** A report that counts its occurrence. */
interface NewFailure {
  readonly position: number;
  readonly claim: NewReport;
}

/** A further report of an occurrence; its payload waits until the report that counts it is durable. */
interface PairedFailure extends NewFailure {
  readonly value: JsonObject;
}

/** A report that adds nothing to earlier ones. */
interface RepeatedFailure {
  readonly position: number;
  readonly settled: Promise<Settlement>;
}

/** A rejected record. */
interface BadItem {
  readonly position: number;
  readonly bad: OtlpBadRecord;
}

const TOO_MANY_HOPS = 'OTLP_TOO_MANY_HOPS';
const MAX_ITEMS = 500;

/**
 * Stores or rejects the items of one request: `add` each, with `store` whenever `isFull`, then `store`. An added item is mapped, checked and
 * prepared at once, so that its record can be freed while the batch fills.
 */
export class ItemIntake {
  readonly #options: ItemIntakeOptions;
  readonly #pending: PendingRecords;
  #fresh: NewFailure[] = [];
  #paired: PairedFailure[] = [];
  #repeated: RepeatedFailure[] = [];
  #bad: BadItem[] = [];

  constructor(options: ItemIntakeOptions) {
    this.#options = options;
    this.#pending = options.intake.begin(options.origin);
  }

  /** Whether to call `store` before the next item. */
  get isFull(): boolean {
    const others = this.#paired.length + this.#repeated.length + this.#bad.length;
    return this.#pending.isFull || this.#fresh.length + others >= MAX_ITEMS;
  }

  /** Does nothing if an earlier attempt of the request finished the item. */
  add(item: RequestItem, position: number): void {
    const { progress, map, recordIds, occurrences, findSpan } = this.#options;
    if (progress.isDone(position)) return;
    if ('reason' in item) {
      this.#bad.push({ position, bad: item });
      return;
    }
    const { failure } = item;
    const value = map(failure, item.joined);
    if (hopsOfFailure(failure) > MAX_HOPS) {
      this.#bad.push({ position, bad: loopRecord(value) });
      return;
    }
    const claim = recordIds.claim(failure) ?? occurrences.claim(failure, value, findSpan);
    if (claim.kind === 'repeated') this.#repeated.push({ position, settled: claim.settled });
    else if (claim.countedBy !== undefined) this.#paired.push({ position, claim, value });
    else {
      this.#fresh.push({ position, claim });
      this.#pending.addMapped(value, () => Buffer.from(JSON.stringify(value)));
    }
  }

  /** Resolves when every added item is stored or rejected. Throws if the pipeline refuses; `progress` then holds the finished items. */
  async store(): Promise<void> {
    const [fresh, paired, repeated, bad] = [this.#fresh, this.#paired, this.#repeated, this.#bad];
    this.#fresh = [];
    this.#paired = [];
    this.#repeated = [];
    this.#bad = [];
    try {
      await this.#storeNew(fresh);
      await this.#reject(bad);
      await this.#storePaired(paired);
    } catch (error) {
      for (const { claim } of paired) claim.refuse(toFault(error));
      throw error;
    }
    await this.#finishRepeated(repeated);
  }

  /** Ends the claims of items that will not be stored, because other requests wait for them. */
  abandon(error: unknown): void {
    for (const { claim } of [...this.#fresh, ...this.#paired]) claim.refuse(toFault(error));
  }

  /** Stores what is pending and ends every claim, even if the pipeline refuses. */
  async #storeNew(failures: readonly NewFailure[]): Promise<void> {
    const { account, progress } = this.#options;
    let outcomes: readonly RecordOutcome[];
    try {
      outcomes = await this.#pending.deliver();
    } catch (error) {
      const fault = toFault(error);
      account.count('refused', fault.code, failures.length);
      for (const { claim } of failures) claim.refuse(fault);
      throw fault;
    }
    for (const [index, { claim, position }] of failures.entries()) {
      const outcome = outcomes[index];
      claim.settle(settlementOf(outcome));
      if (outcome?.kind === 'rejected') {
        const { field, reason } = outcome.rejection;
        progress.reject(position, `${field} ${reason}`.trim());
      } else progress.finish(position);
    }
  }

  async #reject(items: readonly BadItem[]): Promise<void> {
    if (items.length === 0) return;
    const { intake, progress, onLoop } = this.#options;
    await intake.reject(items.map(({ bad }) => ({ ...bad, field: '', bytes: bad.received.length })));
    for (const { position, bad } of items) progress.reject(position, bad.reason);
    const loops = items.filter(({ bad }) => bad.code === TOO_MANY_HOPS).length;
    if (loops > 0) onLoop(loops);
  }

  /**
   * Stores further reports of occurrences, once an earlier one is durable; that one counts the occurrence unless it was filtered or rejected.
   * All earlier reports of this request were stored before.
   */
  async #storePaired(paired: readonly PairedFailure[]): Promise<void> {
    const { account, progress } = this.#options;
    let storable: NewFailure[] = [];
    let unread = paired.length;
    for (const { claim, position, value } of paired) {
      const counted = await claim.countedBy?.settled.catch((error: unknown) => {
        account.count('refused', toFault(error).code, unread + storable.length);
        throw error;
      });
      unread--;
      if (counted === 'sampled') {
        // The event that carries its count is not stored yet.
        claim.settle(counted);
        account.count('filtered', 'OTLP_DUPLICATE');
        progress.finish(position);
        continue;
      }
      storable.push({ claim, position });
      this.#pending.addMapped(value, () => Buffer.from(JSON.stringify(value)), counted);
      if (counted === undefined) {
        // It counts, and the next report of its occurrence waits for it.
        await this.#storeNew(storable);
        storable = [];
      }
    }
    await this.#storeNew(storable);
  }

  /**
   * Waits until the first reports of repeated failures are durable; throws their refusal. It runs after the claims of these items ended, so
   * that no two requests wait for each other.
   */
  async #finishRepeated(repeated: readonly RepeatedFailure[]): Promise<void> {
    const { account, progress } = this.#options;
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
}

/** A retry does not help: the exporters form a loop. */
function loopRecord(value: JsonObject): OtlpBadRecord {
  const reason = `passed more than ${MAX_HOPS} Faultlines: the exporters of some of them form a loop`;
  return { code: TOO_MANY_HOPS, reason, received: Buffer.from(JSON.stringify(value)) };
}
