import { BARS } from './characters.js';
import { type Line, words } from './line.js';

/** Counts as bars, one cell wide, the highest row first. The greatest count reaches the top; only zero is a blank. */
export function histogramRows(counts: readonly number[], rows: number): Line[] {
  const greatest = Math.max(0, ...counts);
  const steps = rows * BARS.length;
  const heights = counts.map((count) =>
    count <= 0 || greatest === 0 ? 0 : Math.max(1, Math.round((count / greatest) * steps)),
  );
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * BARS.length;
    const signs = heights.map((height) => {
      const level = Math.min(Math.max(height - below, 0), BARS.length);
      return level === 0 ? ' ' : (BARS[level - 1] ?? ' ');
    });
    return [words(signs.join(''), 'bar')];
  });
}
