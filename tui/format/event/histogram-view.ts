import type { EventHistogram } from '../../../generated/reader-answers.js';
import type { Signs } from '../../text/characters.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { histogramRows, resample, type SelectedBars, selectionRow } from '../../text/histogram.js';
import { type Line, span, spread, words } from '../../text/line.js';
import { betweenWords, clockTime, durationWords, type Zone } from '../../text/time-words.js';

interface HistogramViewOptions {
  readonly cells: number;
  readonly rows: number;
  readonly signs: Signs;
  readonly zone: Zone;
  /** Highlighted time range, RFC 3339. */
  readonly range: { readonly from: string; readonly to: string } | undefined;
}

/** Bars, a row that marks the range if set, then the times at both ends with the maximum. */
export function histogramLines(histogram: EventHistogram, options: HistogramViewOptions): Line[] {
  const { cells, rows, signs, range } = options;
  const counts = resample(histogram.counts, cells);
  const selected = range === undefined ? undefined : selectedBars(histogram, counts.length, range);
  const bars = histogramRows(counts, { rows, levels: signs.levels, selected });
  const marks = selected === undefined ? [] : [selectionRow(selected)];
  return [...bars, ...marks, axisLine(histogram, counts, options)];
}

/** The histogram in two sentences of at most 80 columns, for screen readers. */
export function histogramWords({ from, to, counts, is_complete }: EventHistogram, zone: Zone): readonly [Line, Line] {
  const greatest = Math.max(0, ...counts);
  const index = counts.indexOf(greatest);
  const barMs = (Date.parse(to) - Date.parse(from)) / Math.max(1, counts.length);
  const start = new Date(Date.parse(from) + index * barMs);
  const most =
    greatest === 0 || Number.isNaN(start.getTime())
      ? []
      : [
          words('Most: '),
          span(fullCount(greatest)),
          words(' in '),
          span(durationWords(barMs)),
          words(' from '),
          span(clockTime(start.toISOString(), 'full', zone)),
        ];
  const total = counts.reduce((sum, count) => sum + count, 0);
  const extent = [words(is_complete ? '' : 'The newest '), span(countWithNoun(total, 'event')), words(', ')];
  return [[...extent, span(betweenWords(from, to, zone))], most];
}

/** The bars that a time range touches. */
function selectedBars(
  { from, to }: EventHistogram,
  bars: number,
  range: { readonly from: string; readonly to: string },
): SelectedBars | undefined {
  const startMs = Date.parse(from);
  const barMs = (Date.parse(to) - startMs) / Math.max(1, bars);
  const barOf = (ms: number): number => Math.min(Math.max(Math.floor((ms - startMs) / barMs), 0), bars - 1);
  const first = barOf(Date.parse(range.from));
  // The end is exclusive.
  const last = barOf(Date.parse(range.to) - 1);
  return barMs > 0 && bars > 0 && last >= first ? { first, last } : undefined;
}

function axisLine(
  { from, to, is_complete }: EventHistogram,
  counts: readonly number[],
  { cells, zone }: HistogramViewOptions,
): Line {
  const greatest = Math.max(0, ...counts);
  const barMs = (Date.parse(to) - Date.parse(from)) / Math.max(1, counts.length);
  const form = cells < 74 ? 'short' : 'full';
  const left: Line = [
    span(clockTime(from, form, zone), 'muted'),
    words('  most '),
    span(fullCount(greatest)),
    words(' in '),
    span(durationWords(barMs)),
    words(is_complete ? '' : ', newest only', 'warning'),
  ];
  return spread(left, [words(' '), span(clockTime(to, form, zone), 'muted')], cells);
}
