import type { AutomaticChange } from '../../../generated/reader-answers.js';
import type { NormalizedEvent } from '../../event/normalized-event.js';
import { type IssueAction, numberIn } from '../../issues/issue-action.js';
import { awaitedRelease, countedIssues, regressingRelease } from '../../issues/lifecycle.js';
import { printSnooze, snoozeOf } from '../../issues/snooze.js';
import { isSpike } from '../../issues/spiking.js';
import { formatTimestamp, instantFromMicros } from '../../normalize/timestamp.js';
import type { IndexContent } from '../index/content/index-content.js';
import { type IssueState, isTelling } from '../index/content/issue-state.js';
import { hourOfMs, lastHours } from '../index/count-event.js';
import type { EventRow } from '../index/segments/event-segment.js';
import type { IssueLifecycles } from '../issue-queries/issue-lifecycles.js';
import { rowsOfIssues } from './event-cursor.js';
import { HistogramCounts } from './event-histogram.js';

const HOUR_MS = 3_600_000;
const MINUTES = 60;
/** Rows that are searched for the event that ended a snooze by count; with more of them it has no entry. */
const MAX_ROWS = 20_000;
const STATUS_ACTIONS: ReadonlySet<string> = new Set(['resolve', 'reopen', 'ignore']);

interface IssueHappenings {
  readonly content: IndexContent;
  readonly lifecycles: IssueLifecycles;
  /** As shown: a merged issue stands for its group. */
  readonly shown: IssueState;
  /** Release and environment of the first event; undefined if it cannot be read. */
  readonly first: Pick<NormalizedEvent, 'release' | 'env'> | undefined;
  /** The release of an event; null without one, and if it cannot be read. */
  readonly releaseOf: (row: EventRow) => Promise<string | null>;
}

/** What happened to an issue without an action, oldest first. Rejects with `INDEX_UNUSABLE`. */
export async function automaticHistory(about: IssueHappenings): Promise<AutomaticChange[]> {
  const { content, shown, first } = about;
  const { firstSeenMs: ms, firstSeenNanos: nanos, removed } = shown;
  const origin = first && [first.release, first.env].filter((part) => part !== null).join(', ');
  const changes: AutomaticChange[] = [
    { at: formatTimestamp({ ms, nanos }), kind: 'first_event', detail: origin ?? null, cause: null },
    ...(await endsOfActions(about)),
    ...(await spikes(about)),
  ];
  if (removed > 0) {
    const at = formatTimestamp(instantFromMicros(content.removed.beforeMicros));
    changes.push({ at, kind: 'events_removed', detail: String(removed), cause: null });
  }
  return changes.sort((one, other) => (one.at < other.at ? -1 : 1));
}

/** How resolutions and snoozes ended without an action. */
async function endsOfActions(about: IssueHappenings): Promise<AutomaticChange[]> {
  const { lifecycles, shown } = about;
  const standing = lifecycles
    .actionsOf(shown)
    .filter(({ id, action }) => STATUS_ACTIONS.has(action) && !lifecycles.actions.isUndone(id));
  const ends: AutomaticChange[] = [];
  for (const [index, action] of standing.entries()) {
    const untilMicros = Math.min(standing[index + 1]?.atMicros ?? Number.POSITIVE_INFINITY, lifecycles.nowMs * 1000);
    const end =
      action.action === 'resolve'
        ? await regression(about, action, untilMicros)
        : action.action === 'ignore'
          ? await endOfSnooze(about, action, untilMicros)
          : undefined;
    if (end !== undefined) ends.push(end);
  }
  return ends;
}

/** The first event after a resolution, before `untilMicros`. */
async function regression(
  about: IssueHappenings,
  resolve: IssueAction,
  untilMicros: number,
): Promise<AutomaticChange | undefined> {
  const { lifecycles, shown } = about;
  const change = { kind: 'regressed', cause: resolve.id } as const;
  const { regressed, decidedBy } = lifecycles.lifecycleOf(shown);
  const isDeciding = decidedBy?.id === resolve.id;
  if (isDeciding && !regressed) return undefined;
  if (awaitedRelease(resolve) !== null) {
    if (!isDeciding) return undefined;
    const regressing = regressingRelease(resolve, shown, Number.POSITIVE_INFINITY);
    return regressing && { ...change, at: formatMicrosTime(regressing.atMicros), detail: regressing.release };
  }
  const range = { fromMicros: resolve.atMicros + 1, untilMicros };
  let row: EventRow | undefined;
  for await (const { segment, rows } of rowsOfIssues(about.content, lifecycles.membersOf(shown), range)) {
    const first = rows.findLast((index) => isTelling(segment.weightAt(index), shown));
    if (first !== undefined) row = segment.row(first);
  }
  // The event beyond those that the resolution counted was here before it.
  if (row === undefined && isDeciding) return { ...change, at: formatMicrosTime(resolve.atMicros), detail: null };
  if (row === undefined) return undefined;
  return { ...change, at: formatMicrosTime(row.receivedAtMicros), detail: await about.releaseOf(row) };
}

