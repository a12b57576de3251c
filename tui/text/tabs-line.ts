import { shortCount } from './counts.js';
import { type Line, lineCells, span, words } from './line.js';

/** One tab. */
export interface Tab {
  readonly name: string;
  /** Number of its items; undefined: unknown. */
  readonly count?: number | undefined;
}

/**
 * Tabs with the number that chooses each; brackets show the chosen one without styles: ` 1[open 12] 2 new 3 `.
 * A line that is too wide loses its numbers, or else its counts.
 */
export function tabsLine(tabs: readonly Tab[], chosen: string, columns: number): Line {
  const whole = lineOf(tabs, chosen, { hasNumbers: true });
  if (lineCells(whole) <= columns) return whole;
  const counted = lineOf(tabs, chosen, { hasNumbers: false });
  if (lineCells(counted) <= columns) return counted;
  return lineOf(
    tabs.map(({ name }) => ({ name })),
    chosen,
    { hasNumbers: true },
  );
}

function lineOf(tabs: readonly Tab[], chosen: string, { hasNumbers }: { hasNumbers: boolean }): Line {
  return tabs.flatMap(({ name, count }, index): Line => {
    const isChosen = name === chosen;
    const meaning = isChosen ? 'tab_selected' : 'tab';
    const counted =
      count === undefined ? [] : [words(' ', meaning), span(shortCount(count), isChosen ? meaning : 'muted')];
    return [
      words(hasNumbers ? ` ${index + 1}` : '', 'muted'),
      words(isChosen ? '[' : ' ', meaning),
      words(name, meaning),
      ...counted,
      words(isChosen ? ']' : ' ', meaning),
    ];
  });
}
