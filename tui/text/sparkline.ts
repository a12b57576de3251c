import { BARS } from './characters.js';
import { literal, type Visible } from './visible.js';

const NOTHING = '·';

/** A full bar stands for the greatest count, at least for this one, so that one event is never a full bar. */
const LEAST_FULL = 4;

/** Counts as bars relative to the greatest one, in at most `cells` cells; zero is a dot. */
export function sparkline(counts: readonly number[], cells: number): Visible {
  const sums = groupSums(counts, cells);
  const greatest = Math.max(LEAST_FULL, ...sums);
  const bars = sums.map((sum) => {
    if (sum === 0) return NOTHING;
    return BARS[Math.min(BARS.length - 1, Math.floor((sum / greatest) * (BARS.length - 1) + 0.5))] ?? NOTHING;
  });
  return literal(bars.join(''));
}

/** The sum of counts over time and their trend, for screen readers: `412 rising`. */
export function trendInWords(counts: readonly number[]): Visible {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return literal('none');
  const third = Math.floor(counts.length / 3);
  const mean = (part: readonly number[]): number => part.reduce((sum, count) => sum + count, 0) / part.length;
  const early = mean(counts.slice(0, counts.length - third));
  const late = mean(counts.slice(counts.length - third));
  if (late > 1.5 * early) return literal(`${total} rising`);
  return literal(late < early / 1.5 ? `${total} falling` : `${total} steady`);
}

function groupSums(counts: readonly number[], groups: number): number[] {
  return Array.from({ length: Math.min(groups, counts.length) }, (_, index) => {
    const from = Math.floor((index * counts.length) / Math.min(groups, counts.length));
    const to = Math.floor(((index + 1) * counts.length) / Math.min(groups, counts.length));
    return counts.slice(from, to).reduce((sum, count) => sum + count, 0);
  });
}
