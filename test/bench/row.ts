/** A row of the table: a figure of Faultline and a floor or peer measured in the same run. */
export interface Row {
  /** The measurement with its unit. */
  name: string;
  ours: number;
  /** Name of the floor or peer. */
  beside: string;
  theirs: number;
  /** `ours / theirs`. */
  ratio: number;
  better: 'higher' | 'lower';
  /** The target; null without one. */
  bar: Bar | null;
  /** Whether the target is met; null without one. */
  met: boolean | null;
  /** Whether the row is in the README of the project too. */
  isHeadline: boolean;
}

/** A target for the figure or the ratio: a minimum if higher is better, else a maximum. */
export interface Bar {
  of: 'figure' | 'ratio';
  value: number;
}

/** Creates a row. */
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
  return { name, ours, beside, theirs, ratio, better, bar, met, isHeadline: false };
}

/** Creates a row for the README of the project. */
export function headlineRow(...args: Parameters<typeof row>): Row {
  return { ...row(...args), isHeadline: true };
}

/** Returns the row without its place in the README of the project. */
export function withoutHeadline(one: Row): Row {
  return { ...one, isHeadline: false };
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Returns the value that a share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
