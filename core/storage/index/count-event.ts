import type { EventId } from '../../event/ids.js';
import type { Instant } from '../../normalize/timestamp.js';
import { type HourCounts, hasCounted, hasEvents, type IssueState, type SharedTexts } from './content/issue-state.js';
import { sampledIn } from './segments/event-segment.js';
import { addUser, NO_USER } from './segments/user-sketch.js';

/** Most environments, and most releases, of an issue. */
export const MAX_NAMES = 32;

/** What one event adds to its issue. */
export interface EventFacts {
  readonly instant: Instant;
  readonly receivedAtMicros: number;
  readonly level: string;
  readonly type: string;
  readonly env: string;
  readonly release: string | null;
  /** From `userHash`. */
  readonly user: number;
  /** As in `EventRow`, as is `repeats`. */
  readonly weight: number;
  readonly repeats: EventId | undefined;
}

/**
 * Counts an event. Times, level and names come from the events that count; until there is one, from those that repeat an occurrence. After
 * that these only add their users. Lists grow by `concat`: V8 over-allocates after a push.
 */
export function countEvent(issue: IssueState, facts: EventFacts, texts: SharedTexts): void {
  const wasCounted = hasCounted(issue);
  const isFirst = facts.weight > 0 ? !wasCounted : !hasEvents(issue);
  issue.count += facts.weight;
  issue.sampled += sampledIn(facts);
  issue.repeated += facts.repeats === undefined ? 0 : 1;
  if (facts.user !== NO_USER) issue.users = addUser(issue.users, facts.user);
  if (facts.weight === 0 && wasCounted) return;
  if (isFirst) forgetRepeats(issue);
  describeBy(issue, facts, isFirst, texts);
  if (facts.weight === 0) return;
  const receivedHour = hourOfMs(Math.floor(facts.receivedAtMicros / 1000));
  issue.hours = countHour(issue.hours, hourOfMs(facts.instant.ms), receivedHour, facts.weight);
}

/** Removes what events that repeat an occurrence determined. */
function forgetRepeats(issue: IssueState): void {
  if (issue.environments.length > 0) issue.environments = [];
  if (issue.releases.length === 0) return;
  issue.releases = [];
  issue.releasesReceivedAtMicros = [];
  issue.releasesFirstReceivedAtMicros = [];
}

/** Extends the times and names of an issue by those of an event. `isFirst`: nothing of earlier events stays. */
function describeBy(issue: IssueState, facts: EventFacts, isFirst: boolean, texts: SharedTexts): void {
  const { ms, nanos } = facts.instant;
  if (isFirst || ms < issue.firstSeenMs || (ms === issue.firstSeenMs && nanos < issue.firstSeenNanos)) {
    issue.firstSeenMs = ms;
    issue.firstSeenNanos = nanos;
  }
  if (isFirst || ms > issue.lastSeenMs || (ms === issue.lastSeenMs && nanos > issue.lastSeenNanos)) {
    issue.lastSeenMs = ms;
    issue.lastSeenNanos = nanos;
  }
  // An issue restored from the retention ledger has seen later events than the first replayed ones.
  if (facts.receivedAtMicros >= issue.lastReceivedAtMicros) {
    issue.lastReceivedAtMicros = facts.receivedAtMicros;
    issue.level = facts.level;
    issue.type = texts.share(facts.type);
  }
  if (isNew(issue.environments, facts.env)) {
    issue.environments = issue.environments.concat(texts.share(facts.env)).sort();
  }
  if (facts.release !== null) countRelease(issue, facts.release, facts.receivedAtMicros, texts);
}

/**
 * Records the receipt of a release. If there are too many, drops the one received longest ago: "resolved in next release" needs the newest.
 * The result does not depend on the order of calls, because replay may repeat events.
 */
