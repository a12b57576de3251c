import type { IssueStatus } from '../../generated/reader-answers.js';
import type { IssueId } from '../event/ids.js';
import { compareReleaseVersions, parseReleaseVersion } from '../query/release-version.js';
import { causeOf, type IssueAction, issueIdsIn, numberIn, textIn, textsIn } from './issue-action.js';
import { printSnooze, snoozeOf } from './snooze.js';

/** The receipts of an issue, or of a group of merged issues. */
export interface IssueReceipts {
  readonly lastReceivedAtMicros: number;
  readonly releases: readonly string[];
  /** Latest receipt for each of `releases`. */
  readonly releasesReceivedAtMicros: readonly number[];
  /** First receipt for each of `releases`, 0 if unknown. */
  readonly releasesFirstReceivedAtMicros: readonly number[];
  /** Number of all events ever received by these issues; `atMicros` resolves issues that were regrouped since. */
  readonly eventsOf: (issueIds: readonly IssueId[], atMicros: number) => number;
  /** Number of events beyond those that a resolution counted; undefined if it counted none, or if they cannot be compared. */
  readonly eventsBeyond?: (resolve: IssueAction) => number | undefined;
}

/** State of an issue, computed from its actions and events. */
export interface Lifecycle {
  readonly status: IssueStatus;
  /** True for an open issue that received an event after it was resolved. */
  readonly regressed: boolean;
  /** The release that regressed it last, see `regressingRelease`; null if none did. */
  readonly regressedIn: string | null;
  readonly assignee: string | null;
  /** What ends the `ignored` status, in the snooze grammar; null if nothing does or the issue is not ignored. */
  readonly snooze: string | null;
  /** The release that a resolution waits for, or `next`; null if it took effect at once or the issue is not resolved. */
  readonly resolvedIn: string | null;
  /** Events until the `ignored` status ends; null if no number of events ends it. */
  readonly snoozeLeft: number | null;
  /** The latest action that set a status, also if events or time ended it since; null if no action did. */
  readonly decidedBy: IssueAction | null;
}

/** State of an issue without actions. */
export const UNTOUCHED: Lifecycle = {
  status: 'open',
  regressed: false,
  regressedIn: null,
  assignee: null,
  snooze: null,
  resolvedIn: null,
  snoozeLeft: null,
  decidedBy: null,
};

const STATUS_AFTER: ReadonlyMap<string, IssueStatus> = new Map([
  ['resolve', 'resolved'],
  ['reopen', 'open'],
  ['ignore', 'ignored'],
]);

/**
 * Computes the state of an issue from its actions that are not undone, oldest first, and its receipts. The latest action that sets a status decides,
 * a consequence only while its cause decides. An event received after a resolution, or beyond those that it counted, reopens the issue as regressed; if the
 * resolution waits for a release, only an event of such a release does. An ended snooze leaves the issue open.
 */
export function foldLifecycle(actions: readonly IssueAction[], receipts: IssueReceipts, nowMs: number): Lifecycle {
  const { decidedBy, regressedIn } = decidingAction(actions, receipts);
  const lastAssignment = actions.findLast(({ action }) => action === 'assign');
  const assignee = (lastAssignment && textIn(lastAssignment, 'assignee')) ?? null;
  const open: Lifecycle = { ...UNTOUCHED, regressedIn, assignee, decidedBy: decidedBy ?? null };
  if (decidedBy === undefined) return open;
  switch (STATUS_AFTER.get(decidedBy.action)) {
    case 'ignored':
      return ignored(open, decidedBy, receipts, nowMs);
    case 'resolved':
      return resolved(open, decidedBy, receipts);
    default:
      return open;
  }
}

/** The action that sets the status now, if one does, and the release that regressed the issue before it. */
function decidingAction(
  actions: readonly IssueAction[],
  receipts: IssueReceipts,
): { readonly decidedBy: IssueAction | undefined; readonly regressedIn: string | null } {
  let decidedBy: IssueAction | undefined;
  let regressedIn: string | null = null;
  for (const action of actions.filter((one) => STATUS_AFTER.has(one.action))) {
    const cause = causeOf(action);
    if (cause !== undefined && cause !== decidedBy?.id) continue;
    if (decidedBy?.action === 'resolve') {
      regressedIn = regressingRelease(decidedBy, receipts, action.atMicros)?.release ?? regressedIn;
    }
    decidedBy = action;
  }
  return { decidedBy, regressedIn };
}

function ignored(open: Lifecycle, ignore: IssueAction, receipts: IssueReceipts, nowMs: number): Lifecycle {
  const snoozeLeft = snoozedEventsLeft(ignore, receipts);
  if (isPast(ignore, nowMs) || (snoozeLeft !== null && snoozeLeft <= 0)) return open;
  return { ...open, status: 'ignored', snooze: printSnooze(ignore), snoozeLeft };
}

