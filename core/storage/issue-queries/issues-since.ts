import type { IssuesSince } from '../../../generated/reader-answers.js';
import { type IssuesSinceOptions, SINCE_KINDS, type SinceKind } from '../../contract/reader.js';
import { inTimeSlices } from '../../time-slice.js';
import type { IssueState } from '../index/content/issue-state.js';
import { hourOfMs } from '../index/count-event.js';
import { summarizeIssue } from './issue-summary.js';
import { type ListedIssues, TopItems } from './list-issues.js';
import { pageLimit } from './page-cursor.js';

const HOUR_MS = 3_600_000;
/** Hours of which the index counts the events of an issue, the running one included. */
const COUNTED_HOURS = 24;
/** Events since, and growth of the rate, from which an issue has `more`. */
const MIN_MORE_EVENTS = 10;
const MIN_GROWTH = 2;
/** Events before, from which an issue without later ones is `quiet`. */
const MIN_QUIET_EVENTS = 5;

interface Rates {
  readonly events: number;
  readonly eventsBefore: number;
  /** Events per hour. */
  readonly rate: number;
  readonly rateBefore: number;
}

/**
 * Selects the open issues of one kind and counts those of all kinds, in one pass over the index in time slices. Rates come from the hourly
 * counts of 24 hours: the part of a window that they cover stands for all of it, and if they cover nothing before the instant, the average
 * of all earlier events stands for it.
 */
export async function selectSince({ statuses }: ListedIssues, options: IssuesSinceOptions): Promise<IssuesSince> {
  const { lifecycles: lives } = statuses;
  const [sinceMs, beforeMs] = [Date.parse(options.from), Date.parse(options.before)];
  const counts = { new: 0, came_back: 0, more: 0, quiet: 0 };
  const growth = ({ rate, rateBefore }: Rates): number => Math.abs(rate - rateBefore);
  const top = new TopItems<Rates & { issue: IssueState }>(
    pageLimit(options.limit),
    (a, b) => growth(b) - growth(a) || (a.issue.issueId < b.issue.issueId ? -1 : 1),
  );
  await inTimeSlices(lives.issues.inOrder.length, (ordinal) => {
    const issue = statuses.issueAt(ordinal);
    if (issue === undefined || issue.lastSeenMs < beforeMs) return;
    if (lives.merged.isHidden(ordinal) || statuses.status(ordinal) !== 'open') return;
    const rates = ratesOf(issue, sinceMs, beforeMs, lives.nowMs);
    const isSeenSince = issue.lastSeenMs >= sinceMs;
    const isKind: Readonly<Record<SinceKind, () => boolean>> = {
      new: () => issue.firstSeenMs >= sinceMs,
      came_back: () =>
        isSeenSince &&
        statuses.isRegressed(ordinal) &&
        (lives.lifecycleOf(issue).decidedBy?.atMicros ?? 0) < sinceMs * 1000,
      more: () => rates.events >= MIN_MORE_EVENTS && rates.rate >= MIN_GROWTH * rates.rateBefore,
      quiet: () => !isSeenSince && rates.eventsBefore >= MIN_QUIET_EVENTS,
    };
    const kind = SINCE_KINDS.find((name) => isKind[name]());
    if (kind === undefined) return;
    counts[kind] += 1;
    if (kind === (options.kind ?? 'new')) top.offer({ issue, ...rates });
  });
  const rounded = (rate: number): number => Math.round(rate * 10) / 10;
  const issues = top.items().map(({ issue, rate, rateBefore }) => {
    return { issue: summarizeIssue(issue, lives), rate: rounded(rate), rate_before: rounded(rateBefore) };
  });
  return { issues, counts };
}

function ratesOf(issue: IssueState, sinceMs: number, beforeMs: number, nowMs: number): Rates {
  const knownMs = (hourOfMs(nowMs) - COUNTED_HOURS + 1) * HOUR_MS;
  const perHour = (events: number, ms: number): number => (ms <= 0 ? 0 : (events * HOUR_MS) / ms);
  const since = Math.max(sinceMs, knownMs);
  const events = eventsIn(issue, since, Number.POSITIVE_INFINITY);
  const start = Math.max(beforeMs, knownMs);
  const isCounted = start < sinceMs;
  const eventsBefore = isCounted ? eventsIn(issue, start, sinceMs) : issue.count - events;
  const beforeFor = isCounted ? sinceMs - start : knownMs - issue.firstSeenMs;
  return { events, eventsBefore, rate: perHour(events, nowMs - since), rateBefore: perHour(eventsBefore, beforeFor) };
}

/** Events from one instant to another; an hour that lies only in part between them counts in proportion. */
function eventsIn({ hours, firstSeenMs, lastSeenMs }: IssueState, fromMs: number, toMs: number): number {
  let events = 0;
  for (let index = 0; index < hours.length; index += 2) {
    const hourMs = (hours[index] ?? 0) * HOUR_MS;
    const startMs = Math.max(hourMs, firstSeenMs);
    const endMs = Math.min(hourMs + HOUR_MS, lastSeenMs + 1);
    const shared = Math.min(endMs, toMs) - Math.max(startMs, fromMs);
    if (shared > 0) events += ((hours[index + 1] ?? 0) * shared) / (endMs - startMs);
  }
  return events;
}
