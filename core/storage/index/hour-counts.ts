/** Events by hour: hour since the epoch, count, next hour, count, … in ascending order; hours without events are left out. */
export type HourCounts = number[];

/** Hours that a trend shows, the running one included. */
const TREND_HOURS = 24;

const MS_PER_HOUR = 3_600_000;

/** Hours since the epoch, UTC. */
export function hourOfMs(ms: number): number {
  return Math.floor(ms / MS_PER_HOUR);
}

/** The first hour that a trend counts after a receipt: events that happened before it are left out. */
export function oldestTrendHour(receivedAtMicros: number): number {
  return hourOfMs(Math.floor(receivedAtMicros / 1000)) - TREND_HOURS + 1;
}

/** Takes back what `lost` counts; hours that were forgotten meanwhile are passed over. Answers the list to keep. */
export function uncountHours(counts: HourCounts, lost: HourCounts): HourCounts {
  if (lost.length === 0) return counts;
  const left = new Map<number, number>();
  for (let index = 0; index < lost.length; index += 2) left.set(lost[index] ?? 0, lost[index + 1] ?? 0);
  const kept: HourCounts = [];
  for (let index = 0; index < counts.length; index += 2) {
    const hour = counts[index] ?? 0;
    const events = (counts[index + 1] ?? 0) - (left.get(hour) ?? 0);
    if (events > 0) kept.push(hour, events);
  }
  return kept.slice();
}

/** The counts of two lists together. */
export function mergeHours(left: HourCounts, right: HourCounts): HourCounts {
  const sums = new Map<number, number>();
  for (const counts of [left, right]) {
    for (let index = 0; index < counts.length; index += 2) {
      const hour = counts[index] ?? 0;
      sums.set(hour, (sums.get(hour) ?? 0) + (counts[index + 1] ?? 0));
    }
  }
  return [...sums].sort(([one], [other]) => one - other).flat();
}

/**
 * Counts an event, or the `events` that one stands for; hours that are no longer among the last 24 at its receipt are forgotten, and an event of such an hour is not counted.
 * Answers the list to keep, which may be the one given.
 */
export function countHour(counts: HourCounts, eventHour: number, receivedHour: number, events = 1): HourCounts {
  const oldest = receivedHour - TREND_HOURS + 1;
  let kept = counts;
  let first = 0;
  while ((counts[first] ?? oldest) < oldest) first += 2;
  if (first > 0) kept = counts.slice(first);
  if (eventHour < oldest) return kept;
  let place = kept.length;
  while (place > 0 && (kept[place - 2] ?? 0) > eventHour) place -= 2;
  if (place > 0 && kept[place - 2] === eventHour) {
    kept[place - 1] = (kept[place - 1] ?? 0) + events;
    return kept;
  }
  // As long as it is: a spread or a push would reserve room for sixteen more numbers in each of very many issues.
  return kept.slice(0, place).concat(eventHour, events, kept.slice(place));
}

/** Events per hour of the 24 hours that end with this one, oldest first. */
export function lastHours(counts: HourCounts, nowHour: number): number[] {
  const trend = new Array<number>(TREND_HOURS).fill(0);
  for (let index = 0; index < counts.length; index += 2) {
    const place = TREND_HOURS - 1 - (nowHour - (counts[index] ?? 0));
    if (place >= 0 && place < TREND_HOURS) trend[place] = counts[index + 1] ?? 0;
  }
  return trend;
}
