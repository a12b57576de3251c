import type { ChosenRemoval } from '../retention/choose-removal.js';
import type { RecordAges } from '../retention/record-ages.js';
import type { StoreFollower } from './store-follower.js';

/** What a removal is held back by. */
export interface RetentionHoldOptions {
  /** Those who follow now. */
  readonly laggards: () => Iterable<StoreFollower>;
  readonly ages: Pick<RecordAges, 'nowMs' | 'ageMs'>;
  /** `RetentionBounds.maxAgeMs`. */
  readonly maxAgeMs: number;
}

/**
 * Keeps hours for those who have not taken their events yet: so long, from when an hour became due, as each of them may be waited for. By age that is told by the
 * age of the hour; by size from when this process first found it due, so that a restart begins anew.
 */
export class RetentionGate {
  readonly #options: RetentionHoldOptions;
  readonly #dueBySizeMs = new Map<number, number>();

  constructor(options: RetentionHoldOptions) {
    this.#options = options;
  }

  /** What of a removal may be done now: the hours before the first one that is held. */
  holdBack(chosen: ChosenRemoval | undefined): ChosenRemoval | undefined {
    const { nowMs } = this.#options.ages;
    const hours = chosen?.hours ?? [];
    this.#remember(chosen, nowMs);
    let free = hours.length;
    for (const laggard of this.#options.laggards()) {
      const held = hours.filter((hour) => laggard.lacks(hour) && this.#dueForMs(hour, chosen, nowMs) < laggard.holdMs);
      laggard.heldThrough(held.at(-1) ?? Number.NEGATIVE_INFINITY);
      if (held[0] !== undefined) free = Math.min(free, hours.indexOf(held[0]));
    }
    return chosen === undefined || free === 0 ? undefined : { ...chosen, hours: hours.slice(0, free) };
  }

  #dueForMs(hour: number, chosen: ChosenRemoval | undefined, nowMs: number): number {
    if (chosen?.reason === 'size') return nowMs - (this.#dueBySizeMs.get(hour) ?? Number.NEGATIVE_INFINITY);
    return this.#options.ages.ageMs(hour) - this.#options.maxAgeMs;
  }

  #remember(chosen: ChosenRemoval | undefined, nowMs: number): void {
    if (chosen?.reason === 'age') return;
    const due = new Set(chosen?.hours);
    for (const hour of this.#dueBySizeMs.keys()) if (!due.has(hour)) this.#dueBySizeMs.delete(hour);
    for (const hour of due) if (!this.#dueBySizeMs.has(hour)) this.#dueBySizeMs.set(hour, nowMs);
  }
}
