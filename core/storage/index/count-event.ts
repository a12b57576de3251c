import type { Instant } from '../../normalize/timestamp.js';
import type { HourCounts, IssueState, StringPool } from './content/issue-state.js';
import { addUser, NO_USER, usersOf } from './content/user-sketch.js';

/** Environments and releases that an issue remembers. */
export const MAX_NAMES = 32;

/** What one event adds to its issue. */
export interface EventFacts {
  readonly instant: Instant;
  readonly receivedAtMicros: number;
  readonly level: string;
  readonly type: string;
  readonly env: string;
  readonly release: string | null;
  /** `userHash` of who met it. */
  readonly user: number;
  /** For how many events it counts, itself included: 1 unless a processor samples. */
  readonly weight: number;
}

/**
 * Counts one event; events come in order of arrival.
 * Lists grow by `concat`, which makes them as long as they are: after a spread or a push V8 keeps room for sixteen more.
 */
export function countEvent(issue: IssueState, facts: EventFacts, pool: StringPool): void {
  const { ms, nanos } = facts.instant;
  const isFirst = issue.count === 0 && issue.removed === 0;
  if (isFirst || ms < issue.firstSeenMs || (ms === issue.firstSeenMs && nanos < issue.firstSeenNanos)) {
    issue.firstSeenMs = ms;
    issue.firstSeenNanos = nanos;
  }
  if (isFirst || ms > issue.lastSeenMs || (ms === issue.lastSeenMs && nanos > issue.lastSeenNanos)) {
    issue.lastSeenMs = ms;
    issue.lastSeenNanos = nanos;
  }
  issue.count += facts.weight;
  issue.sampled += facts.weight - 1;
  // An issue that was made from what retention wrote down has seen later events than the first ones that are replayed.
  if (facts.receivedAtMicros >= issue.lastReceivedAtMicros) {
    issue.lastReceivedAtMicros = facts.receivedAtMicros;
    if (issue.level !== facts.level) issue.level = pool.share(facts.level);
    if (issue.type !== facts.type) issue.type = pool.share(facts.type);
  }
  if (isNew(issue.environments, facts.env)) {
    issue.environments = issue.environments.concat(pool.share(facts.env)).sort();
  }
  if (facts.release !== null) countRelease(issue, facts.release, facts.receivedAtMicros, pool);
  if (facts.user !== NO_USER) issue.users = addUser(usersOf(issue), facts.user);
  const receivedHour = hourOfMs(Math.floor(facts.receivedAtMicros / 1000));
  issue.hours = countHour(issue.hours, hourOfMs(ms), receivedHour, facts.weight);
}

/**
 * Takes the receipt of a release. Where there are too many, the one that was seen longest ago is forgotten: a resolution that waits for a release
 * must see the newest ones. The order of the calls does not matter to what is kept, because replay may bring events a second time.
 */
function countRelease(issue: IssueState, release: string, receivedAtMicros: number, pool: StringPool): void {
  const place = issue.releases.indexOf(release);
  const receipts = issue.releasesReceivedAtMicros;
  if (place >= 0) {
    if (receivedAtMicros <= (receipts[place] ?? 0)) return;
    receipts[place] = receivedAtMicros;
    return;
  }
  if (issue.releases.length >= MAX_NAMES) {
    const oldest = receipts.indexOf(Math.min(...receipts));
    if (receivedAtMicros <= (receipts[oldest] ?? 0)) return;
    issue.releases = issue.releases.toSpliced(oldest, 1);
    issue.releasesReceivedAtMicros = receipts.toSpliced(oldest, 1);
  }
  issue.releases = issue.releases.concat(pool.share(release));
  issue.releasesReceivedAtMicros = issue.releasesReceivedAtMicros.concat(receivedAtMicros);
}

function isNew(names: readonly string[], name: string): boolean {
  return names.length < MAX_NAMES && !names.includes(name);
}

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
function countHour(counts: HourCounts, eventHour: number, receivedHour: number, events = 1): HourCounts {
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
