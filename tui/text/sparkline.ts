import { ownWords, type Visible } from './visible.js';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const NOTHING = '·';

/** Counts as bars of the height that each has beside the greatest one, in so many cells; none is a dot, and the least of any is still a bar. */
export function sparkline(counts: readonly number[], cells: number): Visible {
  const sums = inParts(counts, cells);
  const greatest = Math.max(1, ...sums);
  const bars = sums.map((sum) => {
    if (sum === 0) return NOTHING;
    return BARS[Math.min(BARS.length - 1, Math.floor((sum / greatest) * (BARS.length - 1) + 0.5))] ?? NOTHING;
  });
  return ownWords(bars.join(''));
}

/** Counts over time in one word and the sum, for those who hear the screen: `412 rising`. */
export function trendInWords(counts: readonly number[]): Visible {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return ownWords('none');
  const third = Math.floor(counts.length / 3);
  const mean = (part: readonly number[]): number => part.reduce((sum, count) => sum + count, 0) / part.length;
  const early = mean(counts.slice(0, counts.length - third));
  const late = mean(counts.slice(counts.length - third));
  if (late > 1.5 * early) return ownWords(`${total} rising`);
  return ownWords(late < early / 1.5 ? `${total} falling` : `${total} steady`);
}

/** Sums of consecutive counts, as many as there are cells, as even as it goes. */
function inParts(counts: readonly number[], parts: number): number[] {
  return Array.from({ length: Math.min(parts, counts.length) }, (_, place) => {
    const from = Math.floor((place * counts.length) / Math.min(parts, counts.length));
    const to = Math.floor(((place + 1) * counts.length) / Math.min(parts, counts.length));
    return counts.slice(from, to).reduce((sum, count) => sum + count, 0);
  });
}
