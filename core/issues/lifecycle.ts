import type { IssueStatus } from '../../generated/reader-answers.js';
import type { IssueId } from '../event/ids.js';
import { compareReleaseVersions, parseReleaseVersion } from '../query/release-version.js';
import { type IssueAction, issueIdsIn, numberIn, textIn, textsIn } from './issue-action.js';
import { printSnooze, snoozeOf } from './snooze.js';
import { causeOf } from './undone-actions.js';

/** What is known of the events of an issue, or of a group of merged ones. */
export interface IssueReceipts {
  /** Of the latest event. */
  readonly lastReceivedAtMicros: number;
  readonly releases: readonly string[];
  /** Receipt of the latest event of each of `releases`. */
  readonly releasesReceivedAtMicros: readonly number[];
  /** Events that ever came to these issues, as they were at an instant: `atMicros` tells which issues now hold what they held then. */
  readonly eventsOf: (issueIds: readonly IssueId[], atMicros: number) => number;
}

/** What the actions and the events of an issue make of it. */
export interface Lifecycle {
  readonly status: IssueStatus;
  /** True on an open issue that came back after it had been resolved. */
  readonly regressed: boolean;
  /** Null when nobody was named. */
  readonly assignee: string | null;
  /** What ends an `ignored` state, in the snooze grammar; null when nothing does or it is not ignored. */
  readonly snooze: string | null;
  /** The release that a resolution waits for, or `next`; null when it was resolved at once or is not resolved. */
  readonly resolvedIn: string | null;
  /** Instant of the resolution that stands; null when it is not resolved. */
  readonly resolvedAtMicros: number | null;
  /** Id of the action that decides the status; null where none does. */
  readonly decidedBy: string | null;
}

/** Of an issue without actions. */
export const UNTOUCHED: Lifecycle = {
  status: 'open',
  regressed: false,
  assignee: null,
  snooze: null,
  resolvedIn: null,
  resolvedAtMicros: null,
  decidedBy: null,
};

const STATUS_AFTER: ReadonlyMap<string, IssueStatus> = new Map([
  ['resolve', 'resolved'],
  ['reopen', 'open'],
  ['ignore', 'ignored'],
]);

/**
 * What an issue is, from its actions that stand, oldest first, and its receipts (design section 4). The latest action that sets a status decides;
 * a consequence does so only while its cause is what decides. An event received after a resolution reopens the issue as regressed, where the
 * resolution waits for a release only one of such a release; one received before it never does. A snooze that ended leaves an open issue.
 */
export function foldLifecycle(actions: readonly IssueAction[], receipts: IssueReceipts, nowMs: number): Lifecycle {
  let decides: IssueAction | undefined;
  let assignee: string | null = null;
  for (const action of actions) {
    if (action.action === 'assign') assignee = textIn(action, 'assignee') ?? null;
    if (!STATUS_AFTER.has(action.action)) continue;
    const cause = causeOf(action);
    if (cause === undefined || cause === decides?.id) decides = action;
  }
  const open = { ...UNTOUCHED, assignee, decidedBy: decides?.id ?? null };
  const status = decides && STATUS_AFTER.get(decides.action);
  if (decides === undefined || status === 'open') return open;
  if (status === 'ignored') {
    return hasEnded(decides, receipts, nowMs) ? open : { ...open, status: 'ignored', snooze: printSnooze(decides) };
  }
  if (isRegressed(decides, receipts)) return { ...open, regressed: true };
  return { ...open, status: 'resolved', resolvedIn: waitsFor(decides), resolvedAtMicros: decides.atMicros };
}

/** The release that a `resolve` action waits for, or `next`; null when it counts at once. */
export function waitsFor(resolve: IssueAction): string | null {
  return textIn(resolve, 'in_release') ?? (resolve.data['in_next_release'] === true ? 'next' : null);
}

/** The issues whose events end a snooze by count: those that were merged when it was taken. */
export function snoozedIssues(ignore: IssueAction): readonly IssueId[] {
  const counted = issueIdsIn(ignore, 'counted');
  return counted.length === 0 ? [ignore.issueId] : counted;
}

function isRegressed(resolve: IssueAction, receipts: IssueReceipts): boolean {
  const { atMicros } = resolve;
  if (receipts.lastReceivedAtMicros <= atMicros) return false;
  const release = textIn(resolve, 'in_release');
  if (release === undefined && resolve.data['in_next_release'] !== true) return true;
  const known = textsIn(resolve, 'known_releases');
  return receipts.releases.some((seen, place) => {
    if ((receipts.releasesReceivedAtMicros[place] ?? 0) <= atMicros) return false;
    return release === undefined ? isLaterThanAll(seen, known) : isFrom(release, seen, known);
  });
}

/** By rate it ends through its consequence, which is written down. */
function hasEnded(ignore: IssueAction, { eventsOf }: IssueReceipts, nowMs: number): boolean {
  const { until, count, per_ms: perMs } = snoozeOf(ignore);
  if (until !== undefined) return nowMs >= Date.parse(until);
  const countAt = numberIn(ignore, 'count_at');
  if (count === undefined || perMs !== undefined || countAt === undefined) return false;
  return eventsOf(snoozedIssues(ignore), ignore.atMicros) - countAt >= count;
}

/** Whether a release comes after all that are known: greater than each, where all are versions (core/query), with or without `v`; else it is none of them. */
function isLaterThanAll(release: string, known: readonly string[]): boolean {
  const version = parseReleaseVersion(release);
  const versions = known.map(parseReleaseVersion);
  if (version === undefined || versions.includes(undefined)) return !known.includes(release);
  return versions.every((other) => other !== undefined && compareReleaseVersions(version, other) > 0);
}

/** Whether a release is the named one or comes after it: by version where both are one; else it is the same, or was not known. */
function isFrom(named: string, release: string, known: readonly string[]): boolean {
  const [version, first] = [parseReleaseVersion(release), parseReleaseVersion(named)];
  if (version === undefined || first === undefined) return release === named || !known.includes(release);
  return compareReleaseVersions(version, first) >= 0;
}