function resolved(open: Lifecycle, resolve: IssueAction, receipts: IssueReceipts): Lifecycle {
  if (!isRegressed(resolve, receipts)) return { ...open, status: 'resolved', resolvedIn: awaitedRelease(resolve) };
  const regressing = regressingRelease(resolve, receipts, Number.POSITIVE_INFINITY);
  return { ...open, regressed: true, regressedIn: regressing?.release ?? null };
}

/** The release that a `resolve` action waits for, or `next`; null if it takes effect at once. */
export function awaitedRelease(resolve: IssueAction): string | null {
  return textIn(resolve, 'in_release') ?? (resolve.data['in_next_release'] === true ? 'next' : null);
}

/** The issues whose events an action counts: the group at its time. */
export function countedIssues(action: IssueAction): readonly IssueId[] {
  const counted = issueIdsIn(action, 'counted');
  return counted.length === 0 ? [action.issueId] : counted;
}

function isRegressed(resolve: IssueAction, receipts: IssueReceipts): boolean {
  const { atMicros } = resolve;
  const isAwaiting = awaitedRelease(resolve) !== null;
  // Stores receive a shared resolution between different events; only the count is the same in all. Counts know no releases,
  // so where a resolution waits for one, an event that crosses it may bring the issue back in one store and not in another.
  const beyond = isAwaiting ? undefined : receipts.eventsBeyond?.(resolve);
  if (beyond !== undefined) return beyond > 0;
  if (receipts.lastReceivedAtMicros <= atMicros) return false;
  if (!isAwaiting) return true;
  return regressingRelease(resolve, receipts, Number.POSITIVE_INFINITY) !== undefined;
}

/** The release whose event first followed a resolution, up to an instant; of a release with events on both sides the last event counts. */
export function regressingRelease(
  resolve: IssueAction,
  receipts: Pick<IssueReceipts, 'releases' | 'releasesReceivedAtMicros' | 'releasesFirstReceivedAtMicros'>,
  untilMicros: number,
): { readonly release: string; readonly atMicros: number } | undefined {
  const isAwaiting = awaitedRelease(resolve) !== null;
  let earliest: { readonly release: string; readonly atMicros: number } | undefined;
  for (const [index, release] of receipts.releases.entries()) {
    const first = receipts.releasesFirstReceivedAtMicros[index] ?? 0;
    const atMicros = first > resolve.atMicros ? first : (receipts.releasesReceivedAtMicros[index] ?? 0);
    if (atMicros <= resolve.atMicros || atMicros > untilMicros) continue;
    if (earliest !== undefined && atMicros >= earliest.atMicros) continue;
    if (!isAwaiting || bringsBack(resolve, release)) earliest = { release, atMicros };
  }
  return earliest;
}

/** Whether an event of a release ends a resolution that waits for a release. */
function bringsBack(resolve: IssueAction, seen: string): boolean {
  const release = textIn(resolve, 'in_release');
  const knownReleases = textsIn(resolve, 'known_releases');
  return release === undefined ? isLaterThanAll(seen, knownReleases) : isAtLeastRelease(seen, release, knownReleases);
}

function isPast(ignore: IssueAction, nowMs: number): boolean {
  const { until } = snoozeOf(ignore);
  return until !== undefined && nowMs >= Date.parse(until);
}

/** Events until a snooze by count ends; null for others. A snooze by rate ends with a recorded consequence instead. */
function snoozedEventsLeft(ignore: IssueAction, { eventsOf }: IssueReceipts): number | null {
  const { until, count, per_ms: perMs } = snoozeOf(ignore);
  const countAt = numberIn(ignore, 'count_at');
  if (until !== undefined || count === undefined || perMs !== undefined || countAt === undefined) return null;
  return countAt + count - eventsOf(countedIssues(ignore), ignore.atMicros);
}

/** Whether a release comes after all known ones: greater than each if all are versions (core/query), otherwise different from each. */
function isLaterThanAll(release: string, known: readonly string[]): boolean {
  const version = parseReleaseVersion(release);
  const versions = known.map(parseReleaseVersion);
  if (version === undefined || versions.includes(undefined)) return !known.includes(release);
  return versions.every((other) => other !== undefined && compareReleaseVersions(version, other) > 0);
}

/** Whether a release is `named` or later: compared as versions if both are; otherwise it equals `named` or is not known. */
function isAtLeastRelease(release: string, named: string, known: readonly string[]): boolean {
  const [version, first] = [parseReleaseVersion(release), parseReleaseVersion(named)];
  if (version === undefined || first === undefined) return release === named || !known.includes(release);
  return compareReleaseVersions(version, first) >= 0;
}
