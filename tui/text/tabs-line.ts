import { shortCount } from './counts.js';
import { type Line, lineCells, span, words } from './line.js';

/** One tab. */
export interface Tab {
  readonly name: string;
  /** Number of its items; undefined: unknown. */
  readonly count?: number | undefined;
}

/** Tabs with their numbers, the chosen one in brackets: ` 1[Open 12] 2 Review 3 `. `…` replaces tabs at the ends that have no room. */
export function tabsLine(tabs: readonly Tab[], chosen: string, columns: number): Line {
  const lines = tabs.map((tab, index) => lineOf(tab, index + 1, tab.name === chosen));
  let [first, end] = [0, lines.length];
  const selected = tabs.findIndex(({ name }) => name === chosen);
  const shown = (): Line => [
    ...(first > 0 ? [words(' …', 'muted')] : []),
    ...lines.slice(first, end).flat(),
    ...(end < lines.length ? [words(' …', 'muted')] : []),
  ];
  while (lineCells(shown()) > columns && end - first > 1) {
    if (end > selected + 1) end -= 1;
    else first += 1;
  }
  return shown();
}

/** An empty tab is muted, and keeps its number. */
function lineOf({ name, count }: Tab, number: number, isChosen: boolean): Line {
  const meaning = isChosen ? 'tab_selected' : count === 0 ? 'muted' : 'tab';
  const counted =
    count === undefined ? [] : [words(' ', meaning), span(shortCount(count), isChosen ? meaning : 'muted')];
  return [
    words(` ${number}`, 'muted'),
    words(isChosen ? '[' : ' ', meaning),
    words(name, meaning),
    ...counted,
    words(isChosen ? ']' : ' ', meaning),
  ];
}
