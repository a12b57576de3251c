import type { JsonObject } from '../../../core/event/json.js';
import { toFault } from '../../http/problem.js';
import type { MappedRecords, RecordIntake, RecordOutcome } from '../record-intake.js';
import type { Claim } from './claim.js';
import type { RequestProgress } from './request-progress.js';

/** A failure that was not reported before, without its payload. */
export interface NewFailure {
  /** Among the items of its request. */
  readonly place: number;
  readonly claim: Extract<Claim, { kind: 'new' }>;
}

/** Those of a request, and their payloads at the same places until they are handed on. */
export interface NewFailures {
  readonly failures: NewFailure[];
  readonly values: (JsonObject | undefined)[];
}

/** Where they go. */
export interface StoreOptions {
  readonly records: RecordIntake;
  readonly progress: RequestProgress;
}

/** Stores new failures and ends the claim of each, also when the line refuses, which it throws. */
export async function storeNew({ failures, values }: NewFailures, { records, progress }: StoreOptions): Promise<void> {
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