function countRelease(issue: IssueState, release: string, receivedAtMicros: number, texts: SharedTexts): void {
  const index = issue.releases.indexOf(release);
  const receipts = issue.releasesReceivedAtMicros;
  if (index >= 0) {
    if (receivedAtMicros <= (receipts[index] ?? 0)) return;
    receipts[index] = receivedAtMicros;
    return;
  }
  if (issue.releases.length >= MAX_NAMES) {
    const oldest = receipts.indexOf(Math.min(...receipts));
    if (receivedAtMicros <= (receipts[oldest] ?? 0)) return;
    issue.releases = issue.releases.toSpliced(oldest, 1);
    issue.releasesReceivedAtMicros = receipts.toSpliced(oldest, 1);
    issue.releasesFirstReceivedAtMicros = issue.releasesFirstReceivedAtMicros.toSpliced(oldest, 1);
  }
  issue.releases = issue.releases.concat(texts.share(release));
  issue.releasesReceivedAtMicros = issue.releasesReceivedAtMicros.concat(receivedAtMicros);
  issue.releasesFirstReceivedAtMicros = issue.releasesFirstReceivedAtMicros.concat(receivedAtMicros);
}

function isNew(names: readonly string[], name: string): boolean {
  return names.length < MAX_NAMES && !names.includes(name);
}

/** Hours of a trend, the current one included. */
const TREND_HOURS = 24;

const MS_PER_HOUR = 3_600_000;

/** Hours since the epoch, UTC. */
export function hourOfMs(ms: number): number {
  return Math.floor(ms / MS_PER_HOUR);
}

/** First hour of a trend that ends with a receipt. */
export function oldestTrendHour(receivedAtMicros: number): number {
  return hourOfMs(Math.floor(receivedAtMicros / 1000)) - TREND_HOURS + 1;
}

/** Adds the events of `other` per hour, or subtracts them with sign -1; hours without events are left out. */
export function addHours(counts: HourCounts, other: HourCounts, sign: 1 | -1): HourCounts {
  const sums = new Map<number, number>();
  const add = (list: HourCounts, factor: number): void => {
    for (let index = 0; index < list.length; index += 2) {
      const hour = list[index] ?? 0;
      sums.set(hour, (sums.get(hour) ?? 0) + factor * (list[index + 1] ?? 0));
    }
  };
  add(counts, 1);
  add(other, sign);
  return hourCountsOf(sums);
}

/** Exact size, see `countEvent`. */
export function hourCountsOf(hours: ReadonlyMap<number, number>): HourCounts {
  const inOrder = [...hours].filter(([, events]) => events > 0).sort(([left], [right]) => left - right);
  return inOrder.flat().slice();
}

/** Adds `events` to an hour and drops hours older than the 24 before the receipt. May return the given list, changed. */
function countHour(counts: HourCounts, eventHour: number, receivedHour: number, events: number): HourCounts {
  const oldest = receivedHour - TREND_HOURS + 1;
  const current = withoutHoursBefore(counts, oldest);
  if (eventHour < oldest) return current;
  let index = current.length;
  while (index > 0 && (current[index - 2] ?? 0) > eventHour) index -= 2;
  if (index > 0 && current[index - 2] === eventHour) {
    current[index - 1] = (current[index - 1] ?? 0) + events;
    return current;
  }
  // Exact size, see `countEvent`.
  return current.slice(0, index).concat(eventHour, events, current.slice(index));
}

function withoutHoursBefore(counts: HourCounts, hour: number): HourCounts {
  let first = 0;
  while (first < counts.length && (counts[first] ?? 0) < hour) first += 2;
  return first === 0 ? counts : counts.slice(first);
}

/** The sum of `lastHours`. */
export function eventsInTrend(counts: HourCounts, nowHour: number): number {
  let sum = 0;
  for (let index = 0; index < counts.length; index += 2) {
    const age = nowHour - (counts[index] ?? 0);
    if (age >= 0 && age < TREND_HOURS) sum += counts[index + 1] ?? 0;
  }
  return sum;
}

/** Events per hour of the 24 hours that end with `nowHour`, oldest first. */
export function lastHours(counts: HourCounts, nowHour: number): number[] {
  const trend = new Array<number>(TREND_HOURS).fill(0);
  for (let index = 0; index < counts.length; index += 2) {
    const at = TREND_HOURS - 1 - (nowHour - (counts[index] ?? 0));
    if (at >= 0 && at < TREND_HOURS) trend[at] = counts[index + 1] ?? 0;
  }
  return trend;
}
