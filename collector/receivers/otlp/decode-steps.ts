import { beginTimeSlice } from '../../../core/time-slice.js';
import type { OtlpPart } from './otlp-records.js';

/** Decoding in short steps: each gives a part, or undefined where it may pause. */
export type DecodeSteps<Item> = Generator<OtlpPart<Item> | undefined, void>;

/** Work between two places where decoding may pause, about as much as 32 KiB of records: well below a millisecond. */
const PAUSE_COST = 32 * 1024;

/** What a bad record costs beside its bytes: throwing takes longer than reading. */
export const BAD_RECORD_COST = 1024;

/** Says when enough was done since the last pause. */
export class PauseMeter {
  #spent = 0;

  /** Adds a cost, in bytes decoded. */
  add(cost: number): void {
    this.#spent += cost;
  }

  /** Adds a cost; true when it is time for a pause. */
  spend(cost: number): boolean {
    this.#spent += cost;
    if (this.#spent < PAUSE_COST) return false;
    this.#spent = 0;
    return true;
  }
}

/** Takes the steps one after the other and lets the event loop turn whenever a slice is over. */
export async function* inSlices<Item>(steps: DecodeSteps<Item>): AsyncGenerator<OtlpPart<Item>, void> {
  const slice = beginTimeSlice();
  for (const part of steps) {
    if (part !== undefined) yield part;
    if (slice.isOver) await slice.next();
  }
}