/** A snooze by rate ends with a recorded `reopen` instead. */
async function endOfSnooze(
  about: IssueHappenings,
  ignore: IssueAction,
  untilMicros: number,
): Promise<AutomaticChange | undefined> {
  const { until, count, per_ms: perMs } = snoozeOf(ignore);
  const change = { kind: 'snooze_over', detail: printSnooze(ignore), cause: ignore.id } as const;
  if (until !== undefined) return Date.parse(until) * 1000 <= untilMicros ? { ...change, at: until } : undefined;
  if (count === undefined || perMs !== undefined || numberIn(ignore, 'count_at') === undefined) return undefined;
  const at = await receiptOfEvent(about, ignore, { number: count, untilMicros });
  return at === undefined ? undefined : { ...change, at: formatMicrosTime(at) };
}

/** Receipt of the event with a number, counted from 1 after an action; undefined if there are fewer, or too many to search. */
async function receiptOfEvent(
  { content, lifecycles }: IssueHappenings,
  ignore: IssueAction,
  { number, untilMicros }: { number: number; untilMicros: number },
): Promise<number | undefined> {
  const issues = lifecycles.issuesNow(countedIssues(ignore), ignore.atMicros);
  const range = { fromMicros: ignore.atMicros + 1, untilMicros };
  const receipts: { at: number; weight: number }[] = [];
  for await (const { segment, rows } of rowsOfIssues(content, issues, range)) {
    for (const index of rows) receipts.push({ at: segment.receivedAtMicrosAt(index), weight: segment.weightAt(index) });
    if (receipts.length > MAX_ROWS) return undefined;
  }
  let counted = 0;
  for (const { at, weight } of receipts.reverse()) {
    counted += weight;
    if (counted >= number) return at;
  }
  return undefined;
}

/** The spikes of the last 24 hours; an issue counts as spiking until the hour after the last unusual one is over. */
async function spikes(about: IssueHappenings): Promise<AutomaticChange[]> {
  const { lifecycles, shown } = about;
  const nowHour = hourOfMs(lifecycles.nowMs);
  const trend = lastHours(shown.hours, nowHour);
  const last = trend.length - 1;
  const ageAt = (hour: number): number => nowHour - last + hour - hourOfMs(shown.firstSeenMs);
  const startOf = (hour: number): number => (nowHour - last + hour) * HOUR_MS;
  const changes: AutomaticChange[] = [];
  let spikedAt: number | undefined;
  for (const [hour, events] of trend.entries()) {
    if (isSpike(trend, hour, ageAt(hour))) {
      if (spikedAt === undefined) {
        const atMs = await firstUnusualMinute(about, startOf(hour), (count) =>
          isSpike(trend.with(hour, count), hour, ageAt(hour)),
        );
        const past = trend.slice(0, hour);
        const usual = `${Math.min(...past)} to ${Math.max(...past)}`;
        const detail = `${events} events in an hour, ${usual} before`;
        changes.push({ at: formatTimestamp({ ms: atMs, nanos: 0 }), kind: 'spike_began', detail, cause: null });
      }
      spikedAt = hour;
    } else if (spikedAt !== undefined && hour >= spikedAt + 2) {
      const at = formatTimestamp({ ms: startOf(spikedAt + 2), nanos: 0 });
      changes.push({ at, kind: 'spike_ended', detail: null, cause: null });
      spikedAt = undefined;
    }
  }
  return changes;
}

/** The minute of an hour in which its events became unusually many, by event time. */
async function firstUnusualMinute(
  { content, lifecycles, shown }: IssueHappenings,
  fromMs: number,
  isUnusual: (count: number) => boolean,
): Promise<number> {
  const counts = new HistogramCounts({ fromMs, toMs: fromMs + HOUR_MS }, MINUTES);
  const range = { fromMicros: fromMs * 1000 };
  for await (const { segment, rows } of rowsOfIssues(content, lifecycles.membersOf(shown), range)) {
    for (const index of rows) counts.add(segment.eventTimeMsAt(index), segment.weightAt(index));
  }
  let sum = 0;
  const minute = counts.histogram(true).counts.findIndex((count) => {
    sum += count;
    return isUnusual(sum);
  });
  return fromMs + Math.max(0, minute) * (HOUR_MS / MINUTES);
}

function formatMicrosTime(micros: number): string {
  return formatTimestamp(instantFromMicros(micros));
}
