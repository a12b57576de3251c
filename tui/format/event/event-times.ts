import type { EventSummary } from '../../../generated/reader-answers.js';
import { countWithNoun } from '../../text/counts.js';
import { type Line, span, words } from '../../text/line.js';
import { type Clock, dayWords, momentWords, timeOfDay, zoneWord } from '../../text/moments.js';
import type { Visible } from '../../text/visible.js';

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
