import type { ChosenRemoval } from '../retention/choose-removal.js';
import type { RecordAges } from '../retention/record-ages.js';
import type { StoreFollower } from './store-follower.js';

interface RetentionGateOptions {
  /** The open followers. */
  readonly slowConsumers: () => Iterable<StoreFollower>;
  readonly ages: Pick<RecordAges, 'nowMs' | 'ageMs'>;
  /** `RetentionBounds.maxAgeMs`. */
  readonly maxAgeMs: number;
}

/**
 * Creates a function that returns the part of a removal that may be done now, the hours before the first held one: it holds due hours back for followers that have not delivered their events, at most `holdMs` each. By age, an hour is due from its own age
 * on; by size, from when this process first found it due, so a restart begins again.
 */
export function createRetentionGate({
  slowConsumers,
  ages,
  maxAgeMs,
}: RetentionGateOptions): (chosen: ChosenRemoval | undefined) => ChosenRemoval | undefined {
  const dueBySizeMs = new Map<number, number>();

  function dueForMs(hour: number, chosen: ChosenRemoval | undefined, nowMs: number): number {
    if (chosen?.reason === 'size') return nowMs - (dueBySizeMs.get(hour) ?? Number.NEGATIVE_INFINITY);
    return ages.ageMs(hour) - maxAgeMs;
  }

  function updateDue(chosen: ChosenRemoval | undefined, nowMs: number): void {
    if (chosen?.reason === 'age') return;
    const due = new Set(chosen?.hours);
    for (const hour of dueBySizeMs.keys()) if (!due.has(hour)) dueBySizeMs.delete(hour);
    for (const hour of due) if (!dueBySizeMs.has(hour)) dueBySizeMs.set(hour, nowMs);
  }

  return (chosen) => {
    const { nowMs } = ages;
    const hours = chosen?.hours ?? [];
    updateDue(chosen, nowMs);
    let free = hours.length;
    for (const consumer of slowConsumers()) {
      const held = hours.filter(
        (hour) => consumer.hasWaitingIn(hour) && dueForMs(hour, chosen, nowMs) < consumer.holdMs,
      );
      consumer.setHeldHour(held.at(-1) ?? Number.NEGATIVE_INFINITY);
      if (held[0] !== undefined) free = Math.min(free, hours.indexOf(held[0]));
    }
    return chosen === undefined || free === 0 ? undefined : { ...chosen, hours: hours.slice(0, free) };
  };
}
