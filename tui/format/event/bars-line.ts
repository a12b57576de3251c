import type { EventHistogram } from '../../../generated/reader-answers.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, lineCells, span, words } from '../../text/line.js';
import { type Clock, durationWords, momentWords } from '../../text/moments.js';
import { sparkline } from '../../text/sparkline.js';

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
