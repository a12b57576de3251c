import type { EventHistogram, EventSummary } from '../../../generated/reader-answers.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, lineCells, span, words } from '../../text/line.js';
import { type Clock, dayWords, durationWords, momentWords, timeOfDay, zoneWord } from '../../text/moments.js';
import { sparkline } from '../../text/sparkline.js';
import type { Visible } from '../../text/visible.js';

interface BarsOptions {
  /** The length of the window: `24h`. */
  readonly label: string;
  readonly clock: Clock;
  readonly cells: number;
  readonly isForScreenReader: boolean;
}

/** Events over time in one line: `24h ▁·▆█ max 235 per 30m`, and when it ends unless that is now; a sentence for screen readers. */
export function barsLine(histogram: EventHistogram, options: BarsOptions): Line {
  const { counts, to } = histogram;
  const { label, clock, cells, isForScreenReader } = options;
  const head = words(`${label.padEnd(3)} `, 'muted');
  const total = counts.reduce((sum, count) => sum + count, 0);
  const line = isForScreenReader
    ? [head, span(countWithNoun(total, 'event')), words(', '), ...scaleWords(histogram)]
    : [head, span(sparkline(counts, counts.length), 'bar'), words(' '), ...scaleWords(histogram)];
  const end = [words(' to '), span(momentWords(to, clock))];
  const isOver = Date.parse(to) + partMs(histogram) < clock.nowMs;
  return isOver && lineCells([...line, ...end]) <= cells ? [...line, ...end] : line;
}

/** The greatest count and the length of a part: `max 235 per 30m`. */
export function scaleWords(histogram: EventHistogram): Line {
  return [
    words('max '),
    span(fullCount(Math.max(0, ...histogram.counts))),
    words(' per '),
    span(durationWords(partMs(histogram))),
    ...(histogram.is_complete ? [] : [words(', newest only', 'warning')]),
  ];
}

function partMs({ from, to, counts }: EventHistogram): number {
  return (Date.parse(to) - Date.parse(from)) / Math.max(1, counts.length);
}

/** Fewer events are shown by their times instead of bars. */
export const BARS_FROM = 10;
/** More times leave their seconds out. */
const MAX_WITH_SECONDS = 5;

/** The times of a few events, oldest first: `3 events: 19:53:02, 20:11:47 and 20:28:31 UTC`; `within` names their window. */
export function eventTimes(newestFirst: readonly EventSummary[], clock: Clock, within = ''): Line {
  const times = newestFirst.toReversed().map(({ timestamp }): Visible => {
    const isShort = newestFirst.length > MAX_WITH_SECONDS || dayWords(timestamp, clock) !== 'today';
    return isShort ? momentWords(timestamp, clock) : timeOfDay(timestamp, clock);
  });
  return [
    span(countWithNoun(times.length, 'event')),
    words(`${within === '' ? '' : ` in ${within}`}: `),
    ...times.flatMap((time, index) => [words(separatorBefore(index, times.length)), span(time)]),
    words(` ${zoneWord(clock.zone)}`, 'muted'),
  ];
}

function separatorBefore(index: number, count: number): string {
  if (index === 0) return '';
  return index === count - 1 ? ' and ' : ', ';
}
