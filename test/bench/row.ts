/** One line of the table: a figure of ours beside a floor or a peer measured in the same run. */
export interface Row {
  /** What is measured, with its unit. */
  name: string;
  ours: number;
  /** What the figure stands beside. */
  beside: string;
  theirs: number;
  /** `ours / theirs`. */
  ratio: number;
  /** Which way is better. */
  better: 'higher' | 'lower';
  /** What is asked for; null where nothing is. */
  bar: Bar | null;
  /** Whether the bar is met; null without one. */
  met: boolean | null;
}

/** What a row is asked for: of our figure or of the ratio, at least where higher is better, else at most. */
export interface Bar {
  of: 'figure' | 'ratio';
  value: number;
}

/** Builds a row. Without a bar on the figure the ratio counts, since absolute figures drift with the machine. */
export function row(
  name: string,
  ours: number,
  beside: string,
  theirs: number,
  better: Row['better'],
  bar: Bar | null = null,
): Row {
  const ratio = ours / theirs;
  const judged = bar?.of === 'ratio' ? ratio : ours;
  const met = bar === null ? null : better === 'higher' ? judged >= bar.value : judged <= bar.value;
  return { name, ours, beside, theirs, ratio, better, bar, met };
}

/** The middle of several runs. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that a share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
