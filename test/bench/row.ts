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
}

/** Builds a row; the ratio is what counts, since absolute figures drift with the machine. */
export function row(name: string, ours: number, beside: string, theirs: number, better: Row['better']): Row {
  return { name, ours, beside, theirs, ratio: ours / theirs, better };
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
