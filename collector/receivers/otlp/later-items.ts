import type { Fault } from '../../../core/event/fault.js';
import { toFault } from '../../http/problem.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { BrokenFailure, LateSpans } from './late-spans.js';
import type { FailureMapper } from './map-failure.js';
import { type NewFailure, type NewFailures, type StoreOptions, storeNew } from './new-failures.js';

/** A failure that waits for a span. It is claimed: whoever reports the same one waits with it. */
interface ClaimedFailure extends NewFailure, BrokenFailure {}

/** A failure for which an earlier report stands. */
interface RepeatedFailure {
  readonly place: number;
  readonly settled: Promise<void>;
}

/** What is finished when everything else of a request is. */
export interface LaterItems {
  /** How many more failures may wait for a span. */
  mayWait: number;
  readonly broken: ClaimedFailure[];
  readonly repeated: RepeatedFailure[];
}

/** Where they go. */
export interface LaterOptions extends StoreOptions {
  readonly account: ReceiverAccount;
  readonly map: FailureMapper;
  readonly late: LateSpans;
}

/**
 * First the failures that wait for a span, then those that others report too: as nobody waits for others while others wait for him, no two requests
 * wait for each other. Throws when the line refuses; `refuseLater` then ends what is left.
 */
export async function takeLater(later: LaterItems, options: LaterOptions): Promise<void> {
  if (later.broken.length > 0) await takeBroken(later, options);
  await finishRepeated(later, options);
}

/** Gives up the failures that still wait for a span, because their request is refused. */
export function refuseLater({ broken }: LaterItems, fault: Fault, account: ReceiverAccount): void {
  if (broken.length === 0) return;
  for (const { claim } of broken) claim.refuse(fault);
  account.lost('refused', fault.code, broken.length);
  broken.length = 0;
}

async function takeBroken({ broken }: LaterItems, options: LaterOptions): Promise<void> {
  const found = await options.late.wait(broken);
  const fresh: NewFailures = { failures: [], values: [] };
  for (const [index, { place, claim, failure, joined }] of broken.entries()) {
    fresh.values.push(options.map(failure, found[index] ?? joined));
    fresh.failures.push({ place, claim });
  }
  // From here on their claims are ended by whoever stores them.
  broken.length = 0;
  await storeNew(fresh, options);
}

/** Their answer says that they are durable, so it waits for the report that stands for them. */
async function finishRepeated({ repeated }: LaterItems, { account, progress }: LaterOptions): Promise<void> {
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
