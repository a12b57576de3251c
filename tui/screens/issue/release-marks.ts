import type { EventHistogram, ReleaseSummary } from '../../../generated/reader-answers.js';
import { type Line, span, words } from '../../text/line.js';
import { type Clock, momentWords } from '../../text/moments.js';
import { cellsOf, cutToCells, neutralise } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';

interface ReleaseMark {
  readonly sign: 'R' | 'D';
  readonly name: string;
  readonly at: string;
}

interface MarksLook {
  readonly clock: Clock;
  /** Of the window. */
  readonly cells: number;
  /** Cells before the bars. */
  readonly left: number;
  readonly isForScreenReader: boolean;
}

const NAME_CELLS = 20;
const LEGEND = ' R new D deploy';

/** Where releases were first seen and deployed, below the bars, with their names where there is room; no lines without one. */
export function releaseMarks(
  releases: readonly ReleaseSummary[],
  { from, to, counts }: EventHistogram,
  { clock, cells, left, isForScreenReader }: MarksLook,
): Line[] {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const marks = releases.flatMap(marksOf).filter(({ at }) => Date.parse(at) >= fromMs && Date.parse(at) < toMs);
  if (marks.length === 0) return [];
  marks.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  if (isForScreenReader) {
    const texts = marks.flatMap(({ sign, name, at }, index): Line => {
      const what = sign === 'R' ? ' first seen ' : ' deployed ';
      return [words(index === 0 ? '  ' : ', '), span(neutralise(name)), words(what), span(momentWords(at, clock))];
    });
    return wrapLine(texts, cells, 2);
  }
  const line = [words(' '.repeat(left))];
  let end = 0;
  for (const [index, mark] of marks.entries()) {
    const cellOf = ({ at }: ReleaseMark) => Math.floor(((Date.parse(at) - fromMs) / (toMs - fromMs)) * counts.length);
    const cell = cellOf(mark);
    // An earlier mark has this cell.
    if (cell < end) continue;
    const next = marks.slice(index + 1).find((other) => cellOf(other) > cell);
    const room = (next === undefined ? counts.length : cellOf(next)) - cell - 3;
    const name = cutToCells(mark.name, NAME_CELLS);
    const isNamed = cellsOf(name) <= room;
    line.push(words(' '.repeat(cell - end)), words(mark.sign, 'label'));
    if (isNamed) line.push(words(' '), span(name, 'muted'));
    end = cell + 1 + (isNamed ? 1 + cellsOf(name) : 0);
  }
  if (left + counts.length + LEGEND.length <= cells) {
    line.push(words(' '.repeat(counts.length - end)), words(LEGEND, 'muted'));
  }
  return [line];
}

function marksOf({ name, first_seen, deploys }: ReleaseSummary): ReleaseMark[] {
  const deployed = deploys.flatMap(({ environment, finished_at, started_at }): ReleaseMark[] => {
    const at = finished_at ?? started_at;
    return at === null ? [] : [{ sign: 'D', name: environment, at }];
  });
  return [...(first_seen === null ? [] : [{ sign: 'R' as const, name, at: first_seen }]), ...deployed];
}
