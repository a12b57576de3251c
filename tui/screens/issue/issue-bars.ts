import type { EventHistogram, ReleaseSummary } from '../../../generated/reader-answers.js';
import { BARS_FROM, barsLine, eventTimes, scaleWords } from '../../format/event/bars-line.js';
import type { IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { BARS } from '../../text/characters.js';
import { type Line, span, words, wrapLine } from '../../text/line.js';
import { type Clock, momentWords } from '../../text/moments.js';
import { cellsOf, cutToCells, neutralise } from '../../text/visible.js';
import { effectiveQuery } from './time-range.js';

const MARGIN = words('  ');
/** Cells beside one row of bars and beside three of them. */
const BESIDE_ONE = 23;
const BESIDE_THREE = 16;
/** Rows of the window from which the bars have three rows. */
const HIGH_FROM = 40;
const HIGH_ROWS = 3;
const LABEL_CELLS = 6;

function isHigh({ size, habits }: TerminalState): boolean {
  return size.rows >= HIGH_FROM && !habits.isForScreenReader;
}

/** Cells of the bars. */
export function barCells(state: TerminalState): number {
  return Math.max(1, state.size.columns - (isHigh(state) ? BESIDE_THREE : BESIDE_ONE));
}

/** The bars of the time window, or the times of its events if they are few; empty rows before they are loaded. */
export function barsOf(state: TerminalState, screen: IssueScreen): Line[] {
  const { size, habits, nowMs } = state;
  const clock: Clock = { nowMs, zone: habits.time };
  const few = fewEvents(screen);
  if (few !== undefined) {
    const within = screen.range === undefined && screen.issue.count >= BARS_FROM ? screen.span : '';
    return wrapLine(eventTimes(few, clock, within), size.columns - 2).map((line): Line => [MARGIN, ...line]);
  }
  const histogram = screen.windowSummary?.summary.histogram;
  const rows = isHigh(state) ? HIGH_ROWS : 1;
  if (histogram === undefined) return Array.from({ length: rows }, () => []);
  return [...barRows(state, screen, histogram), ...releaseMarks(state, screen.releases ?? [], histogram)];
}

function barRows(state: TerminalState, screen: IssueScreen, histogram: EventHistogram): Line[] {
  const { size, habits, nowMs } = state;
  const clock: Clock = { nowMs, zone: habits.time };
  const rows = isHigh(state) ? HIGH_ROWS : 1;
  if (rows === 1) {
    const look = { label: screen.span, clock, cells: size.columns - 2, isForScreenReader: habits.isForScreenReader };
    return [[MARGIN, ...barsLine(histogram, look)]];
  }
  const scale = scaleWords(histogram);
  const isOver = Date.parse(histogram.to) < nowMs;
  const notes: Line[] = [
    [words(' '), ...scale.slice(0, 2)],
    scale.slice(2, 4),
    [words(' '), isOver ? span(momentWords(histogram.to, clock)) : words('now')],
  ];
  return histogramRows(histogram.counts, rows).map((bars, row): Line => {
    const label = row === 0 ? `  ${screen.span}` : '';
    return [words(label.padEnd(LABEL_CELLS), 'muted'), ...bars, ...(notes[row] ?? [])];
  });
}

function fewEvents(screen: IssueScreen): IssueScreen['list']['rows'] | undefined {
  const { list, range, issue, windowSummary, shownQuery, query } = screen;
  if (list.rows.length === 0 || shownQuery !== effectiveQuery(screen)) return undefined;
  const from = windowSummary?.source.range?.from;
  const isWhole = list.nextCursor === null;
  if ((range !== undefined || query !== '' || issue.count < BARS_FROM) && isWhole) {
    return list.rows.length < BARS_FROM ? list.rows : undefined;
  }
  const within =
    from === undefined ? [] : list.rows.filter(({ timestamp }) => Date.parse(timestamp) >= Date.parse(from));
  const isKnown = isWhole || within.length < list.rows.length;
  return isKnown && within.length > 0 && within.length < BARS_FROM ? within : undefined;
}

/** Counts as bars, one cell wide, the highest row first. The greatest count reaches the top; only zero is a blank. */
function histogramRows(counts: readonly number[], rows: number): Line[] {
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

interface ReleaseMark {
  readonly sign: 'R' | 'D';
  readonly name: string;
  readonly at: string;
}

const NAME_CELLS = 20;
const LEGEND = ' R new D deploy';

/** Where releases were first seen and deployed, below the bars, with their names where there is room; no lines without one. */
function releaseMarks(
  { size, habits, nowMs }: TerminalState,
  releases: readonly ReleaseSummary[],
  { from, to, counts }: EventHistogram,
): Line[] {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const marks = releases.flatMap(marksOf).filter(({ at }) => Date.parse(at) >= fromMs && Date.parse(at) < toMs);
  if (marks.length === 0) return [];
  marks.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  if (habits.isForScreenReader) {
    const clock: Clock = { nowMs, zone: habits.time };
    const texts = marks.flatMap(({ sign, name, at }, index): Line => {
      const what = sign === 'R' ? ' first seen ' : ' deployed ';
      return [words(index === 0 ? '  ' : ', '), span(neutralise(name)), words(what), span(momentWords(at, clock))];
    });
    return wrapLine(texts, size.columns, 2);
  }
  const line = [words(' '.repeat(LABEL_CELLS))];
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
  if (LABEL_CELLS + counts.length + LEGEND.length <= size.columns) {
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
