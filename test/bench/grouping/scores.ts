/** The agreement of fingerprints with labels. */
export interface Scores {
  /** Grouping accuracy: the share of events whose group has exactly the events of one label. */
  readonly accuracy: number;
  /** The share of pairs of events in one group that have one label. */
  readonly precision: number;
  /** The share of pairs of events with one label that are in one group. */
  readonly recall: number;
  readonly f1: number;
}

/** Compares a grouping with labels, pair by pair. */
export function scoresOf(events: readonly { readonly label: string; readonly fingerprint: string }[]): Scores {
  const labels = countBy(events, ({ label }) => label);
  const groups = countBy(events, ({ fingerprint }) => fingerprint);
  const cells = countBy(events, ({ label, fingerprint }) => `${fingerprint} ${label}`);
  let exact = 0;
  for (const [cell, count] of cells) {
    const at = cell.indexOf(' ');
    if (groups.get(cell.slice(0, at)) === count && labels.get(cell.slice(at + 1)) === count) exact += count;
  }
  const right = pairs(cells);
  const precision = right / Math.max(1, pairs(groups));
  const recall = right / Math.max(1, pairs(labels));
  return {
    accuracy: exact / Math.max(1, events.length),
    precision,
    recall,
    f1: (2 * precision * recall) / Math.max(Number.MIN_VALUE, precision + recall),
  };
}

/** Returns the mean of each score. */
export function meanOf(all: readonly Scores[]): Scores {
  const mean = (of: (scores: Scores) => number): number => all.reduce((sum, one) => sum + of(one), 0) / all.length;
  return {
    accuracy: mean((one) => one.accuracy),
    precision: mean((one) => one.precision),
    recall: mean((one) => one.recall),
    f1: mean((one) => one.f1),
  };
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

function pairs(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += (count * (count - 1)) / 2;
  return sum;
}
