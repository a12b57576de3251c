import { type Line, type Span, words } from './line.js';

/** Indexes of the first and last selected bar. */
export interface SelectedBars {
  readonly first: number;
  readonly last: number;
}

interface HistogramLook {
  /** Height of the highest bar, at least 1. */
  readonly rows: number;
  /** Signs of one cell, from the lowest to the full height. */
  readonly levels: readonly string[];
  readonly selected: SelectedBars | undefined;
}

/** Counts as bars, one cell wide, the highest row first. The greatest count reaches the top; only zero is a blank. */
export function histogramRows(counts: readonly number[], { rows, levels, selected }: HistogramLook): Line[] {
  const greatest = Math.max(0, ...counts);
  const steps = rows * levels.length;
  const heights = counts.map((count) =>
    count <= 0 || greatest === 0 ? 0 : Math.max(1, Math.round((count / greatest) * steps)),
  );
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * levels.length;
    const signs = heights.map((height) => {
      const level = Math.min(Math.max(height - below, 0), levels.length);
      return level === 0 ? ' ' : (levels[level - 1] ?? ' ');
    });
    return inSpans(signs, selected);
  });
}

/** The row below the bars that shows which are selected without colours: `[====]`. */
export function selectionRow({ first, last }: SelectedBars): Line {
  const bars = last - first + 1;
  const marks = bars === 1 ? '^' : `[${'='.repeat(Math.max(0, bars - 2))}]`;
  return [words(' '.repeat(first)), words(marks, 'bar_selected')];
}

/** Sums neighbouring counts so that they fit `bars` bars; unchanged if they fit already. */
export function resample(counts: readonly number[], bars: number): readonly number[] {
  if (counts.length <= bars) return counts;
  const sums = new Array<number>(Math.max(1, bars)).fill(0);
  for (const [part, count] of counts.entries()) {
    const bar = Math.floor((part / counts.length) * sums.length);
    sums[bar] = (sums[bar] ?? 0) + count;
  }
  return sums;
}

function inSpans(signs: readonly string[], selected: SelectedBars | undefined): Span[] {
  const text = (from: number, end: number): string => signs.slice(from, end).join('');
  if (selected === undefined) return [words(text(0, signs.length), 'bar')];
  const end = selected.last + 1;
  return [
    words(text(0, selected.first), 'bar'),
    words(text(selected.first, end), 'bar_selected'),
    words(text(end, signs.length), 'bar'),
  ];
}
